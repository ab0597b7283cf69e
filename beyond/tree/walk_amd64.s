//go:build !purego

#include "go_asm.h"
#include "textflag.h"

// Operands are sources first, destination last: VSUBPS A, B, C is C = B - A,
// and VFMADD213PS A, B, C is C = B*C + A, rounded once. CMPL A, B has them in
// this order.

DATA constants<>+0(SB)/4, $0x3AA00000  // spread, 5*2^-12
DATA constants<>+4(SB)/4, $0x34800000  // nudge, 2^-22
DATA constants<>+8(SB)/4, $0x3F800000  // 1
DATA constants<>+12(SB)/4, $0x219392EF // 1e-18
DATA constants<>+16(SB)/4, $0xFFFFFFF0 // all but the four bits of a lane
GLOBL constants<>(SB), RODATA|NOPTR, $20

// The numbers of the lanes, as bytes.
DATA lanes<>+0(SB)/8, $0x0706050403020100
DATA lanes<>+8(SB)/8, $0x0F0E0D0C0B0A0908
GLOBL lanes<>(SB), RODATA|NOPTR, $16

// SPREAD puts three numbers into all lanes of a register each.
#define SPREAD(OFFSET, BASE, A, B, C) \
	VBROADCASTSS	OFFSET+0(BASE), A; \
	VBROADCASTSS	OFFSET+4(BASE), B; \
	VBROADCASTSS	OFFSET+8(BASE), C

// ALL_LANES does so with the first three numbers in a register.
#define ALL_LANES(FROM, A, XB, B, XC, C) \
	VPERMILPS	$0x55, FROM, XB; \
	VPERMILPS	$0xAA, FROM, XC; \
	VBROADCASTSS	FROM, A; \
	VBROADCASTSS	XB, B; \
	VBROADCASTSS	XC, C

// EIGHT_TIMES stores the first three numbers in a register eight times each.
#define EIGHT_TIMES(FROM, TO) \
	ALL_LANES(FROM, Y2, X3, Y3, X4, Y4) \
	VMOVAPS	Y2, TO+0(DI); \
	VMOVAPS	Y3, TO+32(DI); \
	VMOVAPS	Y4, TO+64(DI)

// LEAST leaves the least of eight integers in the first lane of X, the lower half of Y,
// and LEAST4 that of the four in X. They find the least of numbers that are not
// negative, too, whose bits are in the same order.
#define LEAST(X, Y, SCRATCH) \
	VEXTRACTI128	$1, Y, SCRATCH; \
	VPMINUD	SCRATCH, X, X; \
	LEAST4(X, SCRATCH)

#define LEAST4(X, SCRATCH) \
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

// LINE is newLine for the ray, which it leaves at DX, with all three coordinates at once; a
// fourth one does not count. It leaves near in X11, nearAt in X8, far in X12 and
// farAt in X10, and the direction in X1. R8 to R10 are where the
// planes by which the ray enters a box start in a node, for each coordinate, and R11
// to R13 those by which it leaves.
#define LINE \
	MOVQ	s+0(FP), BX; \
	MOVQ	r+8(FP), DX; \
	VMOVSS	const_rayDirection+0(DX), X1; \
	VINSERTPS	$0x10, const_rayDirection+4(DX), X1, X1; \
	VINSERTPS	$0x20, const_rayDirection+8(DX), X1, X1; \
	VMOVSS	const_rayOrigin+0(DX), X0; \
	VINSERTPS	$0x10, const_rayOrigin+4(DX), X0, X0; \
	VINSERTPS	$0x20, const_rayOrigin+8(DX), X0, X0; \
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
	VBROADCASTSS	search_tree+tree_reach(BX), X8; \
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
	PLANES(4, 48, R10, R13)

// LEAF is where the walk visits the group at AX.
#define LEAF \
leaf: \
	INCQ	search_groupVisits(BX); \
	NOTL	AX; \
	MOVQ	search_tree+tree_groups(BX), DX; \
	ADDQ	AX, DX

// HIT keeps the hit on lane CX of the group, whose distance is in DX, unless there is
// another one at this distance. Then the walk goes on with what is on the stack and
// may hold a closer hit.
#define HIT \
	LEAL	(AX)(CX*4), AX; \
	CMPL	DX, SI; \
	JEQ	tie; \
	MOVL	DX, SI; \
	MOVL	AX, R15; \
pop: \
	SUBL	$1, R14; \
	JLT	done; \
	MOVL	search_keys(BX)(R14*4), AX; \
	CMPL	AX, SI; \
	JGT	pop; \
	MOVL	search_refs(BX)(R14*4), AX; \
	TESTL	AX, AX; \
	JLT	leaf; \
node: \
	MOVQ	search_tree+tree_nodes(BX), DX; \
	ADDQ	AX, DX; \
	INCQ	search_nodeVisits(BX)

// VISIT goes to the node or the group at AX.
#define VISIT \
	TESTL	AX, AX; \
	JGE	node; \
	JMP	leaf

// PREFETCH asks for all lines of what is on top of the stack, since it may be far away in
// memory. It comes next, unless the node or the group before it has a closer hit.
#define PREFETCH \
	MOVL	search_refs-4(BX)(R14*4), CX; \
	MOVL	CX, DI; \
	SARL	$31, DI; \
	XORL	DI, CX; \
	ANDL	$(tree_groups-tree_nodes), DI; \
	ADDQ	search_tree+tree_nodes(BX)(DI*1), CX; \
	PREFETCHT0	0(CX); \
	PREFETCHT0	64(CX); \
	PREFETCHT0	128(CX); \
	PREFETCHT0	192(CX); \
	PREFETCHT0	256(CX); \
	PREFETCHT0	320(CX); \
	PREFETCHT0	384(CX)

// END is what follows: of two spheres at one distance the first of the scene
// counts.
#define END \
tie: \
	TESTL	R15, R15; \
	JLT	pop; \
	MOVQ	search_tree+tree_groups(BX), DX; \
	MOVL	group_index(DX)(R15*1), CX; \
	CMPL	CX, group_index(DX)(AX*1); \
	JLE	pop; \
	MOVL	AX, R15; \
	JMP	pop; \
done: \
	MOVL	SI, search_tMax(BX); \
	MOVL	R15, search_found(BX); \
	VZEROUPPER; \
	RET

// BOXES tests boxes of the node at DX, from byte FIRST of a column on, for a ray with
// near in NX to NZ, nearAt in NAX to NAZ, far in FX to FZ and farAt in FAX to FAZ. It leaves
// in X and U where the ray enters and leaves them.
#define BOXES(FIRST, NX, NY, NZ, NAX, NAY, NAZ, FX, FY, FZ, FAX, FAY, FAZ, TMAX, X, Y, Z, U, V, W) \
	VMOVUPS	FIRST+0(DX)(R8*1), X; \
	VMOVUPS	FIRST+64(DX)(R9*1), Y; \
	VMOVUPS	FIRST+128(DX)(R10*1), Z; \
	VMOVUPS	FIRST+0(DX)(R11*1), U; \
	VMOVUPS	FIRST+64(DX)(R12*1), V; \
	VMOVUPS	FIRST+128(DX)(R13*1), W; \
	VFMADD213PS	NAX, NX, X; \
	VFMADD213PS	NAY, NY, Y; \
	VFMADD213PS	NAZ, NZ, Z; \
	VFMADD213PS	FAX, FX, U; \
	VFMADD213PS	FAY, FY, V; \
	VFMADD213PS	FAZ, FZ, W; \
	VMAXPS	Y, X, X; \
	VXORPS	Y, Y, Y; \
	VMAXPS	Z, Y, Z; \
	VMINPS	V, U, U; \
	VMINPS	W, TMAX, W; \
	VMAXPS	Z, X, X; \
	VMINPS	W, U, U

// EIGHT_BOXES leaves in KEYS how far away each of eight boxes is, with its lane in the
// lowest bits, and all bits where the ray does not meet it; and a bit a box in MET.
#define EIGHT_BOXES(FIRST, KEYS, MET) \
	MOVQ	search_eight(BX), MET; \
	BOXES(FIRST, Y6, Y7, Y8, 0(MET), 32(MET), 64(MET), Y9, Y10, Y11, 96(MET), 128(MET), 160(MET), Y15, Y0, Y1, Y2, Y3, Y4, Y5) \
	VCMPPS	$0x16, Y3, Y0, Y3; \
	VBROADCASTSS	constants<>+16(SB), Y1; \
	VANDPS	Y1, Y0, Y0; \
	VPMOVZXBD	lanes<>+FIRST/4(SB), Y1; \
	VORPS	Y1, Y0, Y0; \
	VORPS	Y3, Y0, KEYS; \
	VMOVMSKPS	Y3, MET

// DISCRIMINANTS is the first pass over spheres of the group at DX, from byte FIRST of a
// column on, for a ray with origin OX to OZ and direction UX to UZ. It leaves the middle of
// the two distances in NB, and the discriminants in D.
#define DISCRIMINANTS(FIRST, OX, OY, OZ, UX, UY, UZ, X, Y, Z, NB, C, D) \
	VSUBPS	group_cx+FIRST(DX), OX, X; \
	VSUBPS	group_cy+FIRST(DX), OY, Y; \
	VSUBPS	group_cz+FIRST(DX), OZ, Z; \
	VMULPS	UX, X, NB; \
	VMULPS	X, X, C; \
	VFNMSUB231PS	UY, Y, NB; \
	VFMADD231PS	Y, Y, C; \
	VFNMADD231PS	UZ, Z, NB; \
	VFMADD231PS	Z, Z, C; \
	VSUBPS	group_radiusSq+FIRST(DX), C, C; \
	VMULPS	NB, NB, D; \
	VSUBPS	C, D, D

// SPHERES leaves the two distances in X and Y.
#define SPHERES(FIRST, OX, OY, OZ, UX, UY, UZ, X, Y, Z, NB, C, D) \
	DISCRIMINANTS(FIRST, OX, OY, OZ, UX, UY, UZ, X, Y, Z, NB, C, D) \
	VSQRTPS	D, D; \
	VSUBPS	D, NB, X; \
	VADDPS	D, NB, Y

// EIGHT_SPHERES leaves in NB and D what DISCRIMINANTS says of eight spheres.
#define EIGHT_SPHERES(FIRST, NB, D) \
	SPREAD(const_rayOrigin, CX, Y0, Y1, Y2) \
	DISCRIMINANTS(FIRST, Y0, Y1, Y2, 192(DI), 224(DI), 256(DI), Y0, Y1, Y2, NB, Y4, D)

// EIGHT_ROOTS leaves the distances of eight in T, and all bits where there is no hit.
#define EIGHT_ROOTS(NB, D, T) \
	VSQRTPS	D, D; \
	VSUBPS	D, NB, Y0; \
	VADDPS	D, NB, Y1; \
	VCMPPS	$0x1E, Y14, Y0, Y2; \
	VBLENDVPS	Y2, Y0, Y1, Y0; \
	VCMPPS	$0x1A, Y14, Y0, Y2; \
	VCMPPS	$0x16, Y15, Y0, Y1; \
	VORPS	Y1, Y2, Y2; \
	VORPS	Y2, Y0, T

// func walkAVX512(s *search, r *Ray, tMin float32)
//
//	AX        where the node starts, or the complement of where the group does
//	BX        s
//	CX        a bit a lane: 1 for a box that the ray meets, or a hit
//	DX        address of the node or the group
//	SI        distance of the closest hit so far, as bits
//	DI        scratch
//	R8-R13    as LINE says
//	R14       length of the stack
//	R15       place of the closest hit so far, see search, or -1
//	Z10, Z11  number of each lane; all bits but those of a lane
//	Z12-Z14   near, in each coordinate
//	Z15-Z17   nearAt
//	Z18-Z20   far
//	Z21-Z23   farAt
//	Z24-Z26   origin of the ray
//	Z27-Z29   its direction
//	Z30, Z31  distance of the closest hit so far; tMin
TEXT ·walkAVX512(SB), NOSPLIT, $64-20
	LINE
	VMOVUPS	X11, 0(SP)
	VMOVUPS	X8, 16(SP)
	VMOVUPS	X12, 32(SP)
	VMOVUPS	X10, 48(SP)
	SPREAD(0, SP, Z12, Z13, Z14)
	SPREAD(16, SP, Z15, Z16, Z17)
	SPREAD(32, SP, Z18, Z19, Z20)
	SPREAD(48, SP, Z21, Z22, Z23)
	SPREAD(const_rayOrigin, DX, Z24, Z25, Z26)
	SPREAD(const_rayDirection, DX, Z27, Z28, Z29)
	VBROADCASTSS	tMin+16(FP), Z31
	VPMOVZXBD	lanes<>(SB), Z10
	VPBROADCASTD	constants<>+16(SB), Z11
	XORL	R14, R14

	// The large spheres are the first lanes of the first group.
	MOVQ	search_tree+tree_groups(BX), DX
	SPHERES(0, X24, X25, X26, X27, X28, X29, X0, X1, X2, X3, X4, X5)
	VBROADCASTSS	search_tMax(BX), X6
	VCMPPS	$0x1E, X31, X0, K1
	VBLENDMPS	X0, X1, K1, X0
	VCMPPS	$0x1E, X31, X0, K1
	VCMPPS	$0x11, X6, X0, K1, K1
	VBLENDMPS	X0, X6, K1, X1
	LEAST4(X1, X2)
	VBROADCASTSS	X1, Z30
	VMOVD	X1, SI
	VCMPPS	$0, X1, X0, K1, K1
	KMOVW	K1, CX
	MOVL	$-1, R15
	TZCNTL	CX, AX
	LEAL	(AX*4), AX
	CMOVLCC	AX, R15
	XORL	AX, AX
	JMP	node

	LEAF
	SPHERES(0, Z24, Z25, Z26, Z27, Z28, Z29, Z0, Z1, Z2, Z3, Z4, Z5)
	VCMPPS	$0x1E, Z31, Z0, K1
	VBLENDMPS	Z0, Z1, K1, Z0
	VCMPPS	$0x1E, Z31, Z0, K1
	VCMPPS	$0x12, Z30, Z0, K1, K1
	KMOVW	K1, CX
	TESTL	CX, CX
	JZ	pop
	BLSRL	CX, DX
	JNZ	hits
	VCOMPRESSPS.Z	Z0, K1, Z1

hit:
	TZCNTL	CX, CX
	VMOVD	X1, DX
	VBROADCASTSS	X1, Z30
	HIT
	BOXES(0, Z12, Z13, Z14, Z15, Z16, Z17, Z18, Z19, Z20, Z21, Z22, Z23, Z30, Z0, Z1, Z2, Z3, Z4, Z5)
	VCMPPS	$0x12, Z3, Z0, K1
	KMOVW	K1, CX
	TESTL	CX, CX
	JZ	pop
	BLSRL	CX, AX
	JNZ	several
	TZCNTL	CX, CX
	MOVL	node_refs(DX)(CX*4), AX
	VISIT

several:
	VPTERNLOGD	$0xEA, Z10, Z11, Z0
	VPBLENDMD	Z0, Z11, K1, Z3
	VMOVDQU32	node_refs(DX), Z1
	VEXTRACTI64X4	$1, Z3, Y4
	VPMINUD	Y4, Y3, Y3
	LEAST(X3, Y3, X4)
	VPERMD	Z1, Z3, Z4 // as an index, the least key is its lane
	VMOVD	X4, AX
	VPBROADCASTD	X3, Z2
	VPCMPUD	$4, Z2, Z0, K1, K1 // all others
	VPCOMPRESSD.Z	Z0, K1, Z0
	VPCOMPRESSD.Z	Z1, K1, Z1
	VMOVDQU32	Z0, search_keys(BX)(R14*4)
	VMOVDQU32	Z1, search_refs(BX)(R14*4)
	POPCNTL	CX, CX
	LEAL	-1(R14)(CX*1), R14
	PREFETCH
	VISIT

hits:
	VBLENDMPS	Z0, Z30, K1, Z1
	VEXTRACTI64X4	$1, Z1, Y2
	VPMINUD	Y2, Y1, Y1
	LEAST(X1, Y1, X2)
	VBROADCASTSS	X1, Z2
	VCMPPS	$0, Z2, Z0, K1, K1
	KMOVW	K1, CX
	JMP	hit

	END

// PUSH puts the boxes on the stack that have a bit in PICK, of eight keys in KEYS whose
// refs are from byte FIRST of the column on. AX is picks.
#define PUSH(KEYS, FIRST, PICK) \
	VPMOVZXBD	(AX)(PICK*8), Y1; \
	VPERMD	KEYS, Y1, Y2; \
	VPERMD	node_refs+FIRST(DX), Y1, Y1; \
	VMOVDQU	Y2, search_keys(BX)(R14*4); \
	VMOVDQU	Y1, search_refs(BX)(R14*4); \
	POPCNTL	PICK, PICK; \
	ADDL	PICK, R14

// func walkAVX2(s *search, r *Ray, tMin float32)
//
// Registers as in walkAVX512 up to R15, and
//
//	Y0-Y5     scratch
//	Y6-Y8     near, in each coordinate
//	Y9-Y11    far
//	Y12, Y13  keys of the boxes, or distances of the spheres
//	Y14, Y15  tMin; distance of the closest hit so far
//
// In memory of the search are nearAt and farAt in each coordinate, and the direction,
// eight times: a frame would not be in whole cache lines.
TEXT ·walkAVX2(SB), NOSPLIT, $0-20
	// The large spheres are the first lanes of the first group. Their roots take as long
	// as the line, and the boxes need both.
	MOVQ	s+0(FP), BX
	MOVQ	r+8(FP), CX
	MOVQ	search_tree+tree_groups(BX), DX
	SPREAD(const_rayOrigin, CX, X0, X1, X2)
	SPREAD(const_rayDirection, CX, X3, X4, X5)
	DISCRIMINANTS(0, X0, X1, X2, X3, X4, X5, X0, X1, X2, X14, X6, X15)
	VSQRTPS	X15, X15
	LINE
	MOVQ	search_eight(BX), DI
	EIGHT_TIMES(X8, 0)
	EIGHT_TIMES(X10, 96)
	EIGHT_TIMES(X1, 192)
	ALL_LANES(X11, Y6, X7, Y7, X8, Y8)
	ALL_LANES(X12, Y9, X10, Y10, X11, Y11)
	XORL	R14, R14

	VSUBPS	X15, X14, X0
	VADDPS	X15, X14, X1
	VBROADCASTSS	tMin+16(FP), Y14
	VBROADCASTSS	search_tMax(BX), Y15
	VCMPPS	$0x1E, X14, X0, X2
	VBLENDVPS	X2, X0, X1, X0
	VCMPPS	$0x1E, X14, X0, X2
	VCMPPS	$0x11, X15, X0, X3
	VANDPS	X3, X2, X2
	VBLENDVPS	X2, X0, X15, X1
	LEAST4(X1, X3)
	VBROADCASTSS	X1, Y15
	VMOVD	X1, SI
	VPSHUFD	$0, X1, X1
	VPCMPEQD	X1, X0, X3
	VANDPS	X3, X2, X2
	VMOVMSKPS	X2, CX
	MOVL	$-1, R15
	BSFL	CX, AX
	LEAL	(AX*4), AX
	CMOVLNE	AX, R15
	XORL	AX, AX
	JMP	node

	LEAF
	MOVQ	r+8(FP), CX
	MOVQ	search_eight(BX), DI
	EIGHT_SPHERES(0, Y12, Y13)
	EIGHT_SPHERES(32, Y3, Y5)

	// A ray that misses all of them need not wait for roots.
	VANDPS	Y13, Y5, Y0
	VMOVMSKPS	Y0, CX
	CMPL	CX, $0xFF
	JEQ	pop
	EIGHT_ROOTS(Y12, Y13, Y12)
	EIGHT_ROOTS(Y3, Y5, Y13)
	VPMINUD	Y13, Y12, Y0
	LEAST(X0, Y0, X1)
	VMOVD	X0, DX
	CMPL	DX, $-1
	JEQ	pop
	VPBROADCASTD	X0, Y15
	VPCMPEQD	Y12, Y15, Y1
	VPCMPEQD	Y13, Y15, Y2
	VMOVMSKPS	Y1, CX
	VMOVMSKPS	Y2, DI
	SHLL	$8, DI
	ORL	DI, CX
	BSFL	CX, CX
	HIT
	EIGHT_BOXES(0, Y12, CX)
	EIGHT_BOXES(32, Y13, DI)
	SHLL	$8, DI
	ORL	DI, CX
	XORL	$0xFFFF, CX
	JZ	pop
	LEAL	-1(CX), AX
	TESTL	CX, AX
	JNZ	several
	BSFL	CX, AX
	MOVL	node_refs(DX)(AX*4), AX
	VISIT

several:
	VPMINUD	Y13, Y12, Y0
	LEAST(X0, Y0, X1)
	VMOVD	X0, AX
	ANDL	$15, AX
	BTRL	AX, CX
	LEAQ	·picks(SB), AX
	MOVBLZX	CX, DI
	SHRL	$8, CX
	PUSH(Y12, 0, DI)
	PUSH(Y13, 32, CX)
	PREFETCH
	VMOVD	X0, AX
	ANDL	$15, AX
	MOVL	node_refs(DX)(AX*4), AX
	VISIT

	END
