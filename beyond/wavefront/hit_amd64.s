//go:build !purego

#include "go_asm.h"
#include "textflag.h"

// The operands of an instruction are sources first, destination last, and the
// sources are in the reverse order of Intel's manuals: VSUBPS A, B, C is
// C = B - A. VFMADD231PS A, B, C is C = C + A*B, rounded once, VFNMADD231PS is
// C - A*B, VFMSUB231PS A*B - C, and VFMSUB213PS C*B - A. The suffix BCST spreads
// a number of memory to all lanes.
//
// In all kernels:
//
//	AX       scratch
//	BX       number of a sphere, counted from 1
//	CX       candidates of the group
//	DX       number of spheres
//	SI       rays of the group
//	DI       how many bytes of candidates the group has
//	R8-R12   cx, cy, cz, reach, radiusSq
//	R13      next candidate to write
//	R14      next candidate to read
//	R15      end of those to read
#define BEGIN \
	MOVQ	s+0(FP), AX; \
	MOVQ	c+8(FP), SI; \
	LEAQ	search_bytes(AX), DI; \
	MOVQ	search_candidates(AX), CX; \
	MOVQ	search_spheres+spheres_cx(AX), R8; \
	MOVQ	search_spheres+spheres_cx+8(AX), DX; \
	MOVQ	search_spheres+spheres_cy(AX), R9; \
	MOVQ	search_spheres+spheres_cz(AX), R10; \
	MOVQ	search_spheres+spheres_reach(AX), R11; \
	MOVQ	search_spheres+spheres_radiusSq(AX), R12

// Go on with the next group, if there is one.
#define NEXT(GROUP) \
	MOVQ	s+0(FP), AX; \
	ADDQ	search_stride(AX), CX; \
	ADDQ	$8, DI; \
	ADDQ	$(const_group*4), SI; \
	DECQ	groups+16(FP); \
	JNE	GROUP

// Copy those of the next eight candidates for which there are rays. A jump for
// each would often go the unexpected way.
//
//	Z4       scratch
//	Z27      the bits of candidate.rays
//	K1       candidates
#define CLOSE_UP \
	VMOVDQU64	(R14), Z4; \
	VPTESTMQ	Z27, Z4, K1; \
	VPCOMPRESSQ.Z	Z4, K1, Z4; \
	VMOVDQU64	Z4, (R13); \
	KMOVW	K1, AX; \
	POPCNTL	AX, AX; \
	LEAQ	(R13)(AX*candidate__size), R13; \
	ADDQ	$(8*candidate__size), R14

// func sideAVX512(s *search, c *columns, groups int)
//
// Looks to the side of each ray: finds p, and whether it is within reach.
//
//	R9       all spheres as candidates, in place of cy
//	Z0-Z2    ux, uz, pu
//	Z3-Z9    scratch
//	Z27      the bits of candidate.rays
//	Z28-Z30  all bits but the sign, tiny, 1
//	K1       rays, or candidates
TEXT ·sideAVX512(SB), NOSPLIT, $0-24
	BEGIN
	MOVQ	search_sides(AX), R9
	VPTERNLOGD	$0xFF, Z27, Z27, Z27
	VPSLLQ	$(8*candidate_rays), Z27, Z27
	MOVL	$0x7FFFFFFF, AX
	VPBROADCASTD	AX, Z28
	MOVL	$0x1E800000, AX
	VPBROADCASTD	AX, Z29
	MOVL	$0x3F800000, AX
	VPBROADCASTD	AX, Z30

group:
	// newAcross
	VMOVUPS	columns_dx(SI), Z3
	VMOVUPS	columns_dy(SI), Z4
	VMOVUPS	columns_dz(SI), Z5
	VMOVAPS	Z29, Z6
	VFMADD231PS	Z3, Z3, Z6
	VFMADD231PS	Z5, Z5, Z6 // h2
	VSQRTPS	Z6, Z7
	VDIVPS	Z7, Z30, Z7 // k
	VMULPS	Z7, Z5, Z0
	VMULPS	Z7, Z3, Z1
	VMULPS	Z7, Z4, Z8 // w
	VMULPS	Z3, Z8, Z3 // vx
	VMULPS	Z7, Z6, Z4 // vy
	VMULPS	Z5, Z8, Z5 // vz
	VMOVUPS	columns_ox(SI), Z6
	VMOVUPS	columns_oy(SI), Z7
	VMOVUPS	columns_oz(SI), Z8
	VMULPS	Z0, Z6, Z2
	VFMSUB231PS	Z1, Z8, Z2
	VMULPS	Z3, Z6, Z9
	VFMADD231PS	Z5, Z8, Z9
	VFMSUB231PS	Z4, Z7, Z9 // qv
	VMOVUPS	Z3, columns_vx(SI)
	VMOVUPS	Z4, columns_vy(SI)
	VMOVUPS	Z5, columns_vz(SI)
	VMOVUPS	Z9, columns_qv(SI)

	XORL	BX, BX
	JMP	spheres
	PCALIGN	$64

	// The mask goes straight to memory, to where the number of the sphere is
	// already. On the way through AX it would need a unit that can multiply.
sphere:
	VMOVAPS	Z2, Z3
	VFMADD231PS.BCST	(R8)(BX*4), Z0, Z3
	VFNMADD231PS.BCST	(R10)(BX*4), Z1, Z3
	VPANDD	Z28, Z3, Z3
	VCMPPS.BCST	$2, (R11)(BX*4), Z3, K1 // |p| <= reach
	KMOVW	K1, candidate_rays(R9)(BX*8)
	INCQ	BX

spheres:
	CMPQ	BX, DX
	JLT	sphere

	// Eight spheres at a time. There are no rays for those after the end.
	MOVQ	R9, R14
	LEAQ	(R9)(DX*8), R15
	MOVQ	CX, R13
	JMP	eights

eight:
	CLOSE_UP

eights:
	CMPQ	R14, R15
	JLT	eight
	SUBQ	CX, R13
	MOVQ	R13, (DI)
	NEXT(group)
	VZEROUPPER
	RET

// func upAVX512(s *search, c *columns, groups int)
//
// Looks up from each ray: finds q, and whether it is within reach. Then the
// candidates that are left close up.
//
//	Z0-Z3    vx, vy, vz, qv
//	Z4       scratch
//	Z27      the bits of candidate.rays
//	Z28      all bits but the sign
//	Z30      0
//	K1       rays, or candidates
TEXT ·upAVX512(SB), NOSPLIT, $0-24
	BEGIN
	MOVL	$0x7FFFFFFF, AX
	VPBROADCASTD	AX, Z28
	VPTERNLOGD	$0xFF, Z27, Z27, Z27
	VPSLLQ	$(8*candidate_rays), Z27, Z27
	VPXORD	Z30, Z30, Z30

group:
	VMOVUPS	columns_vx(SI), Z0
	VMOVUPS	columns_vy(SI), Z1
	VMOVUPS	columns_vz(SI), Z2
	VMOVUPS	columns_qv(SI), Z3
	MOVQ	CX, R14
	MOVQ	(DI), R15
	ADDQ	CX, R15
	JMP	spheres
	PCALIGN	$64

sphere:
	MOVL	candidate_sphere(R14), BX
	VMOVAPS	Z3, Z4
	VFMADD231PS.BCST	-4(R8)(BX*4), Z0, Z4
	VFMADD231PS.BCST	-4(R10)(BX*4), Z2, Z4
	VFNMADD231PS.BCST	-4(R9)(BX*4), Z1, Z4
	VPANDD	Z28, Z4, Z4
	VCMPPS.BCST	$2, -4(R11)(BX*4), Z4, K1 // |q| <= reach
	KMOVW	K1, AX
	ANDL	AX, candidate_rays(R14)
	ADDQ	$candidate__size, R14

spheres:
	CMPQ	R14, R15
	JLT	sphere

	// Eight candidates at a time. The last of them may be after the end.
	VMOVDQU64	Z30, (R15)
	MOVQ	CX, R13
	MOVQ	CX, R14
	JMP	eights

eight:
	CLOSE_UP

eights:
	CMPQ	R14, R15
	JLT	eight
	SUBQ	CX, R13
	MOVQ	R13, (DI)
	NEXT(group)
	VZEROUPPER
	RET

// func solveAVX512(s *search, c *columns, groups int)
//
// Solves the equation for the candidates, and keeps the closest.
//
//	Z0-Z2    origins
//	Z3-Z5    directions, with the signs turned
//	Z6, Z7   distance and number of the closest sphere so far
//	Z8-Z11   scratch: x and c, y and root and t, z, nb
//	Z28, Z29 the sign, the largest number
//	K1       rays
TEXT ·solveAVX512(SB), NOSPLIT, $0-24
	BEGIN
	MOVL	$0x80000000, AX
	VPBROADCASTD	AX, Z28
	MOVL	$0x7F7FFFFF, AX
	VPBROADCASTD	AX, Z29

group:
	// A center in memory can be subtracted from a register but not the other way
	// round, and (-x)*d is x*(-d).
	VMOVUPS	columns_ox(SI), Z0
	VMOVUPS	columns_oy(SI), Z1
	VMOVUPS	columns_oz(SI), Z2
	VPXORD	columns_dx(SI), Z28, Z3
	VPXORD	columns_dy(SI), Z28, Z4
	VPXORD	columns_dz(SI), Z28, Z5
	VMOVAPS	Z29, Z6
	VPXORD	Z7, Z7, Z7
	MOVQ	CX, R14
	MOVQ	(DI), R15
	ADDQ	CX, R15
	JMP	spheres
	PCALIGN	$64

sphere:
	MOVL	candidate_sphere(R14), BX
	KMOVW	candidate_rays(R14), K1
	ADDQ	$candidate__size, R14
	VSUBPS.BCST	-4(R8)(BX*4), Z0, Z8
	VSUBPS.BCST	-4(R9)(BX*4), Z1, Z9
	VSUBPS.BCST	-4(R10)(BX*4), Z2, Z10
	VMULPS	Z3, Z8, Z11
	VFMSUB213PS.BCST	-4(R12)(BX*4), Z8, Z8
	VFMADD231PS	Z4, Z9, Z11
	VFMADD231PS	Z9, Z9, Z8
	VFMADD231PS	Z5, Z10, Z11
	VFMADD231PS	Z10, Z10, Z8
	VMOVAPS	Z11, Z9
	VFMSUB213PS	Z8, Z9, Z9
	VSQRTPS	Z9, Z9

	// The smaller one of nb - root and nb + root that is not negative: as
	// unsigned integers, negative numbers and NaN are the largest.
	VSUBPS	Z9, Z11, Z8
	VADDPS	Z9, Z11, Z9
	VPMINUD	Z8, Z9, Z9
	VPCMPUD	$1, Z6, Z9, K1, K1 // t < closest
	VMOVAPS	Z9, K1, Z6
	VPBROADCASTD	BX, K1, Z7

spheres:
	CMPQ	R14, R15
	JLT	sphere
	VMOVUPS	Z6, columns_t(SI)
	VMOVDQU32	Z7, columns_hit(SI)
	NEXT(group)
	VZEROUPPER
	RET

// newAcross for eight rays, which are so many bytes into a group.
//
//	Y6-Y12   scratch
//	Y13, Y14 tiny, 1
#define ACROSS(OFFSET, UX, UZ, PU) \
	VMOVUPS	columns_dx+OFFSET(SI), Y6; \
	VMOVUPS	columns_dy+OFFSET(SI), Y7; \
	VMOVUPS	columns_dz+OFFSET(SI), Y8; \
	VMOVAPS	Y13, Y9; \
	VFMADD231PS	Y6, Y6, Y9; \
	VFMADD231PS	Y8, Y8, Y9; \
	VSQRTPS	Y9, Y10; \
	VDIVPS	Y10, Y14, Y10; \
	VMULPS	Y10, Y8, UX; \
	VMULPS	Y10, Y6, UZ; \
	VMULPS	Y10, Y7, Y11; \
	VMULPS	Y6, Y11, Y6; \
	VMULPS	Y10, Y9, Y7; \
	VMULPS	Y8, Y11, Y8; \
	VMOVUPS	columns_ox+OFFSET(SI), Y9; \
	VMOVUPS	columns_oy+OFFSET(SI), Y10; \
	VMOVUPS	columns_oz+OFFSET(SI), Y11; \
	VMULPS	UX, Y9, PU; \
	VFMSUB231PS	UZ, Y11, PU; \
	VMULPS	Y6, Y9, Y12; \
	VFMADD231PS	Y8, Y11, Y12; \
	VFMSUB231PS	Y7, Y10, Y12; \
	VMOVUPS	Y6, columns_vx+OFFSET(SI); \
	VMOVUPS	Y7, columns_vy+OFFSET(SI); \
	VMOVUPS	Y8, columns_vz+OFFSET(SI); \
	VMOVUPS	Y12, columns_qv+OFFSET(SI)

// func sideAVX2(s *search, c *columns, groups int)
//
// A group is in two registers. The masks of both are made one of 32 bits, two
// for each ray: 0 to 7 for rays 0 to 3, 8 to 15 for rays 8 to 11, 16 to 23 for
// rays 4 to 7, and 24 to 31 for rays 12 to 15.
//
//	Y0-Y2    ux, uz, pu of the first eight rays
//	Y3-Y5    of the others
//	Y6-Y10   cx, cz, reach, p, p
//	Y15      all bits but the sign
TEXT ·sideAVX2(SB), NOSPLIT, $0-24
	BEGIN
	MOVL	$0x1E800000, AX
	VMOVD	AX, X13
	VPBROADCASTD	X13, Y13
	MOVL	$0x3F800000, AX
	VMOVD	AX, X14
	VPBROADCASTD	X14, Y14
	VPCMPEQD	Y15, Y15, Y15
	VPSRLD	$1, Y15, Y15

group:
	ACROSS(0, Y0, Y1, Y2)
	ACROSS(32, Y3, Y4, Y5)
	MOVQ	CX, R13
	XORL	BX, BX
	JMP	spheres
	PCALIGN	$64

sphere:
	INCL	BX
	VBROADCASTSS	-4(R8)(BX*4), Y6
	VBROADCASTSS	-4(R10)(BX*4), Y7
	VBROADCASTSS	-4(R11)(BX*4), Y8
	VMOVAPS	Y2, Y9
	VMOVAPS	Y5, Y10
	VFMADD231PS	Y6, Y0, Y9
	VFMADD231PS	Y6, Y3, Y10
	VFNMADD231PS	Y7, Y1, Y9
	VFNMADD231PS	Y7, Y4, Y10
	VANDPS	Y15, Y9, Y9
	VANDPS	Y15, Y10, Y10
	VCMPPS	$2, Y8, Y9, Y9
	VCMPPS	$2, Y8, Y10, Y10
	VPACKSSDW	Y10, Y9, Y9
	VPMOVMSKB	Y9, AX
	MOVL	BX, candidate_sphere(R13)
	MOVL	AX, candidate_rays(R13)
	LEAQ	candidate__size(R13), R14
	TESTL	AX, AX
	CMOVQNE	R14, R13

spheres:
	CMPL	BX, DX
	JLT	sphere
	SUBQ	CX, R13
	MOVQ	R13, (DI)
	NEXT(group)
	VZEROUPPER
	RET

// func upAVX2(s *search, c *columns, groups int)
//
//	Y0-Y3    vx, vy, vz, qv of the first eight rays
//	Y4-Y7    of the others
//	Y8-Y10   cx or cy, cz, reach
//	Y11, Y12 q
//	Y15      all bits but the sign
TEXT ·upAVX2(SB), NOSPLIT, $0-24
	BEGIN
	VPCMPEQD	Y15, Y15, Y15
	VPSRLD	$1, Y15, Y15

group:
	VMOVUPS	columns_vx(SI), Y0
	VMOVUPS	columns_vy(SI), Y1
	VMOVUPS	columns_vz(SI), Y2
	VMOVUPS	columns_qv(SI), Y3
	VMOVUPS	columns_vx+32(SI), Y4
	VMOVUPS	columns_vy+32(SI), Y5
	VMOVUPS	columns_vz+32(SI), Y6
	VMOVUPS	columns_qv+32(SI), Y7
	MOVQ	CX, R13
	MOVQ	CX, R14
	MOVQ	(DI), R15
	ADDQ	CX, R15
	JMP	spheres
	PCALIGN	$64

sphere:
	MOVL	candidate_sphere(R14), BX
	VBROADCASTSS	-4(R8)(BX*4), Y8
	VBROADCASTSS	-4(R10)(BX*4), Y9
	VBROADCASTSS	-4(R11)(BX*4), Y10
	VMOVAPS	Y3, Y11
	VMOVAPS	Y7, Y12
	VFMADD231PS	Y8, Y0, Y11
	VFMADD231PS	Y8, Y4, Y12
	VBROADCASTSS	-4(R9)(BX*4), Y8
	VFMADD231PS	Y9, Y2, Y11
	VFMADD231PS	Y9, Y6, Y12
	VFNMADD231PS	Y8, Y1, Y11
	VFNMADD231PS	Y8, Y5, Y12
	VANDPS	Y15, Y11, Y11
	VANDPS	Y15, Y12, Y12
	VCMPPS	$2, Y10, Y11, Y11
	VCMPPS	$2, Y10, Y12, Y12
	VPACKSSDW	Y12, Y11, Y11
	VPMOVMSKB	Y11, AX
	ANDL	candidate_rays(R14), AX
	MOVL	BX, candidate_sphere(R13)
	MOVL	AX, candidate_rays(R13)
	ADDQ	$candidate__size, R14
	TESTL	AX, AX
	LEAQ	candidate__size(R13), AX
	CMOVQNE	AX, R13

spheres:
	CMPQ	R14, R15
	JLT	sphere
	SUBQ	CX, R13
	MOVQ	R13, (DI)
	NEXT(group)
	VZEROUPPER
	RET

// The equation of a sphere for eight rays, which are so many bytes into a group.
// The lowest bits of Y12 are for them.
#define EQUATION(OFFSET, CLOSEST, HIT) \
	VSUBPS	columns_ox+OFFSET(SI), Y4, Y8; \
	VSUBPS	columns_oy+OFFSET(SI), Y5, Y9; \
	VSUBPS	columns_oz+OFFSET(SI), Y6, Y10; \
	VMULPS	columns_dx+OFFSET(SI), Y8, Y11; \
	VFMSUB213PS	Y7, Y8, Y8; \
	VFMADD231PS	columns_dy+OFFSET(SI), Y9, Y11; \
	VFMADD231PS	Y9, Y9, Y8; \
	VFMADD231PS	columns_dz+OFFSET(SI), Y10, Y11; \
	VFMADD231PS	Y10, Y10, Y8; \
	VMOVAPS	Y11, Y9; \
	VFMSUB213PS	Y8, Y9, Y9; \
	VSQRTPS	Y9, Y9; \
	VPAND	Y13, Y12, Y10; \
	VPCMPEQD	Y14, Y10, Y10; \
	VSUBPS	Y9, Y11, Y8; \
	VADDPS	Y9, Y11, Y9; \
	VPMINUD	Y8, Y9, Y9; \
	VPOR	Y10, Y9, Y9; \
	VPMINUD	CLOSEST, Y9, Y9; \
	VPCMPEQD	CLOSEST, Y9, Y10; \
	VMOVAPS	Y9, CLOSEST; \
	VBLENDVPS	Y10, HIT, Y15, HIT

// func solveAVX2(s *search, c *columns, groups int)
//
//	Y0, Y2   distance and number of the closest sphere so far, of the first
//	         eight rays
//	Y1, Y3   of the others
//	Y4-Y7    cx, cy, cz, radiusSq
//	Y8-Y11   scratch: x and c, y and root and t, z and mask, nb
//	Y12      bits of the candidate
//	Y13      those in question: 0, 2, 4, 6, 16, 18, 20, 22
//	Y14      0
//	Y15      number of the sphere
TEXT ·solveAVX2(SB), NOSPLIT, $0-24
	BEGIN
	VMOVDQU	bits<>(SB), Y13
	VXORPS	Y14, Y14, Y14

group:
	MOVL	$0x7F7FFFFF, AX
	VMOVD	AX, X0
	VPBROADCASTD	X0, Y0
	VMOVAPS	Y0, Y1
	VXORPS	Y2, Y2, Y2
	VXORPS	Y3, Y3, Y3
	MOVQ	CX, R14
	MOVQ	(DI), R15
	ADDQ	CX, R15
	JMP	spheres
	PCALIGN	$64

sphere:
	MOVL	candidate_sphere(R14), BX
	VPBROADCASTD	candidate_sphere(R14), Y15
	VPBROADCASTD	candidate_rays(R14), Y12
	ADDQ	$candidate__size, R14
	VBROADCASTSS	-4(R8)(BX*4), Y4
	VBROADCASTSS	-4(R9)(BX*4), Y5
	VBROADCASTSS	-4(R10)(BX*4), Y6
	VBROADCASTSS	-4(R12)(BX*4), Y7
	EQUATION(0, Y0, Y2)
	VPSRLD	$8, Y12, Y12
	EQUATION(32, Y1, Y3)

spheres:
	CMPQ	R14, R15
	JLT	sphere
	VMOVUPS	Y0, columns_t(SI)
	VMOVUPS	Y1, columns_t+32(SI)
	VMOVDQU	Y2, columns_hit(SI)
	VMOVDQU	Y3, columns_hit+32(SI)
	NEXT(group)
	VZEROUPPER
	RET

DATA bits<>+0(SB)/4, $0x000001
DATA bits<>+4(SB)/4, $0x000004
DATA bits<>+8(SB)/4, $0x000010
DATA bits<>+12(SB)/4, $0x000040
DATA bits<>+16(SB)/4, $0x010000
DATA bits<>+20(SB)/4, $0x040000
DATA bits<>+24(SB)/4, $0x100000
DATA bits<>+28(SB)/4, $0x400000
GLOBL bits<>(SB), RODATA|NOPTR, $32
