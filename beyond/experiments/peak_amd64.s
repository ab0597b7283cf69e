//go:build !purego

#include "textflag.h"

// The loops of this package. The operands of an instruction are sources first,
// destination last. Loops begin at a cache line, so that it does not matter where the
// linker puts them.
//
//	AX            memory of 64 bytes, at a multiple of 64
//	BX            what waits for the one before
//	CX            rounds that are left
//	X0-X13        what is written; also Y and Z
//	X14, X15      1 in each lane

#define LOOP(name, ones, body) \
TEXT name(SB), NOSPLIT, $128-8; \
	MOVQ n+0(FP), CX; \
	VZEROALL; \
	MOVL $0x3f800000, AX; \
	VMOVD AX, X15; \
	ones; \
	LEAQ memory-128(SP), AX; \
	ADDQ $63, AX; \
	ANDQ $~63, AX; \
	PCALIGN $64; \
round: \
	body; body; body; body; \
	DECQ CX; \
	JNZ round; \
	VZEROUPPER; \
	RET

// Ones in the fifteenth and sixteenth registers, from X15.
#define YMM VBROADCASTSS X15, Y15; VMOVAPS Y15, Y14
#define ZMM VBROADCASTSS X15, Z15; VMOVAPS Z15, Z14

// What is done with two registers of ones and one to write to.
#define ADD(a, b, r) VADDPS a, b, r
#define MUL(a, b, r) VMULPS a, b, r
#define FMA(a, b, r) VFMADD231PS a, b, r
#define LOAD(a, b, r) VMOVUPS (AX), r

// X(F, G) is F(X14, X15, X0), G(X14, X15, X1) and so on to X13, in turns.
#define X(f, g) PAIRS(f, g, X14, X15, X0, X1, X2, X3, X4, X5, X6, X7, X8, X9, X10, X11, X12, X13)
#define Y(f, g) PAIRS(f, g, Y14, Y15, Y0, Y1, Y2, Y3, Y4, Y5, Y6, Y7, Y8, Y9, Y10, Y11, Y12, Y13)
#define Z(f, g) PAIRS(f, g, Z14, Z15, Z0, Z1, Z2, Z3, Z4, Z5, Z6, Z7, Z8, Z9, Z10, Z11, Z12, Z13)
#define PAIRS(f, g, a, b, r0, r1, r2, r3, r4, r5, r6, r7, r8, r9, r10, r11, r12, r13) \
	f(a, b, r0); g(a, b, r1); f(a, b, r2); g(a, b, r3); f(a, b, r4); g(a, b, r5); f(a, b, r6); \
	g(a, b, r7); f(a, b, r8); g(a, b, r9); f(a, b, r10); g(a, b, r11); f(a, b, r12); g(a, b, r13)

LOOP(·add128, YMM, X(ADD, ADD))
LOOP(·mul128, YMM, X(MUL, MUL))
LOOP(·fma128, YMM, X(FMA, FMA))
LOOP(·addMul128, YMM, X(ADD, MUL))
LOOP(·load128, YMM, X(LOAD, LOAD))

LOOP(·add256, YMM, Y(ADD, ADD))
LOOP(·mul256, YMM, Y(MUL, MUL))
LOOP(·fma256, YMM, Y(FMA, FMA))
LOOP(·addMul256, YMM, Y(ADD, MUL))
LOOP(·load256, YMM, Y(LOAD, LOAD))

LOOP(·add512, ZMM, Z(ADD, ADD))
LOOP(·mul512, ZMM, Z(MUL, MUL))
LOOP(·fma512, ZMM, Z(FMA, FMA))
LOOP(·addMul512, ZMM, Z(ADD, MUL))
LOOP(·load512, ZMM, Z(LOAD, LOAD))

#define NOP7 BYTE $0x90; BYTE $0x90; BYTE $0x90; BYTE $0x90; BYTE $0x90; BYTE $0x90; BYTE $0x90
#define NOP28 NOP7; NOP7; NOP7; NOP7
#define NOP112 NOP28; NOP28; NOP28; NOP28
#define LINK4 ADDQ CX, BX; ADDQ CX, BX; ADDQ CX, BX; ADDQ CX, BX
#define LINK16 LINK4; LINK4; LINK4; LINK4

LOOP(·nop, YMM, NOP112)
LOOP(·chain, YMM, LINK16)

// Sixteen bytes, stored by one store or by four, and loaded at once to be stored again.
#define WHOLE VMOVUPS X0, (AX); VMOVUPS (AX), X0
#define PARTS VMOVSS X0, (AX); VMOVSS X0, 4(AX); VMOVSS X0, 8(AX); VMOVSS X0, 12(AX); VMOVUPS (AX), X0

LOOP(·store16load16, YMM, WHOLE)
LOOP(·store4x4load16, YMM, PARTS)
