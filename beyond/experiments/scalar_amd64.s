//go:build !purego

#include "go_asm.h"
#include "textflag.h"

// The first pass of step 8, as Go's compiler writes it for SSE, and with what AVX allows
// instead: an instruction with three operands needs no copy of what it would overwrite.
//
//	AX, DX, R8, R9   centers and radii
//	BX, CX           the sphere, and how many there are
//	DI               discriminants
//	X0-X2, X3-X5     origin and direction of the ray
//	X6-X8            the center less the origin, or its product with the direction
//	X9-X11           the other of these two
//	X12-X15          in between
//	R10, R11, X14    the ray, and what an instruction more loads of it

// No-ops, for a loop that does not begin a block of 64 bytes.
#define NOP0
#define NOP4 BYTE $0x90; BYTE $0x90; BYTE $0x90; BYTE $0x90
#define NOP8 NOP4; NOP4
#define NOP12 NOP8; NOP4
#define NOP16 NOP8; NOP8
#define NOP20 NOP16; NOP4
#define NOP24 NOP16; NOP8
#define NOP28 NOP16; NOP12
#define NOP32 NOP16; NOP16
#define NOP36 NOP32; NOP4
#define NOP40 NOP32; NOP8
#define NOP44 NOP32; NOP12
#define NOP48 NOP32; NOP16
#define NOP52 NOP48; NOP4
#define NOP56 NOP48; NOP8
#define NOP60 NOP48; NOP12

#define LOOP(name, pad, body) \
TEXT name(SB), NOSPLIT, $0-16; \
	MOVQ c+0(FP), SI; \
	MOVQ r+8(FP), R10; \
	MOVSS (const_rayOrigin+0)(R10), X0; \
	MOVSS (const_rayOrigin+4)(R10), X1; \
	MOVSS (const_rayOrigin+8)(R10), X2; \
	MOVSS (const_rayDirection+0)(R10), X3; \
	MOVSS (const_rayDirection+4)(R10), X4; \
	MOVSS (const_rayDirection+8)(R10), X5; \
	MOVQ columns_x(SI), AX; \
	MOVQ columns_x+8(SI), CX; \
	MOVQ columns_y(SI), DX; \
	MOVQ columns_z(SI), R8; \
	MOVQ columns_radius(SI), R9; \
	MOVQ columns_discriminant(SI), DI; \
	XORL BX, BX; \
	PCALIGN $64; \
	pad; \
sphere: \
	body; \
	INCQ BX; \
	CMPQ BX, CX; \
	JLT sphere; \
	RET

// How a coordinate of the center is taken from that of the origin: loaded by an instruction of
// its own, or by the subtraction.
#define APART(MOVE, LOAD, SUB, column, o, to) LOAD (column)(BX*4), X12; MOVE o, to; SUB(X12, to)
#define WITHIN(MOVE, LOAD, SUB, column, o, to) MOVE o, to; SUB((column)(BX*4), to)

// With a copy of each operand that is overwritten and needed again.
#define COPIES(CENTER, MOVE, LOAD, STORE, ADD, SUB, MUL) \
	LOAD (R9)(BX*4), X15; \
	CENTER(MOVE, LOAD, SUB, AX, X0, X6); \
	CENTER(MOVE, LOAD, SUB, DX, X1, X7); \
	CENTER(MOVE, LOAD, SUB, R8, X2, X8); \
	MOVE X3, X12; MUL(X3, X12); \
	MOVE X4, X13; MUL(X4, X13); ADD(X12, X13); \
	MOVE X5, X12; MUL(X5, X12); ADD(X13, X12); \
	MOVE X6, X9; MUL(X3, X6); \
	MOVE X7, X10; MUL(X4, X7); ADD(X6, X7); \
	MOVE X8, X11; MUL(X5, X8); ADD(X7, X8); \
	MUL(X9, X9); \
	MUL(X10, X10); ADD(X9, X10); \
	MUL(X11, X11); ADD(X10, X11); \
	MUL(X15, X15); SUB(X15, X11); \
	MUL(X8, X8); \
	MUL(X12, X11); SUB(X11, X8); \
	STORE X8, (DI)(BX*4)

#define SSEADD(b, a) ADDSS b, a
#define SSESUB(b, a) SUBSS b, a
#define SSEMUL(b, a) MULSS b, a
#define AVXADD(b, a) VADDSS b, a, a
#define AVXSUB(b, a) VSUBSS b, a, a
#define AVXMUL(b, a) VMULSS b, a, a

LOOP(·sseApart, NOP0, COPIES(APART, MOVUPS, MOVSS, MOVSS, SSEADD, SSESUB, SSEMUL))
LOOP(·sseWithin, NOP0, COPIES(WITHIN, MOVUPS, MOVSS, MOVSS, SSEADD, SSESUB, SSEMUL))
LOOP(·avxApart, NOP0, COPIES(APART, VMOVUPS, VMOVSS, VMOVSS, AVXADD, AVXSUB, AVXMUL))
LOOP(·avxWithin, NOP0, COPIES(WITHIN, VMOVUPS, VMOVSS, VMOVSS, AVXADD, AVXSUB, AVXMUL))

// The first of these, at other places.
#define SHIFTED(name, pad) LOOP(name, pad, COPIES(APART, MOVUPS, MOVSS, MOVSS, SSEADD, SSESUB, SSEMUL))
SHIFTED(·start4, NOP4)
SHIFTED(·start8, NOP8)
SHIFTED(·start12, NOP12)
SHIFTED(·start16, NOP16)
SHIFTED(·start20, NOP20)
SHIFTED(·start24, NOP24)
SHIFTED(·start28, NOP28)
SHIFTED(·start32, NOP32)
SHIFTED(·start36, NOP36)
SHIFTED(·start40, NOP40)
SHIFTED(·start44, NOP44)
SHIFTED(·start48, NOP48)
SHIFTED(·start52, NOP52)
SHIFTED(·start56, NOP56)
SHIFTED(·start60, NOP60)

// Without copies, and with six places for what nothing waits for.
#define UNCOPIED(CENTER) UNCOPIEDAND(CENTER, NOP0, NOP0, NOP0, NOP0, NOP0, NOP0)
#define UNCOPIEDAND(CENTER, one, two, three, four, five, six) \
	VMOVSS (R9)(BX*4), X15; \
	CENTER(AX, X0, X6); \
	CENTER(DX, X1, X7); \
	CENTER(R8, X2, X8); one; \
	VMULSS X3, X3, X12; \
	VMULSS X4, X4, X13; VADDSS X12, X13, X13; \
	VMULSS X5, X5, X12; VADDSS X13, X12, X12; two; \
	VMULSS X3, X6, X9; \
	VMULSS X4, X7, X10; VADDSS X9, X10, X10; three; \
	VMULSS X5, X8, X11; VADDSS X10, X11, X11; \
	VMULSS X6, X6, X6; four; \
	VMULSS X7, X7, X7; VADDSS X6, X7, X7; \
	VMULSS X8, X8, X8; VADDSS X7, X8, X8; five; \
	VMULSS X15, X15, X15; VSUBSS X15, X8, X8; \
	VMULSS X11, X11, X11; six; \
	VMULSS X12, X8, X8; VSUBSS X8, X11, X11; \
	VMOVSS X11, (DI)(BX*4)

#define UNCOPIEDAPART(column, o, to) VMOVSS (column)(BX*4), X12; VSUBSS X12, o, to
#define UNCOPIEDWITHIN(column, o, to) VSUBSS (column)(BX*4), o, to

LOOP(·uncopiedApart, NOP0, UNCOPIED(UNCOPIEDAPART))
LOOP(·uncopiedWithin, NOP0, UNCOPIED(UNCOPIEDWITHIN))

// What nothing waits for: loads into one kind of register or the other, and what does nothing.
#define FLOAT VMOVSS (R10), X14
#define INT MOVL (R10), R11
#define NOTHING BYTE $0x90

#define BESIDE(name, one, two, three, four, five, six) \
	LOOP(name, NOP0, UNCOPIEDAND(UNCOPIEDWITHIN, one, two, three, four, five, six))
#define SIX(name, x) BESIDE(name, x, x, x, x, x, x)
#define TWELVE(name, x) BESIDE(name, x; x, x; x, x; x, x; x, x; x, x; x)
SIX(·floats6, FLOAT)
TWELVE(·floats12, FLOAT)
SIX(·ints6, INT)
TWELVE(·ints12, INT)
SIX(·nops6, NOTHING)
TWELVE(·nops12, NOTHING)
