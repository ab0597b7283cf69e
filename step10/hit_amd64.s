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
//	X3-X5     its direction
//	X6-X8     cox, coy, coz of four spheres; X11-X13 of the next four
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
TEXT ·closestSSE(SB), NOSPLIT, $64-36
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

	// Two groups of four at a time: their sums do not wait for each other.
	XORL	CX, CX
	XORL	DX, DX
	JMP	pairs

pair:
	// co = center - origin
	MOVAPS	(R8)(CX*4), X6
	MOVAPS	(R9)(CX*4), X7
	MOVAPS	(R10)(CX*4), X8
	SUBPS	X0, X6
	SUBPS	X1, X7
	SUBPS	X2, X8
	MOVAPS	16(R8)(CX*4), X11
	MOVAPS	16(R9)(CX*4), X12
	MOVAPS	16(R10)(CX*4), X13
	SUBPS	X0, X11
	SUBPS	X1, X12
	SUBPS	X2, X13

	// nb = (cox*dx + coy*dy) + coz*dz
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

	// c = ((cox*cox + coy*coy) + coz*coz) - radiusSq, in X6 and X11
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

	CMPQ	SI, $8
	JEQ	few

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

done:
	MOVQ	AX, closest+24(FP)
	MOVSS	X1, t+32(FP)
	RET

few:
	// Two groups, so no more than eight spheres: solve all equations at once. The
	// roots do not wait for the bits. With more spheres they would take longer than
	// all the rest of a turn.
	MOVQ	DX, (DI)
	SQRTPS	X9, X6
	SQRTPS	X14, X7
	MOVUPS	(R12), X9
	MOVUPS	16(R12), X14
	MOVAPS	X9, X10
	MOVAPS	X14, X15
	SUBPS	X6, X9
	SUBPS	X7, X14
	ADDPS	X6, X10
	ADDPS	X7, X15
	MOVUPS	X9, near-64(SP)
	MOVUPS	X14, near-48(SP)
	MOVUPS	X10, far-32(SP)
	MOVUPS	X15, far-16(SP)
	MOVSS	tMin+16(FP), X0
	MOVSS	tMax+20(FP), X1
	MOVQ	$-1, AX
	TESTQ	DX, DX
	JZ	done

fewCandidate:
	TZCNTQ	DX, BX
	MOVSS	near-64(SP)(BX*4), X8
	COMISS	X0, X8
	JHI	fewAbove
	MOVSS	far-32(SP)(BX*4), X8
	COMISS	X0, X8
	JLS	fewMiss

fewAbove:
	COMISS	X8, X1
	JLS	fewMiss
	MOVAPS	X8, X1
	MOVQ	BX, AX

fewMiss:
	LEAQ	-1(DX), BX
	ANDQ	BX, DX
	JNZ	fewCandidate
	JMP	done
