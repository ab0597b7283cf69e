// Made from the kernel of a step; see doc.go.

#define GROUP(BYTES, SIGNS) \
	MOVAPS	BYTES(R8)(CX*4), X6; \
	MOVAPS	BYTES(R9)(CX*4), X7; \
	MOVAPS	BYTES(R10)(CX*4), X8; \
	SUBPS	X0, X6; \
	SUBPS	X1, X7; \
	SUBPS	X2, X8; \
	COPIED(X3, X6, X9, X9); \
	COPIED(X4, X7, X10, X10); \
	ADDPS	X10, X9; \
	COPIED(X5, X8, X10, X10); \
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
TEXT NAME(SB), NOSPLIT, $0-16
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
	TESTQ	$63, SI
	JZ	done
	MOVQ	DX, (DI)
done:
	RET
#undef GROUP
#undef NAME
