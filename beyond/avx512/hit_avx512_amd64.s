//go:build !purego

#include "go_asm.h"
#include "textflag.h"

// func runAVX512(h *hitTest, r *Ray)
//
// The operands of an instruction are sources first, destination last, and the
// sources are in the reverse order of Intel's manuals: VSUBPS A, B, C is
// C = B - A. VFMADD231PS A, B, C is C = A*B + C, rounded once; VFNMADD231PS is
// C = -A*B + C, and VFNMSUB231PS C = -A*B - C.
//
//	AX        h, then a bit a sphere: 1 for a candidate
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
TEXT ·runAVX512(SB), NOSPLIT, $0-16
	MOVQ	h+0(FP), AX
	MOVQ	r+8(FP), BX
	MOVQ	hitTest_cx+8(AX), SI
	MOVQ	hitTest_cx(AX), R8
	MOVQ	hitTest_cy(AX), R9
	MOVQ	hitTest_cz(AX), R10
	MOVQ	hitTest_radiusSq(AX), R11
	MOVQ	hitTest_nb(AX), R12
	MOVQ	hitTest_discriminants(AX), R13
	MOVQ	hitTest_candidates(AX), DI

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
	JZ	done
	MOVQ	DX, (DI)

done:
	// Go's own SSE instructions are slow while the upper parts are in use.
	VZEROUPPER
	RET
