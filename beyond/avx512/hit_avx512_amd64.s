//go:build !purego

#include "go_asm.h"
#include "textflag.h"

// func closestAVX512(p *firstPass, r *Ray, tMin, tMax float32) (closest int, t float32)
//
// The operands of an instruction are sources first, destination last, and the
// sources are in the reverse order of Intel's manuals: VSUBPS A, B, C is
// C = B - A. VFMADD231PS A, B, C is C = A*B + C, rounded once; VFNMADD231PS is
// C = -A*B + C, and VFNMSUB231PS C = -A*B - C. To compare, CMPQ A, B has them in
// this order and COMISS A, B in the other.
//
// First pass:
//
//	AX        p, then a bit a sphere: 1 for a candidate
//	BX        r, then the end of the next sixteen
//	CX        index of the next sphere
//	DX        bits of the candidates from the last multiple of 64 on
//	SI        number of spheres, padded
//	DI        where the next 64 bits go
//	R8-R11    cx, cy, cz, radiusSq
//	R12, R13  nb, discriminants
//	Z0-Z2     origin of the ray, each coordinate sixteen times
//	Z3-Z5     its direction
//	Z6        the bit of the sign, sixteen times
//	Z7-Z9     ocx, ocy, ocz of sixteen spheres
//	Z10       nb
//	Z11       c
//	Z12       discriminant
//	K1        a bit a sphere: 1 for a candidate
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
TEXT ·closestAVX512(SB), NOSPLIT, $0-36
	CMPB	·hasAVX512(SB), $0
	JEQ	narrower
	MOVQ	p+0(FP), AX
	MOVQ	r+8(FP), BX
	MOVQ	firstPass_cx+8(AX), SI
	CMPQ	SI, $const_wideFrom
	JLT	narrower
	MOVQ	firstPass_cx(AX), R8
	MOVQ	firstPass_cy(AX), R9
	MOVQ	firstPass_cz(AX), R10
	MOVQ	firstPass_radiusSq(AX), R11
	MOVQ	firstPass_nb(AX), R12
	MOVQ	firstPass_discriminants(AX), R13
	MOVQ	firstPass_candidates(AX), DI

	// The ray is the same for all spheres: copy each of its numbers to all
	// sixteen places of a register.
	VBROADCASTSS	const_rayOrigin+0(BX), Z0
	VBROADCASTSS	const_rayOrigin+4(BX), Z1
	VBROADCASTSS	const_rayOrigin+8(BX), Z2
	VBROADCASTSS	const_rayDirection+0(BX), Z3
	VBROADCASTSS	const_rayDirection+4(BX), Z4
	VBROADCASTSS	const_rayDirection+8(BX), Z5

	MOVL	$0x80000000, AX
	VPBROADCASTD	AX, Z6

	XORL	CX, CX
	XORL	DX, DX
	JMP	groups

group:
	// oc = origin - center
	VSUBPS	(R8)(CX*4), Z0, Z7
	VSUBPS	(R9)(CX*4), Z1, Z8
	VSUBPS	(R10)(CX*4), Z2, Z9

	// nb = -(ocz*dz) - (ocy*dy + ocx*dx), fused: a column in memory can be
	// subtracted from a register but not the other way round, so oc is here what
	// has its sign turned.
	// c = ocz*ocz + (ocy*ocy + ocx*ocx), fused; then less radiusSq
	VMULPS	Z3, Z7, Z10
	VMULPS	Z7, Z7, Z11
	VFNMSUB231PS	Z4, Z8, Z10
	VFMADD231PS	Z8, Z8, Z11
	VFNMADD231PS	Z5, Z9, Z10
	VFMADD231PS	Z9, Z9, Z11
	VSUBPS	(R11)(CX*4), Z11, Z11

	// discriminant = nb*nb - c, not fused
	VMULPS	Z10, Z10, Z12
	VSUBPS	Z11, Z12, Z12

	VMOVUPS	Z10, (R12)(CX*4)
	VMOVUPS	Z12, (R13)(CX*4)

	// VPTESTNMD combines two registers with "and" and sets the bits of a mask
	// where the result is 0: where the sign bit is clear, as a candidate's is.
	VPTESTNMD	Z6, Z12, K1
	KMOVW	K1, AX

	// Put the sixteen bits in their place among 64. A shift takes only the
	// lowest six bits of CX as its distance.
	SHLQ	CX, AX
	ORQ	AX, DX
	ADDQ	$16, CX
	TESTQ	$63, CX
	JNZ	groups
	MOVQ	DX, (DI)
	ADDQ	$8, DI
	XORL	DX, DX

groups:
	LEAQ	16(CX), BX
	CMPQ	BX, SI
	JLE	group

	// The same for eight that are left.
	CMPQ	CX, SI
	JGE	last
	VSUBPS	(R8)(CX*4), Y0, Y7
	VSUBPS	(R9)(CX*4), Y1, Y8
	VSUBPS	(R10)(CX*4), Y2, Y9
	VMULPS	Y3, Y7, Y10
	VMULPS	Y7, Y7, Y11
	VFNMSUB231PS	Y4, Y8, Y10
	VFMADD231PS	Y8, Y8, Y11
	VFNMADD231PS	Y5, Y9, Y10
	VFMADD231PS	Y9, Y9, Y11
	VSUBPS	(R11)(CX*4), Y11, Y11
	VMULPS	Y10, Y10, Y12
	VSUBPS	Y11, Y12, Y12
	VMOVUPS	Y10, (R12)(CX*4)
	VMOVUPS	Y12, (R13)(CX*4)
	VMOVMSKPS	Y12, AX
	XORL	$0xFF, AX
	SHLQ	CX, AX
	ORQ	AX, DX

last:
	// Fewer than 64 bits are left, or none.
	TESTQ	$63, SI
	JZ	second
	MOVQ	DX, (DI)

second:
	// From here on as with SSE: the SSE instructions of this pass, and those that
	// Go emits, are slow while the upper halves of the registers are in use.
	VZEROUPPER
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

narrower:
	// Its arguments and results have the same places.
	JMP	raysteps∕step12·closestAVX2(SB)
