// The first pass over spheres, two registers of them at a time. Who includes it says what
// NAME, V0 to V15, LANES of a register, BYTES of it, ALL (a bit for each lane of two), BEFORE the loop
// and the operations are.
//
//	AX, BX         bits of the candidates of one register
//	CX, SI         index of the next sphere, and how many there are, a multiple of 2*LANES
//	DX             bits since the last multiple of 64
//	DI             where the next 64 bits go
//	R8-R11         centers and squared radii
//	R12, R13       nb, discriminants
//	V0-V2, V3-V5   origin and direction of the ray
//	V6-V10         oc, nb and what is in between, of one register; V11-V15 of the other

#define GROUP(at, a, b, c, nb, t) \
	FROM(at(R8)(CX*4), V0, a); \
	FROM(at(R9)(CX*4), V1, b); \
	FROM(at(R10)(CX*4), V2, c); \
	TIMES(V3, a, nb); \
	PLUSTIMES(V4, b, nb, t); \
	PLUSTIMES(V5, c, nb, t); \
	SQUARE(a); \
	PLUSSQUARE(b, a); \
	PLUSSQUARE(c, a); \
	LESS(at(R11)(CX*4), a); \
	TIMES(nb, nb, t); \
	LESS(a, t); \
	STORE nb, at(R12)(CX*4); \
	STORE t, at(R13)(CX*4)

TEXT NAME(SB), NOSPLIT, $0-16
	MOVQ	p+0(FP), AX
	MOVQ	r+8(FP), BX
	MOVQ	HitTest_cx(AX), R8
	MOVQ	HitTest_discriminants+8(AX), SI
	MOVQ	HitTest_cy(AX), R9
	MOVQ	HitTest_cz(AX), R10
	MOVQ	HitTest_radiusSq(AX), R11
	MOVQ	HitTest_nb(AX), R12
	MOVQ	HitTest_discriminants(AX), R13
	MOVQ	HitTest_Candidates(AX), DI
	VBROADCASTSS	(const_rayOrigin+0)(BX), V0
	VBROADCASTSS	(const_rayOrigin+4)(BX), V1
	VBROADCASTSS	(const_rayOrigin+8)(BX), V2
	VBROADCASTSS	(const_rayDirection+0)(BX), V3
	VBROADCASTSS	(const_rayDirection+4)(BX), V4
	VBROADCASTSS	(const_rayDirection+8)(BX), V5
	XORL	CX, CX
	XORL	DX, DX
	PCALIGN	$64
	BEFORE
two:
	GROUP(0, V6, V7, V8, V9, V10)
	GROUP(BYTES, V11, V12, V13, V14, V15)
	SIGNS	V10, AX
	SIGNS	V15, BX
	SHLL	$LANES, BX
	ORL	BX, AX
	XORL	$ALL, AX
	SHLQ	CX, AX
	ORQ	AX, DX
	ADDQ	$(2*LANES), CX
	TESTQ	$63, CX
	JNZ	more
	MOVQ	DX, (DI)
	ADDQ	$8, DI
	XORL	DX, DX
more:
	CMPQ	CX, SI
	JLT	two
	MOVQ	DX, (DI)
	VZEROUPPER
	RET
#undef GROUP
#undef NAME
