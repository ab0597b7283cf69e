//go:build !purego

#include "go_asm.h"
#include "textflag.h"

// GROUP is the first pass over eight spheres, from index CX + BYTES/4 on. It leaves
// their sign bits in SIGNS: 0 for a candidate. BYTES(R8)(CX*4) is the memory at
// R8 + 4*CX + BYTES.
//
// The operands of an instruction are sources first, destination last, and the
// sources are in the reverse order of Intel's manuals: VSUBPS A, B, C is
// C = B - A. VFMADD231PS A, B, C is C = A*B + C, rounded once; VFNMADD231PS is
// C = -A*B + C, and VFNMSUB231PS C = -A*B - C. A column in memory can be subtracted
// from a register but not the other way round, so the sign of oc is turned.
//
//	oc           = origin - center
//	nb           = -(ocz*dz) - (ocy*dy + ocx*dx), fused
//	c            = ocz*ocz + (ocy*ocy + ocx*ocx), fused; then less radiusSq
//	discriminant = nb*nb - c, not fused
#define GROUP(BYTES, SIGNS) \
	VSUBPS	BYTES(R8)(CX*4), Y0, Y6; \
	VSUBPS	BYTES(R9)(CX*4), Y1, Y7; \
	VSUBPS	BYTES(R10)(CX*4), Y2, Y8; \
	VMULPS	Y3, Y6, Y9; \
	VFNMSUB231PS	Y4, Y7, Y9; \
	VFNMADD231PS	Y5, Y8, Y9; \
	VMULPS	Y6, Y6, Y6; \
	VFMADD231PS	Y7, Y7, Y6; \
	VFMADD231PS	Y8, Y8, Y6; \
	VSUBPS	BYTES(R11)(CX*4), Y6, Y6; \
	VMOVUPS	Y9, BYTES(R12)(CX*4); \
	VMULPS	Y9, Y9, Y9; \
	VSUBPS	Y6, Y9, Y9; \
	VMOVUPS	Y9, BYTES(R13)(CX*4); \
	VMOVMSKPS	Y9, SIGNS

// func runAVX2(h *HitTest, r *Ray)
//
// HitTest_cx is where the field cx lies in a HitTest: go_asm.h, which the go command
// makes, has such names. At HitTest_cx+8 is the length of the slice.
//
//	AX        h, then sign bits, then bits of the candidates
//	BX        r, then the end of two groups, then sign bits
//	CX        index of the next sphere
//	DX        bits of the candidates from the last multiple of 64 on
//	SI        number of spheres, padded
//	DI        where the next 64 bits go
//	R8-R11    cx, cy, cz, radiusSq
//	R12, R13  nb, discriminants
//	Y0-Y2     origin of the ray, each coordinate in all lanes
//	Y3-Y5     its direction
//	Y6-Y8     ocx, ocy, ocz; Y6 then c
//	Y9        nb, then the discriminant
TEXT ·runAVX2(SB), NOSPLIT, $0-16
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
	VBROADCASTSS	Ray_Origin+Vec3_X(BX), Y0
	VBROADCASTSS	Ray_Origin+Vec3_Y(BX), Y1
	VBROADCASTSS	Ray_Origin+Vec3_Z(BX), Y2
	VBROADCASTSS	Ray_Direction+Vec3_X(BX), Y3
	VBROADCASTSS	Ray_Direction+Vec3_Y(BX), Y4
	VBROADCASTSS	Ray_Direction+Vec3_Z(BX), Y5

	XORL	CX, CX
	XORL	DX, DX
	JMP	next

twoGroups:
	GROUP(0, AX)
	GROUP(32, BX)
	SHLL	$8, BX
	ORL	BX, AX
	XORL	$0xFFFF, AX

	// Put the bits in their place in a word: SHLQ shifts by CX modulo 64.
	SHLQ	CX, AX
	ORQ	AX, DX
	ADDQ	$16, CX
	TESTQ	$63, CX
	JNZ	next
	MOVQ	DX, (DI)
	ADDQ	$8, DI
	XORL	DX, DX

next:
	LEAQ	16(CX), BX
	CMPQ	BX, SI
	JLE	twoGroups
	CMPQ	CX, SI
	JGE	last

	// One group is left.
	GROUP(0, AX)
	XORL	$0xFF, AX
	SHLQ	CX, AX
	ORQ	AX, DX

last:
	// Fewer than 64 bits are left, or none.
	TESTQ	$63, SI
	JZ	done
	MOVQ	DX, (DI)

done:
	// Go's own SSE instructions are slow while the upper halves of Y registers are in
	// use. (The lower half of Y0 is X0.)
	VZEROUPPER
	RET
