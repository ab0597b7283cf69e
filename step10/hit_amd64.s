//go:build !purego

#include "go_asm.h"
#include "textflag.h"

// GROUP is the first pass over four spheres, from index CX + BYTES/4 on. It leaves
// their sign bits in SIGNS: 0 for a candidate. BYTES(R8)(CX*4) is the memory at
// R8 + 4*CX + BYTES.
//
// The operands of an instruction are source first, destination last, and most
// instructions combine both into the destination: SUBPS A, B is B = B - A. PS stands
// for four floats and SS for one; A in a move for an address that is a multiple of 16.
//
//	co           = center - origin
//	nb           = (cox*dx + coy*dy) + coz*dz
//	c            = ((cox*cox + coy*coy) + coz*coz) - radiusSq
//	discriminant = nb*nb - c
#define GROUP(BYTES, SIGNS) \
	MOVAPS	BYTES(R8)(CX*4), X6; \
	MOVAPS	BYTES(R9)(CX*4), X7; \
	MOVAPS	BYTES(R10)(CX*4), X8; \
	SUBPS	X0, X6; \
	SUBPS	X1, X7; \
	SUBPS	X2, X8; \
	MOVAPS	X6, X9; \
	MULPS	X3, X9; \
	MOVAPS	X7, X10; \
	MULPS	X4, X10; \
	ADDPS	X10, X9; \
	MOVAPS	X8, X10; \
	MULPS	X5, X10; \
	ADDPS	X10, X9; \
	MULPS	X6, X6; \
	MULPS	X7, X7; \
	ADDPS	X7, X6; \
	MULPS	X8, X8; \
	ADDPS	X8, X6; \
	SUBPS	BYTES(R11)(CX*4), X6; \
	MOVUPS	X9, BYTES(R12)(CX*4); \
	MULPS	X9, X9; \
	SUBPS	X6, X9; \
	MOVUPS	X9, BYTES(R13)(CX*4); \
	MOVMSKPS	X9, SIGNS

// func runSSE(h *HitTest, r *Ray)
//
// HitTest_cx is where the field cx lies in a HitTest: go_asm.h, which the go command
// makes, has such names. At HitTest_cx+8 is the length of the slice.
//
//	AX        h, then sign bits, then bits of the candidates
//	BX        r, then sign bits
//	CX        index of the next sphere
//	DX        bits of the candidates from the last multiple of 64 on
//	SI        number of spheres, padded
//	DI        where the next 64 bits go
//	R8-R11    cx, cy, cz, radiusSq
//	R12, R13  nb, discriminants
//	X0-X2     origin of the ray, each coordinate in all lanes
//	X3-X5     its direction
//	X6-X8     cox, coy, coz; X6 then c
//	X9        nb, then the discriminant
//	X10       a product
TEXT ·runSSE(SB), NOSPLIT, $0-16
	MOVQ	h+0(FP), AX
	MOVQ	r+8(FP), BX
	MOVQ	HitTest_cx(AX), R8
	MOVQ	HitTest_cx+8(AX), SI
	MOVQ	HitTest_cy(AX), R9
	MOVQ	HitTest_cz(AX), R10
	MOVQ	HitTest_radiusSq(AX), R11
	MOVQ	HitTest_nb(AX), R12
	MOVQ	HitTest_discriminants(AX), R13
	MOVQ	HitTest_Candidates(AX), DI

	// The ray is the same for all spheres: copy each of its numbers to all lanes.
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

	XORL	CX, CX
	XORL	DX, DX
	JMP	next

twoGroups:
	GROUP(0, AX)
	GROUP(16, BX)
	SHLL	$4, BX
	ORL	BX, AX
	XORL	$0xFF, AX

	// Put the bits in their place in a word: SHLQ shifts by CX modulo 64.
	SHLQ	CX, AX
	ORQ	AX, DX
	ADDQ	$8, CX
	TESTQ	$63, CX
	JNZ	next
	MOVQ	DX, (DI)
	ADDQ	$8, DI
	XORL	DX, DX

next:
	CMPQ	CX, SI
	JLT	twoGroups

	// Fewer than 64 bits are left, or none.
	TESTQ	$63, SI
	JZ	done
	MOVQ	DX, (DI)

done:
	RET
