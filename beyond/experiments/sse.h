// Made from the kernel of a step; see doc.go.

#include "begin.h"
TEXT NAME(SB), NOSPLIT, $64-36
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
	JMP	pairs
pair:
	MOVAPS	COLUMN((R8)(CX*4), X5), X6
	MOVAPS	COLUMN((R9)(CX*4), X5), X7
	MOVAPS	COLUMN((R10)(CX*4), X5), X8
	SUBPS	X0, X6
	SUBPS	X1, X7
	SUBPS	X2, X8
	MOVAPS	COLUMN(16(R8)(CX*4), X5), X11
	MOVAPS	COLUMN(16(R9)(CX*4), X5), X12
	MOVAPS	COLUMN(16(R10)(CX*4), X5), X13
	SUBPS	X0, X11
	SUBPS	X1, X12
	SUBPS	X2, X13
	COPIED(X3, X6, X9, X9)
	COPIED(X4, X7, X10, X10)
	ADDPS	X10, X9
	COPIED(X5, X8, X10, X10)
	ADDPS	X10, X9
	COPIED(X3, X11, X14, X14)
	COPIED(X4, X12, X15, X15)
	ADDPS	X15, X14
	COPIED(X5, X13, X15, X15)
	ADDPS	X15, X14
	MULPS	X6, X6
	MULPS	X7, X7
	ADDPS	X7, X6
	MULPS	X8, X8
	ADDPS	X8, X6
	SUBPS	COLUMN((R11)(CX*4), X5), X6
	MULPS	X11, X11
	MULPS	X12, X12
	ADDPS	X12, X11
	MULPS	X13, X13
	ADDPS	X13, X11
	SUBPS	COLUMN(16(R11)(CX*4), X5), X11
#ifndef STORES
	MOVUPS	X9, (R12)(CX*4)
	MOVUPS	X14, 16(R12)(CX*4)
#endif
	MULPS	X9, X9
	MULPS	X14, X14
	SUBPS	X6, X9
	SUBPS	X11, X14
#ifndef STORES
	MOVUPS	X9, (R13)(CX*4)
	MOVUPS	X14, 16(R13)(CX*4)
#endif
#ifndef MASK
	MOVMSKPS	X9, AX
	MOVMSKPS	X14, BX
	SHLL	$4, BX
	ORL	BX, AX
	XORL	$0xFF, AX
#endif
#ifndef MASK
	SHLQ	CX, AX
	ORQ	AX, DX
#endif
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
	TESTQ	$63, SI
	JZ	second
	MOVQ	DX, (DI)
second:
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
done:
	MOVQ	AX, closest+24(FP)
	MOVSS	X1, t+32(FP)
	RET
#include "end.h"
