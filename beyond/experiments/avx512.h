// Made from the kernel of a step; see doc.go.

#include "begin.h"
TEXT NAME(SB), NOSPLIT, $0-36
	MOVQ	p+0(FP), AX
	MOVQ	r+8(FP), BX
	MOVQ	firstPass_cx+8(AX), SI
	MOVQ	firstPass_cx(AX), R8
	MOVQ	firstPass_cy(AX), R9
	MOVQ	firstPass_cz(AX), R10
	MOVQ	firstPass_radiusSq(AX), R11
	MOVQ	firstPass_nb(AX), R12
	MOVQ	firstPass_discriminants(AX), R13
	MOVQ	firstPass_candidates(AX), DI
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
	VSUBPS	COLUMN((R8)(CX*4), Z5), Z0, Z7
	VSUBPS	COLUMN((R9)(CX*4), Z5), Z1, Z8
	VSUBPS	COLUMN((R10)(CX*4), Z5), Z2, Z9
	VMULPS	Z3, Z7, Z10
	VMULPS	Z7, Z7, Z11
	VFNMSUB231PS	Z4, Z8, Z10
	VFMADD231PS	Z8, Z8, Z11
	VFNMADD231PS	Z5, Z9, Z10
	VFMADD231PS	Z9, Z9, Z11
	VSUBPS	COLUMN((R11)(CX*4), Z5), Z11, Z11
	VMULPS	Z10, Z10, Z12
	VSUBPS	Z11, Z12, Z12
#ifndef STORES
	VMOVUPS	Z10, (R12)(CX*4)
	VMOVUPS	Z12, (R13)(CX*4)
#endif
#ifndef MASK
	VPTESTNMD	Z6, Z12, K1
	KMOVW	K1, AX
#endif
#ifndef MASK
	SHLQ	CX, AX
	ORQ	AX, DX
#endif
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
	TESTQ	$63, SI
	JZ	second
	MOVQ	DX, (DI)
second:
	VZEROUPPER
	MOVSS	tMin+16(FP), X0
	MOVSS	tMax+20(FP), X1
	MOVQ	$-1, AX
#ifndef NOTHING
	MOVQ	AX, closest+24(FP)
	MOVSS	X1, t+32(FP)
	RET
#endif
	XORL	CX, CX
	CMPQ	SI, $64
	JLT	word
	MOVQ	p+0(FP), R8
	MOVQ	firstPass_candidates(R8), R8
load:
	MOVQ	(R8), DX
	ADDQ	$8, R8
word:
	TESTQ	DX, DX
	JZ	next
candidate:
	TZCNTQ	DX, BX
	ADDQ	CX, BX
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
#include "end.h"
