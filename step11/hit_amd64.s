//go:build !purego

#include "go_asm.h"
#include "textflag.h"

// func runSSE(p *firstPass, r *Ray) int
//
// The operands of an instruction are source first, destination last, and most
// instructions combine both into the destination: SUBPS A, B is B = B - A. Only
// CMPQ A, B compares A with B.
//
//	AX        p, then bits of a group: 1 for a candidate
//	BX        r, then the index of a candidate
//	CX        number of spheres, padded
//	SI        index of the first sphere of the group
//	R8-R11    cx, cy, cz, radiusSq
//	R12, R13  nb, discriminants
//	DI        where the next candidate goes
//	DX        candidates
//	X0-X2     origin of the ray, each coordinate four times
//	X3-X5     its direction, with the sign turned
//	X6-X8     ocx, ocy, ocz of four spheres
//	X9        nb
//	X10       a product, then the discriminant
TEXT ·runSSE(SB), NOSPLIT, $0-24
	MOVQ	p+0(FP), AX
	MOVQ	r+8(FP), BX
	MOVQ	firstPass_cx(AX), R8
	MOVQ	firstPass_cx+8(AX), CX
	MOVQ	firstPass_cy(AX), R9
	MOVQ	firstPass_cz(AX), R10
	MOVQ	firstPass_radiusSq(AX), R11
	MOVQ	firstPass_nb(AX), R12
	MOVQ	firstPass_discriminants(AX), R13
	MOVQ	firstPass_candidates(AX), DX
	MOVQ	DX, DI

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

	XORL	SI, SI
	CMPQ	SI, CX
	JGE	done

group:
	// oc = origin - center. The columns are aligned, so they can be operands
	// without being loaded first.
	MOVAPS	X0, X6
	MOVAPS	X1, X7
	MOVAPS	X2, X8
	SUBPS	(R8)(SI*4), X6
	SUBPS	(R9)(SI*4), X7
	SUBPS	(R10)(SI*4), X8

	// nb = (ocx*-dx + ocy*-dy) + ocz*-dz
	MOVAPS	X6, X9
	MULPS	X3, X9
	MOVAPS	X7, X10
	MULPS	X4, X10
	ADDPS	X10, X9
	MOVAPS	X8, X10
	MULPS	X5, X10
	ADDPS	X10, X9

	// c = ((ocx*ocx + ocy*ocy) + ocz*ocz) - radiusSq, in X6
	MULPS	X6, X6
	MULPS	X7, X7
	ADDPS	X7, X6
	MULPS	X8, X8
	ADDPS	X8, X6
	SUBPS	(R11)(SI*4), X6

	// discriminant = nb*nb - c
	MOVAPS	X9, X10
	MULPS	X10, X10
	SUBPS	X6, X10

	// MOVMSKPS collects the four sign bits. A candidate has a clear one.
	MOVMSKPS	X10, AX
	XORL	$15, AX
	JNZ	collect

next:
	ADDQ	$4, SI
	CMPQ	SI, CX
	JLT	group

done:
	SUBQ	DX, DI
	SHRQ	$2, DI
	MOVQ	DI, ret+16(FP)
	RET

collect:
	MOVUPS	X9, (R12)(SI*4)
	MOVUPS	X10, (R13)(SI*4)

candidate:
	// The lowest bit that is set is the next candidate: store its index, clear
	// it, and go on while there are bits.
	BSFL	AX, BX
	ADDL	SI, BX
	MOVL	BX, (DI)
	ADDQ	$4, DI
	LEAL	-1(AX), BX
	ANDL	BX, AX
	JNZ	candidate
	JMP	next
