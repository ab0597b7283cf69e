//go:build !purego

#include "go_asm.h"
#include "textflag.h"

// func closestSSE(p *firstPass, r *Ray, tMin, tMax float32) (closest int, t float32)
//
// The operands of an instruction are source first, destination last, and most
// instructions combine both into the destination: SUBPS A, B is B = B - A. To
// compare, CMPQ A, B has them in this order and COMISS A, B in the other.
//
// First pass:
//
//	AX        p, then bits of a group: 1 for a candidate
//	BX        r, then bits of the second group
//	CX        index of the next sphere
//	DX        bits of the candidates from the last multiple of 64 on
//	SI        number of spheres, padded
//	DI        where the next 64 bits go
//	R8-R11    cx, cy, cz, radiusSq
//	R12, R13  nb, discriminants
//	X0-X2     origin of the ray, each coordinate four times
//	X3-X5     its direction, with the sign turned
//	X6-X8     ocx, ocy, ocz of four spheres; X11-X13 of the next four
//	X9, X14   nb, then the discriminant
//	X10, X15  a product
//
// Second pass:
//
//	AX        index of the closest sphere so far, or -1
//	BX        index of a candidate
//	CX        index of the first sphere of a word
//	DX        bits of the candidates in the word that are left
//	R8        the next word
//	X0, X1    tMin; distance of the closest hit so far
//	X6, X7    root; nb
//	X8        t
TEXT ·closestSSE(SB), NOSPLIT, $0-36
	MOVQ	p+0(FP), AX
	MOVQ	r+8(FP), BX
	MOVQ	firstPass_cx(AX), R8
	MOVQ	firstPass_cx+8(AX), SI
	MOVQ	firstPass_cy(AX), R9
	MOVQ	firstPass_cz(AX), R10
	MOVQ	firstPass_radiusSq(AX), R11
	MOVQ	firstPass_nb(AX), R12
	MOVQ	firstPass_discriminants(AX), R13
	MOVQ	firstPass_candidates(AX), DI

	// The ray is the same for all spheres: copy each of its numbers to all four
	// places of a register.
	MOVSS	Ray_Origin+Vec3_X(BX), X0
	MOVSS	Ray_Origin+Vec3_Y(BX), X1
	MOVSS	Ray_Origin+Vec3_Z(BX), X2
	MOVSS	Ray_Direction+Vec3_X(BX), X3
	MOVSS	Ray_Direction+Vec3_Y(BX), X4
	MOVSS	Ray_Direction+Vec3_Z(BX), X5
	SHUFPS	$0, X0, X0
	SHUFPS	$0, X1, X1
	SHUFPS	$0, X2, X2
	SHUFPS	$0, X3, X3
	SHUFPS	$0, X4, X4
	SHUFPS	$0, X5, X5

	// Turn the sign of the direction: a column in memory can be subtracted from
	// a register but not the other way round, and (-oc)*d is oc*(-d).
	PCMPEQL	X6, X6
	PSLLL	$31, X6
	XORPS	X6, X3
	XORPS	X6, X4
	XORPS	X6, X5

	// Two groups of four at a time: their sums do not wait for each other.
	XORL	CX, CX
	XORL	DX, DX
	JMP	pairs

pair:
	// oc = origin - center. The columns are aligned, so they can be operands
	// without being loaded first.
	MOVAPS	X0, X6
	MOVAPS	X1, X7
	MOVAPS	X2, X8
	SUBPS	(R8)(CX*4), X6
	SUBPS	(R9)(CX*4), X7
	SUBPS	(R10)(CX*4), X8
	MOVAPS	X0, X11
	MOVAPS	X1, X12
	MOVAPS	X2, X13
	SUBPS	16(R8)(CX*4), X11
	SUBPS	16(R9)(CX*4), X12
	SUBPS	16(R10)(CX*4), X13

	// nb = (ocx*-dx + ocy*-dy) + ocz*-dz
	MOVAPS	X6, X9
	MULPS	X3, X9
	MOVAPS	X7, X10
	MULPS	X4, X10
	ADDPS	X10, X9
	MOVAPS	X8, X10
	MULPS	X5, X10
	ADDPS	X10, X9
	MOVAPS	X11, X14
	MULPS	X3, X14
	MOVAPS	X12, X15
	MULPS	X4, X15
	ADDPS	X15, X14
	MOVAPS	X13, X15
	MULPS	X5, X15
	ADDPS	X15, X14

	// c = ((ocx*ocx + ocy*ocy) + ocz*ocz) - radiusSq, in X6 and X11
	MULPS	X6, X6
	MULPS	X7, X7
	ADDPS	X7, X6
	MULPS	X8, X8
	ADDPS	X8, X6
	SUBPS	(R11)(CX*4), X6
	MULPS	X11, X11
	MULPS	X12, X12
	ADDPS	X12, X11
	MULPS	X13, X13
	ADDPS	X13, X11
	SUBPS	16(R11)(CX*4), X11

	// discriminant = nb*nb - c
	MOVUPS	X9, (R12)(CX*4)
	MOVUPS	X14, 16(R12)(CX*4)
	MULPS	X9, X9
	MULPS	X14, X14
	SUBPS	X6, X9
	SUBPS	X11, X14
	MOVUPS	X9, (R13)(CX*4)
	MOVUPS	X14, 16(R13)(CX*4)

	// MOVMSKPS collects four sign bits. A candidate has a clear one.
	MOVMSKPS	X9, AX
	MOVMSKPS	X14, BX
	SHLL	$4, BX
	ORL	BX, AX
	XORL	$0xFF, AX

	// Put the eight bits in their place among 64. A shift takes only the lowest
	// six bits of CX as its distance.
	SHLQ	CX, AX
	ORQ	AX, DX
	ADDQ	$8, CX
	TESTQ	$63, CX
	JNZ	pairs
	MOVQ	DX, (DI)
	ADDQ	$8, DI
	XORL	DX, DX

pairs:
	CMPQ	CX, SI
	JLT	pair

	// Fewer than 64 bits are left, or none.
	TESTQ	$63, SI
	JZ	second
	MOVQ	DX, (DI)

second:
	MOVSS	tMin+16(FP), X0
	MOVSS	tMax+20(FP), X1
	MOVQ	$-1, AX
	XORL	CX, CX
	CMPQ	SI, $64
	JLT	word // the only one, and it is in DX
	MOVQ	p+0(FP), R8
	MOVQ	firstPass_candidates(R8), R8

load:
	MOVQ	(R8), DX
	ADDQ	$8, R8

word:
	TESTQ	DX, DX
	JZ	next

candidate:
	// The lowest bit that is set is the next candidate. On a processor without
	// TZCNTQ this is BSFQ, which gives the same unless all bits are clear.
	TZCNTQ	DX, BX
	ADDQ	CX, BX

	// t = nb - root, or nb + root if that is not above tMin
	MOVSS	(R13)(BX*4), X6
	SQRTSS	X6, X6
	MOVSS	(R12)(BX*4), X7
	MOVAPS	X7, X8
	SUBSS	X6, X8
	COMISS	X0, X8
	JHI	above
	MOVAPS	X7, X8
	ADDSS	X6, X8
	COMISS	X0, X8
	JLS	miss

above:
	COMISS	X8, X1
	JLS	miss
	MOVAPS	X8, X1
	MOVQ	BX, AX

miss:
	// Clear the bit, and go on while there are others.
	LEAQ	-1(DX), BX
	ANDQ	BX, DX
	JNZ	candidate

next:
	ADDQ	$64, CX
	CMPQ	CX, SI
	JLT	load

	MOVQ	AX, closest+24(FP)
	MOVSS	X1, t+32(FP)
	RET

// POINT draws the next point of the generators in STATE into P: numbers of 24 bits
// in [-1, 1), the coordinates x, y and z and a place that does not count.
#define POINT(STATE, P) \
	MOVO	STATE, X1; \
	PSLLL	$13, X1; \
	PXOR	X1, STATE; \
	MOVO	STATE, X1; \
	PSRLL	$17, X1; \
	PXOR	X1, STATE; \
	MOVO	STATE, X1; \
	PSLLL	$15, X1; \
	PXOR	X1, STATE; \
	MOVO	STATE, P; \
	PAND	X11, P; \
	CVTPL2PS	P, P; \
	MULPS	X12, P; \
	SUBPS	X13, P

// FOUR draws four points, stores them from point FIRST+CX on, and puts their bits
// into BITS. The points are rows; transposed, the coordinates become rows. The
// sign bit of (x*x + y*y) + z*z - 1 is set for a point in the ball.
#define FOUR(STATE, FIRST, BITS) \
	POINT(STATE, X4); \
	POINT(STATE, X5); \
	POINT(STATE, X6); \
	POINT(STATE, X7); \
	MOVAPS	X4, X8; \
	UNPCKLPS	X5, X4; \
	UNPCKHPS	X5, X8; \
	MOVAPS	X6, X9; \
	UNPCKLPS	X7, X6; \
	UNPCKHPS	X7, X9; \
	MOVAPS	X4, X10; \
	MOVLHPS	X6, X4; \
	MOVHLPS	X10, X6; \
	MOVLHPS	X9, X8; \
	MOVUPS	X4, RNG_px+4*FIRST(DI)(CX*4); \
	MOVUPS	X6, RNG_py+4*FIRST(DI)(CX*4); \
	MOVUPS	X8, RNG_pz+4*FIRST(DI)(CX*4); \
	MULPS	X4, X4; \
	MULPS	X6, X6; \
	MULPS	X8, X8; \
	ADDPS	X6, X4; \
	ADDPS	X8, X4; \
	SUBPS	X13, X4; \
	MOVMSKPS	X4, AX; \
	SHLQ	CX, AX; \
	ORQ	AX, BITS

// func drawSSE(r *RNG, middle *[4]uint32)
//
// Two chains of generators, since each number waits for the one before: one draws
// the first half of the points, the other one starts in the middle.
//
//	AX      bits of four points: 1 for one in the ball
//	BX, DX  bits of the second half of the points, and of the first
//	CX      index of the first of the four
//	DI      r
//	X0, X2  states of the three generators at the beginning and in the middle
//	X1      a shifted copy
//	X4-X7   four points; then X4 their x, X6 their y, X8 their z
//	X11     0xFFFFFF, four times
//	X12     1 / 2^23
//	X13     1
TEXT ·drawSSE(SB), NOSPLIT, $0-16
	MOVQ	r+0(FP), DI
	MOVQ	middle+8(FP), AX
	MOVOU	RNG_x(DI), X0
	MOVOU	(AX), X2
	MOVL	$0xFFFFFF, AX
	MOVL	AX, X11
	PSHUFD	$0, X11, X11
	MOVL	$0x34000000, AX
	MOVL	AX, X12
	PSHUFD	$0, X12, X12
	MOVL	$0x3F800000, AX
	MOVL	AX, X13
	PSHUFD	$0, X13, X13
	XORL	BX, BX
	XORL	CX, CX
	XORL	DX, DX

four:
	FOUR(X0, 0, DX)
	FOUR(X2, const_ahead/2, BX)
	ADDL	$4, CX
	CMPL	CX, $const_ahead/2
	JLT	four

	SHLQ	$const_ahead/2, BX
	ORQ	BX, DX
	MOVOU	X2, RNG_x(DI)
	MOVQ	$0, RNG_next(DI)
	MOVQ	DX, RNG_inside(DI)
	RET
