//go:build !purego

#include "go_asm.h"
#include "textflag.h"

// The margin is at most this part of the reach.
DATA margin<>(SB)/4, $0x3B000000 // 2^-9
GLOBL margin<>(SB), RODATA|NOPTR, $4

// func meetAVX2(n *wideNode, l *line, tMax float32, near *[8]float32) uint32
//
// Operands are sources first, destination last: VSUBPS A, B, C is C = B - A.
// VMAXPS A, B, C is C = B if B > A, and else A, also if one of them is NaN. So
// NaN is lost here, and in the end a box is met in spite of it, or as if that
// coordinate were not there.
//
//	AX        n
//	BX        l
//	DX        near
//	Y0-Y2     origin - center, in each coordinate
//	Y3-Y5     sizes, then half of how long the ray is between two planes
//	Y6        reach, then margin
//	Y7-Y9     absolute values, then where the ray is level with the center
//	Y10, Y11  near, far
//	Y12-Y14   inverse
//	Y15       all bits but the sign
TEXT ·meetAVX2(SB), NOSPLIT, $0-36
	MOVQ	n+0(FP), AX
	MOVQ	l+8(FP), BX
	MOVQ	near+24(FP), DX

	VBROADCASTSS	line_origin+Vec3_X(BX), Y0
	VBROADCASTSS	line_origin+Vec3_Y(BX), Y1
	VBROADCASTSS	line_origin+Vec3_Z(BX), Y2
	VBROADCASTSS	line_inverse+Vec3_X(BX), Y12
	VBROADCASTSS	line_inverse+Vec3_Y(BX), Y13
	VBROADCASTSS	line_inverse+Vec3_Z(BX), Y14
	VPCMPEQD	Y15, Y15, Y15
	VPSRLD	$1, Y15, Y15

	VSUBPS	wideNode_cx(AX), Y0, Y0
	VSUBPS	wideNode_cy(AX), Y1, Y1
	VSUBPS	wideNode_cz(AX), Y2, Y2
	VMOVUPS	wideNode_sx(AX), Y3
	VMOVUPS	wideNode_sy(AX), Y4
	VMOVUPS	wideNode_sz(AX), Y5

	// reach = (|x| + sx) + (|y| + sy) + (|z| + sz)
	VANDPS	Y15, Y0, Y7
	VANDPS	Y15, Y1, Y8
	VANDPS	Y15, Y2, Y9
	VADDPS	Y3, Y7, Y7
	VADDPS	Y4, Y8, Y8
	VADDPS	Y5, Y9, Y9
	VADDPS	Y8, Y7, Y6
	VADDPS	Y9, Y6, Y6

	// margin = reach * min(slack*reach, 2^-9)
	VMULPS	wideNode_slack(AX), Y6, Y10
	VBROADCASTSS	margin<>(SB), Y11
	VMINPS	Y11, Y10, Y10
	VMULPS	Y10, Y6, Y6

	// Half of how long the ray is between the planes: (s + margin) * |inverse|
	VADDPS	Y6, Y3, Y3
	VADDPS	Y6, Y4, Y4
	VADDPS	Y6, Y5, Y5
	VMULPS	Y12, Y0, Y7
	VMULPS	Y13, Y1, Y8
	VMULPS	Y14, Y2, Y9
	VANDPS	Y15, Y12, Y12
	VANDPS	Y15, Y13, Y13
	VANDPS	Y15, Y14, Y14
	VMULPS	Y12, Y3, Y3
	VMULPS	Y13, Y4, Y4
	VMULPS	Y14, Y5, Y5

	// The last plane that it enters by, and the first that it leaves by.
	VSUBPS	Y3, Y7, Y10
	VSUBPS	Y4, Y8, Y0
	VSUBPS	Y5, Y9, Y1
	VADDPS	Y3, Y7, Y11
	VADDPS	Y4, Y8, Y2
	VADDPS	Y5, Y9, Y6
	VMAXPS	Y0, Y10, Y10
	VMINPS	Y2, Y11, Y11
	VMAXPS	Y1, Y10, Y10
	VMINPS	Y6, Y11, Y11
	VXORPS	Y0, Y0, Y0
	VBROADCASTSS	tMax+16(FP), Y2
	VMAXPS	Y0, Y10, Y10
	VMINPS	Y2, Y11, Y11
	VMOVUPS	Y10, (DX)

	// A bit is set unless near > far.
	VCMPPS	$0x1E, Y11, Y10, Y10
	VMOVMSKPS	Y10, AX
	XORL	$0xFF, AX
	MOVL	AX, ret+32(FP)

	// See closestAVX2.
	VZEROUPPER
	RET
