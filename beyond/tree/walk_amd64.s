//go:build !purego

#include "go_asm.h"
#include "textflag.h"

// Operands are sources first, destination last: VSUBPS A, B, C is C = B - A,
// and VFMADD213PS A, B, C is C = B*C + A, rounded once. CMPL A, B has them in
// this order.

DATA constants<>+0(SB)/4, $0x3B000000  // spread, 2^-9
DATA constants<>+4(SB)/4, $0x34800000  // nudge, 2^-22
DATA constants<>+8(SB)/4, $0x3F800000  // 1
DATA constants<>+12(SB)/4, $0x219392EF // 1e-18
DATA constants<>+16(SB)/4, $0xFFFFFFF0 // all but the four bits of a lane
DATA constants<>+20(SB)/4, $0x7F800000 // infinity
GLOBL constants<>(SB), RODATA|NOPTR, $24

// The numbers of the lanes, as bytes.
DATA lanes<>+0(SB)/8, $0x0706050403020100
DATA lanes<>+8(SB)/8, $0x0F0E0D0C0B0A0908
GLOBL lanes<>(SB), RODATA|NOPTR, $16

// SPREAD puts three numbers into all lanes of a register each.
#define SPREAD(OFFSET, BASE, A, B, C) \
	VBROADCASTSS	OFFSET+0(BASE), A; \
	VBROADCASTSS	OFFSET+4(BASE), B; \
	VBROADCASTSS	OFFSET+8(BASE), C

// LEAST leaves the least of four integers in the first lane of X. It finds the
// least of numbers that are not negative, too, whose bits are in the same order.
#define LEAST(X, SCRATCH) \
	VPSHUFD	$0x4E, X, SCRATCH; \
	VPMINUD	SCRATCH, X, X; \
	VPSHUFD	$0xB1, X, SCRATCH; \
	VPMINUD	SCRATCH, X, X

// PLANES finds out by which planes a ray enters a box and leaves it, along the axis
// whose sign is in BIT of CX: where they are in a node.
#define PLANES(BIT, SIZE, NEAR, FAR) \
	MOVL	CX, NEAR; \
	ANDL	$BIT, NEAR; \
	IMULQ	$SIZE, NEAR; \
	MOVL	$192, FAR; \
	SUBQ	NEAR, FAR

// LINE is newLine for the ray at DX, with all three coordinates at once; a
// fourth one does not count. It leaves near in X11, nearAt in X8, far in X12 and
// farAt in X10, and all of them at the bottom of the frame. R8 to R10 are where the
// planes by which the ray enters a box start in a node, for each coordinate, and R11
// to R13 those by which it leaves.
#define LINE \
	VMOVSS	Ray_Direction+Vec3_X(DX), X1; \
	VINSERTPS	$0x10, Ray_Direction+Vec3_Y(DX), X1, X1; \
	VINSERTPS	$0x20, Ray_Direction+Vec3_Z(DX), X1, X1; \
	VMOVSS	Ray_Origin+Vec3_X(DX), X0; \
	VINSERTPS	$0x10, Ray_Origin+Vec3_Y(DX), X0, X0; \
	VINSERTPS	$0x20, Ray_Origin+Vec3_Z(DX), X0, X0; \
	VPCMPEQD	X2, X2, X2; \
	VPSLLD	$31, X2, X2; \
	VANDNPS	X1, X2, X3; \
	VANDPS	X1, X2, X4; \
	VANDNPS	X0, X2, X6; \
	VBROADCASTSS	constants<>+0(SB), X5; \
	VCMPPS	$0x1E, X5, X3, X9; \
	VPERMILPS	$0x4E, X6, X7; \
	VADDPS	X6, X7, X7; \
	VPERMILPS	$0xB1, X7, X8; \
	VADDPS	X8, X7, X7; \
	VBROADCASTSS	search_reach(BX), X8; \
	VADDPS	X8, X7, X7; \
	VMULPS	X5, X7, X7; \
	VANDNPS	X7, X9, X7; \
	VBROADCASTSS	constants<>+4(SB), X8; \
	VMULPS	X8, X6, X6; \
	VADDPS	X7, X6, X6; \
	VORPS	X4, X6, X6; \
	VADDPS	X6, X0, X8; \
	VSUBPS	X6, X0, X10; \
	VANDPS	X9, X5, X5; \
	VBROADCASTSS	constants<>+12(SB), X7; \
	VMAXPS	X7, X3, X3; \
	VADDPS	X5, X3, X11; \
	VSUBPS	X5, X3, X12; \
	VBROADCASTSS	constants<>+8(SB), X13; \
	VDIVPS	X11, X13, X11; \
	VDIVPS	X12, X13, X12; \
	VORPS	X4, X11, X11; \
	VORPS	X4, X12, X12; \
	VMULPS	X11, X8, X8; \
	VMULPS	X12, X10, X10; \
	VXORPS	X2, X8, X8; \
	VXORPS	X2, X10, X10; \
	VMOVMSKPS	X1, CX; \
	PLANES(1, 192, R8, R11); \
	PLANES(2, 96, R9, R12); \
	PLANES(4, 48, R10, R13); \
	VMOVUPS	X11, 0(SP); \
	VMOVUPS	X8, 16(SP); \
	VMOVUPS	X12, 32(SP); \
	VMOVUPS	X10, 48(SP)

// POP goes on with what is on the stack and may hold a closer hit.
#define POP \
pop: \
	SUBL	$1, R14; \
	JLT	done; \
	MOVL	search_keys(BX)(R14*4), AX; \
	CMPL	AX, SI; \
	JGT	pop; \
	MOVL	search_refs(BX)(R14*4), AX; \
	TESTL	AX, AX; \
	JLT	leaf

// END is what follows: of two spheres at one distance the first of the scene
// counts.
#define END \
tie: \
	TESTL	R15, R15; \
	JLT	pop; \
	MOVQ	search_sceneIndex(BX), DX; \
	MOVL	(DX)(R15*4), CX; \
	CMPL	CX, (DX)(AX*4); \
	JLE	pop; \
	MOVL	AX, R15; \
	JMP	pop; \
done: \
	MOVL	SI, search_tMax(BX); \
	MOVL	R15, search_found(BX); \
	VZEROUPPER; \
	RET

// BOXES tests eight boxes of the node at DX, from byte FIRST of a column on. It
// leaves in KEYS how far away each is, with its lane in the lowest bits, and all
// bits where the ray does not meet it; and a bit a box in MET.
#define BOXES(FIRST, KEYS, MET) \
	VMOVUPS	FIRST+0(DX)(R8*1), Y0; \
	VMOVUPS	FIRST+64(DX)(R9*1), Y1; \
	VMOVUPS	FIRST+128(DX)(R10*1), Y2; \
	VMOVUPS	FIRST+0(DX)(R11*1), Y3; \
	VMOVUPS	FIRST+64(DX)(R12*1), Y4; \
	VMOVUPS	FIRST+128(DX)(R13*1), Y5; \
	VFMADD213PS	64(SP), Y6, Y0; \
	VFMADD213PS	96(SP), Y7, Y1; \
	VFMADD213PS	128(SP), Y8, Y2; \
	VFMADD213PS	160(SP), Y9, Y3; \
	VFMADD213PS	192(SP), Y10, Y4; \
	VFMADD213PS	224(SP), Y11, Y5; \
	VMAXPS	Y1, Y0, Y0; \
	VXORPS	Y1, Y1, Y1; \
	VMAXPS	Y2, Y1, Y2; \
	VMINPS	Y4, Y3, Y3; \
	VMINPS	Y5, Y15, Y5; \
	VMAXPS	Y2, Y0, Y0; \
	VMINPS	Y5, Y3, Y3; \
	VCMPPS	$0x16, Y3, Y0, Y3; \
	VBROADCASTSS	constants<>+16(SB), Y1; \
	VANDPS	Y1, Y0, Y0; \
	VPMOVZXBD	lanes<>+FIRST/4(SB), Y1; \
	VORPS	Y1, Y0, Y0; \
	VORPS	Y3, Y0, KEYS; \
	VMOVMSKPS	Y3, MET

// SPHERES tests eight spheres of the group at DX, from byte FIRST of a column on.
// It leaves their distances in T, that of infinity where there is no hit, and
// takes Y0 to Y5.
#define SPHERES(FIRST, T) \
	VBROADCASTSS	Ray_Origin+Vec3_X(CX), Y0; \
	VBROADCASTSS	Ray_Origin+Vec3_Y(CX), Y1; \
	VBROADCASTSS	Ray_Origin+Vec3_Z(CX), Y2; \
	VSUBPS	group_cx+FIRST(DX), Y0, Y0; \
	VSUBPS	group_cy+FIRST(DX), Y1, Y1; \
	VSUBPS	group_cz+FIRST(DX), Y2, Y2; \
	VBROADCASTSS	Ray_Direction+Vec3_X(CX), Y3; \
	VMULPS	Y3, Y0, Y3; \
	VMULPS	Y0, Y0, Y4; \
	VBROADCASTSS	Ray_Direction+Vec3_Y(CX), Y5; \
	VFNMSUB231PS	Y5, Y1, Y3; \
	VFMADD231PS	Y1, Y1, Y4; \
	VBROADCASTSS	Ray_Direction+Vec3_Z(CX), Y5; \
	VFNMADD231PS	Y5, Y2, Y3; \
	VFMADD231PS	Y2, Y2, Y4; \
	VSUBPS	group_radiusSq+FIRST(DX), Y4, Y4; \
	VMULPS	Y3, Y3, Y5; \
	VSUBPS	Y4, Y5, Y5; \
	VSQRTPS	Y5, Y5; \
	VSUBPS	Y5, Y3, Y0; \
	VADDPS	Y5, Y3, Y1; \
	VCMPPS	$0x1E, Y14, Y0, Y2; \
	VBLENDVPS	Y2, Y0, Y1, Y0; \
	VCMPPS	$0x1E, Y14, Y0, Y2; \
	VCMPPS	$0x12, Y15, Y0, Y3; \
	VANDPS	Y3, Y2, Y2; \
	VBROADCASTSS	constants<>+20(SB), Y1; \
	VBLENDVPS	Y2, Y0, Y1, T

// SIXTEEN finds nb in Z3 and the discriminant in Z5 for the spheres of a group.
#define SIXTEEN(GROUP) \
	VSUBPS	group_cx(GROUP), Z24, Z0; \
	VSUBPS	group_cy(GROUP), Z25, Z1; \
	VSUBPS	group_cz(GROUP), Z26, Z2; \
	VMULPS	Z27, Z0, Z3; \
	VMULPS	Z0, Z0, Z4; \
	VFNMSUB231PS	Z28, Z1, Z3; \
	VFMADD231PS	Z1, Z1, Z4; \
	VFNMADD231PS	Z29, Z2, Z3; \
	VFMADD231PS	Z2, Z2, Z4; \
	VSUBPS	group_radiusSq(GROUP), Z4, Z4; \
	VMULPS	Z3, Z3, Z5; \
	VSUBPS	Z4, Z5, Z5

// func walkAVX512(s *search, r *Ray, tMin float32)
//
//	AX        where the node starts, or the complement of where the group does
//	BX        s
//	CX        a bit a lane: 1 for a box that the ray meets, or a hit
//	DX        address of the node or the group
//	SI        distance of the closest hit so far, as bits
//	DI        nodes
//	R8-R13    as LINE says
//	R14       length of the stack
//	R15       lane of the closest hit so far, or -1
//	Z9-Z11    0; number of each lane; all bits but those of a lane
//	Z12-Z14   near, in each coordinate
//	Z15-Z17   nearAt
//	Z18-Z20   far
//	Z21-Z23   farAt
//	Z24-Z26   origin of the ray
//	Z27-Z29   its direction
//	Z30, Z31  distance of the closest hit so far; tMin
TEXT ·walkAVX512(SB), NOSPLIT, $64-20
	MOVQ	s+0(FP), BX
	MOVQ	r+8(FP), DX
	LINE
	SPREAD(0, SP, Z12, Z13, Z14)
	SPREAD(16, SP, Z15, Z16, Z17)
	SPREAD(32, SP, Z18, Z19, Z20)
	SPREAD(48, SP, Z21, Z22, Z23)
	SPREAD(Ray_Origin, DX, Z24, Z25, Z26)
	SPREAD(Ray_Direction, DX, Z27, Z28, Z29)
	VBROADCASTSS	tMin+16(FP), Z31
	VPXORD	Z9, Z9, Z9
	VPMOVZXBD	lanes<>(SB), Z10
	VPBROADCASTD	constants<>+16(SB), Z11
	MOVQ	search_nodes(BX), DI
	XORL	R14, R14

	// large
	MOVQ	search_groups(BX), CX
	SIXTEEN(CX)
	VBROADCASTSS	search_tMax(BX), X6
	VSQRTPS	X5, X5
	VSUBPS	X5, X3, X0
	VADDPS	X5, X3, X1
	VCMPPS	$0x1E, X31, X0, K1
	VBLENDMPS	X0, X1, K1, X0
	VCMPPS	$0x1E, X31, X0, K1
	VCMPPS	$0x11, X6, X0, K1, K1
	VBLENDMPS	X0, X6, K1, X1
	LEAST(X1, X2)
	VBROADCASTSS	X1, Z30
	VMOVD	X1, SI
	VCMPPS	$0, X1, X0, K1, K1
	KMOVW	K1, CX
	MOVL	$-1, R15
	TZCNTL	CX, AX
	CMOVLCC	AX, R15
	XORL	AX, AX
	JMP	node

leaf:
	NOTL	AX
	MOVQ	search_groups(BX), DX
	ADDQ	AX, DX
	INCQ	search_groupVisits(BX)
	SIXTEEN(DX)
	VPMOVD2M	Z5, K1
	KORTESTW	K1, K1
	JCS	pop
	VSQRTPS	Z5, Z5
	VSUBPS	Z5, Z3, Z0
	VADDPS	Z5, Z3, Z1
	VCMPPS	$0x1E, Z31, Z0, K1
	VBLENDMPS	Z0, Z1, K1, Z0
	VCMPPS	$0x1E, Z31, Z0, K1
	VCMPPS	$0x12, Z30, Z0, K1, K1
	KMOVW	K1, CX
	TESTL	CX, CX
	JZ	pop
	BLSRL	CX, DX
	JNZ	hits
	VCOMPRESSPS.Z	Z0, K1, Z0

hit:
	TZCNTL	CX, CX
	VMOVD	X0, DX
	SHRL	$4, AX
	ADDL	CX, AX
	CMPL	DX, SI
	JEQ	tie
	MOVL	DX, SI
	VBROADCASTSS	X0, Z30
	MOVL	AX, R15

	POP

node:
	LEAQ	(DI)(AX*1), DX
	INCQ	search_nodeVisits(BX)
	VMOVUPS	(DX)(R8*1), Z0
	VMOVUPS	64(DX)(R9*1), Z1
	VMOVUPS	128(DX)(R10*1), Z2
	VMOVUPS	(DX)(R11*1), Z3
	VMOVUPS	64(DX)(R12*1), Z4
	VMOVUPS	128(DX)(R13*1), Z5
	VFMADD213PS	Z15, Z12, Z0
	VFMADD213PS	Z16, Z13, Z1
	VFMADD213PS	Z17, Z14, Z2
	VFMADD213PS	Z21, Z18, Z3
	VFMADD213PS	Z22, Z19, Z4
	VFMADD213PS	Z23, Z20, Z5
	VMAXPS	Z1, Z0, Z0
	VMAXPS	Z2, Z9, Z2
	VMINPS	Z4, Z3, Z3
	VMINPS	Z5, Z30, Z5
	VMAXPS	Z2, Z0, Z0
	VMINPS	Z5, Z3, Z3
	VCMPPS	$0x12, Z3, Z0, K1
	KMOVW	K1, CX
	TESTL	CX, CX
	JZ	pop
	BLSRL	CX, AX
	JNZ	several
	TZCNTL	CX, CX
	MOVL	node_refs(DX)(CX*4), AX
	TESTL	AX, AX
	JGE	node
	JMP	leaf

several:
	VPTERNLOGD	$0xEA, Z10, Z11, Z0
	VPBLENDMD	Z0, Z11, K1, Z3
	VMOVDQU32	node_refs(DX), Z1
	VEXTRACTI64X4	$1, Z3, Y4
	VPMINUD	Y4, Y3, Y3
	VEXTRACTI128	$1, Y3, X4
	VPMINUD	X4, X3, X3
	LEAST(X3, X4)
	VMOVD	X3, AX
	ANDL	$15, AX
	BTRL	AX, CX
	KMOVW	CX, K1
	MOVL	node_refs(DX)(AX*4), AX
	VPCOMPRESSD.Z	Z0, K1, Z0
	VPCOMPRESSD.Z	Z1, K1, Z1
	VMOVDQU32	Z0, search_keys(BX)(R14*4)
	VMOVDQU32	Z1, search_refs(BX)(R14*4)
	POPCNTL	CX, CX
	ADDL	CX, R14
	TESTL	AX, AX
	JGE	node
	JMP	leaf

hits:
	VBLENDMPS	Z0, Z30, K1, Z1
	VEXTRACTF64X4	$1, Z1, Y2
	VMINPS	Y2, Y1, Y1
	VEXTRACTF128	$1, Y1, X2
	VMINPS	X2, X1, X1
	LEAST(X1, X2)
	VBROADCASTSS	X1, Z2
	VCMPPS	$0, Z2, Z0, K1, K1
	KMOVW	K1, CX
	VMOVAPS	X1, X0
	JMP	hit

	END

// func walkAVX2(s *search, r *Ray, tMin float32)
//
// Registers as in walkAVX512 up to R15, but for DI, which is scratch, and
//
//	Y0-Y5     scratch
//	Y6-Y8     near, in each coordinate
//	Y9-Y11    far
//	Y12, Y13  keys of the boxes, or distances of the spheres
//	Y14, Y15  tMin; distance of the closest hit so far
//
// In the frame are nearAt and farAt in each coordinate, eight times, from 64 on; and
// the keys, from 256 on.
TEXT ·walkAVX2(SB), NOSPLIT, $320-20
	MOVQ	s+0(FP), BX
	MOVQ	r+8(FP), DX
	LINE
	SPREAD(0, SP, Y6, Y7, Y8)
	SPREAD(32, SP, Y9, Y10, Y11)
	SPREAD(16, SP, Y0, Y1, Y2)
	SPREAD(48, SP, Y3, Y4, Y5)
	VMOVUPS	Y0, 64(SP)
	VMOVUPS	Y1, 96(SP)
	VMOVUPS	Y2, 128(SP)
	VMOVUPS	Y3, 160(SP)
	VMOVUPS	Y4, 192(SP)
	VMOVUPS	Y5, 224(SP)
	VBROADCASTSS	tMin+16(FP), Y14
	VBROADCASTSS	search_tMax(BX), Y15
	MOVL	search_tMax(BX), SI
	MOVL	$-1, R15

	// The large spheres are the first group, which does not count as a visit, and
	// then the root is all that is left.
	DECQ	search_groupVisits(BX)
	MOVL	$0, search_refs(BX)
	MOVL	$0, search_keys(BX)
	MOVL	$1, R14
	MOVL	$-1, AX

leaf:
	INCQ	search_groupVisits(BX)
	NOTL	AX
	MOVQ	search_groups(BX), DX
	ADDQ	AX, DX
	MOVQ	r+8(FP), CX
	SPHERES(0, Y12)
	SPHERES(32, Y13)
	VPMINUD	Y13, Y12, Y0
	VEXTRACTI128	$1, Y0, X1
	VPMINUD	X1, X0, X0
	LEAST(X0, X1)
	VMOVD	X0, DI
	CMPL	DI, $0x7F800000
	JEQ	pop
	VPBROADCASTD	X0, Y0
	VPCMPEQD	Y12, Y0, Y1
	VPCMPEQD	Y13, Y0, Y2
	VMOVMSKPS	Y1, CX
	VMOVMSKPS	Y2, DX
	SHLL	$8, DX
	ORL	DX, CX
	BSFL	CX, CX
	SHRL	$4, AX
	ADDL	CX, AX
	CMPL	DI, SI
	JEQ	tie
	MOVL	DI, SI
	VMOVAPS	Y0, Y15
	MOVL	AX, R15

	POP

node:
	MOVQ	search_nodes(BX), DX
	ADDQ	AX, DX
	INCQ	search_nodeVisits(BX)
	BOXES(0, Y12, CX)
	BOXES(32, Y13, DI)
	SHLL	$8, DI
	ORL	DI, CX
	XORL	$0xFFFF, CX
	JZ	pop
	VMOVUPS	Y12, 256(SP)
	VMOVUPS	Y13, 288(SP)
	VPMINUD	Y13, Y12, Y0
	VEXTRACTI128	$1, Y0, X1
	VPMINUD	X1, X0, X0
	LEAST(X0, X1)
	VMOVD	X0, AX
	ANDL	$15, AX
	BTRL	AX, CX
	MOVL	node_refs(DX)(AX*4), AX
	JMP	others

push:
	BSFL	CX, DI
	BTRL	DI, CX
	VMOVD	256(SP)(DI*4), X0
	VMOVD	X0, search_keys(BX)(R14*4)
	MOVL	node_refs(DX)(DI*4), DI
	MOVL	DI, search_refs(BX)(R14*4)
	ADDL	$1, R14

others:
	TESTL	CX, CX
	JNZ	push
	TESTL	AX, AX
	JGE	node
	JMP	leaf

	END
