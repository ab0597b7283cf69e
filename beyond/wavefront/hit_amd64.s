//go:build goexperiment.simd && !purego

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
//	CX       numbers of the group's candidates
//	DX       how many have been written
//	SI       the planes across the group's rays; or the rays
//	DI       how many candidates the group has
//	R8-R11   cx, cy, cz, reach or radiusSq
//	R12      rays of the group's candidates
//	R13      numbers to read
//	R14      which is next
//	R15      how many there are to read
#define BEGIN(COLUMN) \
	MOVQ	s+0(FP), AX; \
	MOVQ	search_across(AX), SI; \
	LEAQ	search_counts(AX), DI; \
	MOVQ	search_candidates(AX), CX; \
	MOVQ	search_rays(AX), R12; \
	MOVQ	search_spheres+spheres_cx(AX), R8; \
	MOVQ	search_spheres+spheres_cy(AX), R9; \
	MOVQ	search_spheres+spheres_cz(AX), R10; \
	MOVQ	search_spheres+COLUMN(AX), R11

// Go on with the next group of so many rays, or return if there is none.
#define NEXT(GROUP, RAYS) \
	MOVQ	s+0(FP), AX; \
	MOVQ	search_stride(AX), AX; \
	ADDQ	AX, CX; \
	ADDQ	AX, R12; \
	ADDQ	$8, DI; \
	ADDQ	$(RAYS*4), SI; \
	DECQ	groups+16(FP); \
	JNE	GROUP; \
	VZEROUPPER; \
	RET

// The numbers from 1 to 16.
#define NUMBERS(Z) \
	VPMOVZXBD	lanes<>+1(SB), Z

// The balls whose spheres the sieve of a group asks about.
#define FROM \
	MOVQ	s+0(FP), AX; \
	MOVQ	search_from(AX), R13; \
	ADDQ	(search_fromAt-search_counts)(DI), R13; \
	MOVQ	(search_fromCounts-search_counts)(DI), R15; \
	XORL	R14, R14; \
	XORL	DX, DX

// The first sphere of the next of them, counted from 0.
#define BALL \
	MOVL	(R13)(R14*4), BX; \
	INCQ	R14; \
	SHLL	$4, BX

// newAcross for a group, to the place at DI: all numbers of across, the directions, and how
// far the rays are along them, each in SIZE bytes. T, U and V are scratch.
#define ACROSS(SIZE, UX, UZ, PU, VX, VY, VZ, QV, T, U, V, TINY, ONE) \
	VMOVUPS	columns_dx(SI), VX; \
	VMOVUPS	columns_dy(SI), VY; \
	VMOVUPS	columns_dz(SI), VZ; \
	VMOVUPS	columns_ox(SI), V; \
	VMOVUPS	columns_oy(SI), T; \
	VMOVUPS	columns_oz(SI), U; \
	VMOVAPS	VX, (7*SIZE)(DI); \
	VMOVAPS	VY, (8*SIZE)(DI); \
	VMOVAPS	VZ, (9*SIZE)(DI); \
	VMULPS	V, VX, PU; \
	VFMADD231PS	T, VY, PU; \
	VFMADD231PS	U, VZ, PU; \
	VMOVAPS	PU, (10*SIZE)(DI); \
	VMOVAPS	TINY, QV; \
	VFMADD231PS	VX, VX, QV; \
	VFMADD231PS	VZ, VZ, QV; \
	VSQRTPS	QV, T; \
	VDIVPS	T, ONE, T; \
	VMULPS	T, VZ, UX; \
	VMULPS	T, VX, UZ; \
	VMULPS	UX, V, PU; \
	VFMSUB231PS	UZ, U, PU; \
	VMOVAPS	UX, (0*SIZE)(DI); \
	VMOVAPS	UZ, (1*SIZE)(DI); \
	VMOVAPS	PU, (2*SIZE)(DI); \
	VMULPS	T, VY, UX; \
	VMULPS	VX, UX, VX; \
	VMULPS	T, QV, VY; \
	VMULPS	VZ, UX, VZ; \
	VMULPS	VX, V, QV; \
	VFMADD231PS	VZ, U, QV; \
	VFMSUB231PS	columns_oy(SI), VY, QV; \
	VMOVAPS	VX, (3*SIZE)(DI); \
	VMOVAPS	VY, (4*SIZE)(DI); \
	VMOVAPS	VZ, (5*SIZE)(DI); \
	VMOVAPS	QV, (6*SIZE)(DI)

// What ACROSS has put down.
#define LOAD_ACROSS(SIZE, UX, UZ, PU, VX, VY, VZ, QV) \
	VMOVAPS	(0*SIZE)(SI), UX; \
	VMOVAPS	(1*SIZE)(SI), UZ; \
	VMOVAPS	(2*SIZE)(SI), PU; \
	VMOVAPS	(3*SIZE)(SI), VX; \
	VMOVAPS	(4*SIZE)(SI), VY; \
	VMOVAPS	(5*SIZE)(SI), VZ; \
	VMOVAPS	(6*SIZE)(SI), QV

// The numbers at which a ray may meet a sphere, in Y: the smaller one of nb - root and
// nb + root that is not negative. As unsigned integers, negative numbers and NaN are
// the largest. X, Y and Z is from the ray to the center, but X is x² - r² already, and
// NB the first product.
#define ROOTS(DY, DZ, X, Y, Z, NB) \
	VFMADD231PS	DY, Y, NB; \
	VFMADD231PS	Y, Y, X; \
	VFMADD231PS	DZ, Z, NB; \
	VFMADD231PS	Z, Z, X; \
	VMOVAPS	NB, Y; \
	VFMSUB213PS	X, Y, Y; \
	VSQRTPS	Y, Y; \
	VSUBPS	Y, NB, X; \
	VADDPS	Y, NB, Y; \
	VPMINUD	X, Y, Y

// func acrossAVX512(s *search, c *columns, groups int)
TEXT ·acrossAVX512(SB), NOSPLIT, $0-24
	MOVQ	s+0(FP), AX
	MOVQ	c+8(FP), SI
	MOVQ	search_across(AX), DI
	MOVQ	groups+16(FP), CX
	MOVL	$0x1E800000, AX
	VPBROADCASTD	AX, Z29
	MOVL	$0x3F800000, AX
	VPBROADCASTD	AX, Z30

group:
	ACROSS(64, Z0, Z1, Z2, Z3, Z4, Z5, Z6, Z7, Z8, Z9, Z29, Z30)
	ADDQ	$(11*64), DI
	ADDQ	$(16*4), SI
	DECQ	CX
	JNE	group
	VZEROUPPER
	RET

// func sieveAVX512(s *search, c *columns, groups int)
//
// Looks to the side and up from each ray: finds p and q, and whether both are
// within reach. Then the candidates that are left close up.
//
//	Z0-Z2    ux, uz, pu
//	Z3-Z6    vx, vy, vz, qv
//	Z7-Z9    scratch
//	Z29-Z31  tiny, 1, numbers of the first sixteen spheres
//	K1       rays, or candidates
TEXT ·sieveAVX512(SB), NOSPLIT, $0-24
	BEGIN(spheres_reach)
	NUMBERS(Z31)

group:
	LOAD_ACROSS(64, Z0, Z1, Z2, Z3, Z4, Z5, Z6)
	FROM
	JMP	balls
	PCALIGN	$64

ball:
	BALL

	// The mask goes straight to memory. On the way through AX it would need a
	// unit that can multiply.
sphere:
	VBROADCASTSS	(R8)(BX*4), Z7
	VBROADCASTSS	(R10)(BX*4), Z8
	VMOVAPS	Z7, Z9
	VFMADD213PS	Z2, Z0, Z7
	VFMADD213PS	Z6, Z3, Z9
	VFNMADD231PS	Z8, Z1, Z7
	VFMADD231PS	Z8, Z5, Z9
	VFNMADD231PS.BCST	(R9)(BX*4), Z4, Z9
	VRANGEPS	$11, Z7, Z9, Z7 // the larger of |p| and |q|, or the one that is not NaN
	VCMPPS.BCST	$10, (R11)(BX*4), Z7, K1 // not larger than reach
	KMOVW	K1, (R12)(DX*4)
	INCQ	DX
	INCL	BX
	TESTL	$15, BX
	JNE	sphere

balls:
	CMPQ	R14, R15
	JLT	ball

	// The candidates that have rays close up, sixteen at a time: a jump for each would
	// often go the unexpected way.
	XORL	R14, R14
	XORL	DX, DX
	XORL	AX, AX
	JMP	sixteens

sixteen:
	VMOVDQU32	(R12)(AX*1), Z7
	ADDQ	$64, AX
	BALL
	VPBROADCASTD	BX, Z8
	VPADDD	Z31, Z8, Z8
	VPTESTMD	Z7, Z7, K1
	VPCOMPRESSD.Z	Z7, K1, Z7
	VPCOMPRESSD.Z	Z8, K1, Z8
	VMOVDQU32	Z7, (R12)(DX*4)
	VMOVDQU32	Z8, (CX)(DX*4)
	KMOVW	K1, BX
	POPCNTL	BX, BX
	ADDQ	BX, DX

sixteens:
	CMPQ	R14, R15
	JLT	sixteen
	MOVQ	DX, (DI)
	NEXT(group, 11*16)

// func ballsAVX512(s *search, c *columns, groups int)
//
// The sieve for balls, which are round, and not behind a ray by more than their radius.
// Registers as in sieveAVX512, and
//
//	BX       how many balls many rays meet
//	DX       how many pairs there are
//	Z10-Z13  directions, and how far the rays are along them
//	Z14, Z15 how far behind the ray a ball is, its radius
//	Z16, Z17 pairs of the ball and each ray; 16
TEXT ·ballsAVX512(SB), NOSPLIT, $0-24
	BEGIN(spheres_reach)
	MOVQ	search_spheres+spheres_cx+8(AX), R15
	MOVL	$16, AX
	VPBROADCASTD	AX, Z17

group:
	LOAD_ACROSS(64, Z0, Z1, Z2, Z3, Z4, Z5, Z6)
	VMOVAPS	(7*64)(SI), Z10
	VMOVAPS	(8*64)(SI), Z11
	VMOVAPS	(9*64)(SI), Z12
	VMOVAPS	(10*64)(SI), Z13
	VPMOVZXBD	lanes<>(SB), Z16
	XORL	R14, R14
	XORL	R13, R13
	XORL	DX, DX
	XORL	BX, BX
	JMP	balls
	PCALIGN	$64

ball:
	VBROADCASTSS	(R8)(R14*4), Z7
	VBROADCASTSS	(R10)(R14*4), Z8
	VMOVAPS	Z7, Z9
	VMOVAPS	Z13, Z14
	VFNMADD231PS	Z7, Z10, Z14
	VFNMADD231PS.BCST	(R9)(R14*4), Z11, Z14
	VFNMADD231PS	Z8, Z12, Z14
	VFMADD213PS	Z2, Z0, Z7
	VFMADD213PS	Z6, Z3, Z9
	VFNMADD231PS	Z8, Z1, Z7
	VFMADD231PS	Z8, Z5, Z9
	VFNMADD231PS.BCST	(R9)(R14*4), Z4, Z9
	VBROADCASTSS	(R11)(R14*4), Z15
	VMULPS	Z7, Z7, Z7
	VFMADD231PS	Z9, Z9, Z7
	VCMPPS	$10, Z15, Z14, K1 // not larger
	VMULPS	Z15, Z15, Z15
	VCMPPS	$10, Z15, Z7, K1, K1
	VPCOMPRESSD.Z	Z16, K1, Z7
	VPADDD	Z17, Z16, Z16
	VMOVDQU32	Z7, (R12)(DX*4)
	MOVL	R14, (CX)(BX*4)
	INCQ	R14
	KMOVW	K1, AX
	POPCNTL	AX, AX
	CMPL	AX, $const_popular
	CMOVLCC	R13, AX
	SBBQ	$-1, BX // one more, unless fewer rays meet it
	ADDQ	AX, DX

balls:
	CMPQ	R14, R15
	JLT	ball
	MOVQ	BX, (DI)
	MOVQ	DX, (search_pairCounts-search_counts)(DI)
	NEXT(group, 11*16)

// func pairsAVX512(s *search, c *columns, groups int)
//
// Adds candidates of the balls that few rays meet: each of these rays looks to the side
// and up to all spheres of a ball at once.
//
//	AX, BX   the spheres of the ball, the ray
//	SI       what the rays are in their planes, see across
//	R13-R15  pairs of balls and rays, which is next, how many there are
//	Z7-Z10   scratch
//	Z16      1, 2, 3, ...
//	K1       candidates
TEXT ·pairsAVX512(SB), NOSPLIT, $0-24
	BEGIN(spheres_reach)
	NUMBERS(Z16)

group:
	MOVQ	s+0(FP), AX
	MOVQ	search_spheres+spheres_cy(AX), R9
	MOVQ	search_balls(AX), BX
	MOVQ	DI, R13
	SUBQ	AX, R13
	MOVQ	(search_pairCounts-search_counts)(BX)(R13*1), R15
	SUBQ	$search_counts, R13
	SHRQ	$3, R13
	IMULQ	search_stride(BX), R13
	ADDQ	search_rays(BX), R13
	MOVQ	(DI), DX
	XORL	R14, R14
	JMP	pairs
	PCALIGN	$64

pair:
	MOVL	(R13)(R14*4), AX
	INCQ	R14
	MOVL	AX, BX
	ANDL	$15, BX
	SUBL	BX, AX
	VMOVUPS	(R8)(AX*4), Z7
	VMOVUPS	(R10)(AX*4), Z8
	VBROADCASTSS	128(SI)(BX*4), Z9
	VBROADCASTSS	384(SI)(BX*4), Z10
	VFMADD231PS.BCST	0(SI)(BX*4), Z7, Z9
	VFMADD231PS.BCST	192(SI)(BX*4), Z7, Z10
	VMOVUPS	(R9)(AX*4), Z7
	VFNMADD231PS.BCST	64(SI)(BX*4), Z8, Z9
	VFMADD231PS.BCST	320(SI)(BX*4), Z8, Z10
	VFNMADD231PS.BCST	256(SI)(BX*4), Z7, Z10
	VRANGEPS	$11, Z9, Z10, Z9
	VCMPPS	$10, (R11)(AX*4), Z9, K1
	VPBROADCASTD	AX, Z7
	VPADDD	Z16, Z7, Z7
	VPCOMPRESSD.Z	Z7, K1, Z7
	VMOVDQU32	Z7, (CX)(DX*4)
	LEAQ	bits16<>(SB), AX
	VBROADCASTSS	(AX)(BX*4), Z8
	VMOVDQU32	Z8, (R12)(DX*4)
	KMOVW	K1, AX
	POPCNTL	AX, AX
	ADDQ	AX, DX

pairs:
	CMPQ	R14, R15
	JLT	pair
	MOVQ	DX, (search_pairEnds-search_counts)(DI)
	NEXT(group, 11*16)

// SOLVE finds in Z9 where the rays in K1 may meet the next candidate, which is BX.
#define SOLVE \
	MOVL	(CX)(R14*4), BX; \
	KMOVW	(R12)(R14*4), K1; \
	INCQ	R14; \
	VSUBPS.BCST	-4(R8)(BX*4), Z0, Z8; \
	VSUBPS.BCST	-4(R9)(BX*4), Z1, Z9; \
	VSUBPS.BCST	-4(R10)(BX*4), Z2, Z10; \
	VMULPS	Z3, Z8, Z11; \
	VFMSUB213PS.BCST	-4(R11)(BX*4), Z8, Z8; \
	ROOTS(Z4, Z5, Z8, Z9, Z10, Z11)

// func solveAVX512(s *search, c *columns, groups int)
//
// Solves the equation for the candidates, and keeps the closest.
//
//	Z0-Z2    origins
//	Z3-Z5    directions, with the signs turned
//	Z6, Z7   distance and number of the closest sphere so far
//	Z8-Z11   scratch: x and c, y and root and t, z, nb
//	Z12, Z13 the same as Z6 and Z7, of pairs
//	Z28, Z29 the sign, the largest number
//	K1       rays
TEXT ·solveAVX512(SB), NOSPLIT, $0-24
	BEGIN(spheres_radiusSq)
	MOVQ	c+8(FP), SI
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
	XORL	R14, R14
	MOVQ	(DI), R15
	JMP	spheres
	PCALIGN	$64

sphere:
	SOLVE
	VPCMPUD	$1, Z6, Z9, K1, K1 // t < closest
	VMOVAPS	Z9, K1, Z6
	VPBROADCASTD	BX, K1, Z7

spheres:
	CMPQ	R14, R15
	JLT	sphere
	MOVQ	(search_pairEnds-search_counts)(DI), R15
	CMPQ	R14, R15
	JLT	pairs

found:
	VMOVUPS	Z6, columns_t(SI)
	VMOVDQU32	Z7, columns_hit(SI)
	NEXT(group, 16)

	// Those of pairs, by themselves. Then of equal hits the first sphere counts.
pairs:
	VMOVAPS	Z29, Z12
	VPXORD	Z13, Z13, Z13

pair:
	SOLVE
	VPCMPUD	$1, Z12, Z9, K1, K1
	VMOVAPS	Z9, K1, Z12
	VPBROADCASTD	BX, K1, Z13
	CMPQ	R14, R15
	JLT	pair
	VPCMPUD	$0, Z6, Z12, K2
	VPCMPUD	$1, Z7, Z13, K2, K2
	VPCMPUD	$1, Z6, Z12, K1
	KORW	K2, K1, K1
	VMOVAPS	Z12, K1, Z6
	VMOVDQA32	Z13, K1, Z7
	JMP	found

// func acrossAVX2(s *search, c *columns, groups int)
TEXT ·acrossAVX2(SB), NOSPLIT, $0-24
	MOVQ	s+0(FP), AX
	MOVQ	c+8(FP), SI
	MOVQ	search_across(AX), DI
	MOVQ	groups+16(FP), CX
	MOVL	$0x1E800000, AX
	VMOVD	AX, X13
	VPBROADCASTD	X13, Y13
	MOVL	$0x3F800000, AX
	VMOVD	AX, X14
	VPBROADCASTD	X14, Y14

group:
	ACROSS(32, Y0, Y1, Y2, Y3, Y4, Y5, Y6, Y7, Y8, Y9, Y13, Y14)
	ADDQ	$(11*32), DI
	ADDQ	$(8*4), SI
	DECQ	CX
	JNE	group
	VZEROUPPER
	RET

// func sieveAVX2(s *search, c *columns, groups int)
//
// Registers as in sieveAVX512, and
//
//	Y7-Y10   scratch
//	Y13-Y15  tiny, 1, all bits but the sign
TEXT ·sieveAVX2(SB), NOSPLIT, $0-24
	BEGIN(spheres_reach)
	VPCMPEQD	Y15, Y15, Y15
	VPSRLD	$1, Y15, Y15

group:
	LOAD_ACROSS(32, Y0, Y1, Y2, Y3, Y4, Y5, Y6)
	FROM
	JMP	balls
	PCALIGN	$64

ball:
	BALL

sphere:
	VBROADCASTSS	(R8)(BX*4), Y7
	VBROADCASTSS	(R10)(BX*4), Y8
	VBROADCASTSS	(R9)(BX*4), Y10
	VMOVAPS	Y7, Y9
	VFMADD213PS	Y2, Y0, Y7
	VFMADD213PS	Y6, Y3, Y9
	VFNMADD231PS	Y8, Y1, Y7
	VFMADD231PS	Y8, Y5, Y9
	VFNMADD231PS	Y10, Y4, Y9
	VBROADCASTSS	(R11)(BX*4), Y8
	VANDPS	Y15, Y7, Y7
	VANDPS	Y15, Y9, Y9
	VCMPPS	$10, Y8, Y7, Y7 // not larger than reach
	VCMPPS	$10, Y8, Y9, Y9
	VANDPS	Y7, Y9, Y7
	VMOVMSKPS	Y7, AX
	INCL	BX
	MOVL	BX, (CX)(DX*4)
	MOVL	AX, (R12)(DX*4)
	CMPL	AX, $1
	SBBQ	$-1, DX // one more, unless AX is 0
	TESTL	$15, BX
	JNE	sphere

balls:
	CMPQ	R14, R15
	JLT	ball
	MOVQ	DX, (DI)
	NEXT(group, 11*8)

// func ballsAVX2(s *search, c *columns, groups int)
//
// As ballsAVX512. Registers as in sieveAVX2, and
//
//	BX       how many balls many rays meet
//	DX       how many pairs there are
//	R13      how many rays meet the ball
//	R15      picks
//	Y11      how far behind the ray a ball is
//	Y12, Y13 16 times the ball; 16
TEXT ·ballsAVX2(SB), NOSPLIT, $16-24
	BEGIN(spheres_reach)
	MOVQ	search_popular(AX), R15
	MOVQ	R15, popular-16(SP)
	MOVQ	search_spheres+spheres_cx+8(AX), R15
	MOVQ	R15, n-8(SP)
	LEAQ	·picks(SB), R15
	MOVL	$16, AX
	VMOVD	AX, X13
	VPBROADCASTD	X13, Y13

group:
	LOAD_ACROSS(32, Y0, Y1, Y2, Y3, Y4, Y5, Y6)
	VPXOR	Y12, Y12, Y12
	XORL	R14, R14
	XORL	DX, DX
	XORL	BX, BX
	JMP	balls
	PCALIGN	$64

ball:
	VBROADCASTSS	(R8)(R14*4), Y7
	VBROADCASTSS	(R10)(R14*4), Y8
	VBROADCASTSS	(R9)(R14*4), Y10
	VMOVAPS	Y7, Y9
	VMOVAPS	(10*32)(SI), Y11
	VFNMADD231PS	(7*32)(SI), Y7, Y11
	VFNMADD231PS	(8*32)(SI), Y10, Y11
	VFNMADD231PS	(9*32)(SI), Y8, Y11
	VFMADD213PS	Y2, Y0, Y7
	VFMADD213PS	Y6, Y3, Y9
	VFNMADD231PS	Y8, Y1, Y7
	VFMADD231PS	Y8, Y5, Y9
	VFNMADD231PS	Y10, Y4, Y9
	VBROADCASTSS	(R11)(R14*4), Y8
	VMULPS	Y7, Y7, Y7
	VFMADD231PS	Y9, Y9, Y7
	VCMPPS	$10, Y8, Y11, Y11 // not larger
	VMULPS	Y8, Y8, Y8
	VCMPPS	$10, Y8, Y7, Y7
	VANDPS	Y11, Y7, Y7
	VMOVMSKPS	Y7, AX
	POPCNTL	AX, R13
	SHLL	$5, AX
	VPADDD	(R15)(AX*1), Y12, Y8
	VPADDD	Y13, Y12, Y12
	VMOVDQU	Y8, (R12)(DX*4)
	MOVL	R14, (CX)(BX*4)
	INCQ	R14
	CMPL	R13, popular-16(SP)
	SBBQ	AX, AX // -1 if fewer rays meet it, or else 0
	ANDQ	AX, R13
	ADDQ	R13, DX
	LEAQ	1(BX)(AX*1), BX

balls:
	CMPQ	R14, n-8(SP)
	JLT	ball
	MOVQ	BX, (DI)
	MOVQ	DX, (search_pairCounts-search_counts)(DI)
	NEXT(group, 11*8)

// PAIRS starts a loop over the pairs that the search at FROM has left for the group: R13 is the
// next, and END their end.
#define PAIRS(FROM, END) \
	MOVQ	DI, R13; \
	SUBQ	AX, R13; \
	MOVQ	(search_pairCounts-search_counts)(FROM)(R13*1), R14; \
	SUBQ	$search_counts, R13; \
	SHRQ	$3, R13; \
	IMULQ	search_stride(FROM), R13; \
	ADDQ	search_rays(FROM), R13; \
	LEAQ	(R13)(R14*4), R14; \
	MOVQ	R14, END

// PAIR takes a pair apart: what the ray BX meets, in AX, and its plane.
#define PAIR \
	MOVL	(R13), AX; \
	ADDQ	$4, R13; \
	MOVL	AX, BX; \
	ANDL	$15, BX; \
	SUBL	BX, AX; \
	VBROADCASTSS	(0*32)(SI)(BX*4), Y0; \
	VBROADCASTSS	(1*32)(SI)(BX*4), Y1; \
	VBROADCASTSS	(2*32)(SI)(BX*4), Y2; \
	VBROADCASTSS	(3*32)(SI)(BX*4), Y3; \
	VBROADCASTSS	(4*32)(SI)(BX*4), Y4; \
	VBROADCASTSS	(5*32)(SI)(BX*4), Y5; \
	VBROADCASTSS	(6*32)(SI)(BX*4), Y6

// func nestAVX2(s *search, c *columns, groups int)
//
// Makes pairs of balls, where the search has balls of eight balls: each ray that meets one of
// those looks to all eight at once. Registers as in pairsAVX2.
TEXT ·nestAVX2(SB), NOSPLIT, $8-24
	BEGIN(spheres_reach)
	LEAQ	·picks(SB), R15

group:
	MOVQ	s+0(FP), AX
	MOVQ	search_balls(AX), BX
	PAIRS(BX, end-8(SP))
	XORL	DX, DX
	JMP	pairs
	PCALIGN	$64

pair:
	PAIR
	SHRL	$1, AX
	VMOVUPS	(R8)(AX*4), Y7
	VMOVUPS	(R9)(AX*4), Y10
	VMOVUPS	(R10)(AX*4), Y8
	VBROADCASTSS	(10*32)(SI)(BX*4), Y11
	VBROADCASTSS	(7*32)(SI)(BX*4), Y9
	VBROADCASTSS	(8*32)(SI)(BX*4), Y12
	VBROADCASTSS	(9*32)(SI)(BX*4), Y13
	VFNMADD231PS	Y9, Y7, Y11
	VFNMADD231PS	Y12, Y10, Y11
	VFNMADD231PS	Y13, Y8, Y11
	VMOVAPS	Y7, Y9
	VFMADD213PS	Y2, Y0, Y7
	VFMADD213PS	Y6, Y3, Y9
	VFNMADD231PS	Y8, Y1, Y7
	VFMADD231PS	Y8, Y5, Y9
	VFNMADD231PS	Y10, Y4, Y9
	VMOVUPS	(R11)(AX*4), Y8
	VMULPS	Y7, Y7, Y7
	VFMADD231PS	Y9, Y9, Y7
	VCMPPS	$10, Y8, Y11, Y11 // not larger
	VMULPS	Y8, Y8, Y8
	VCMPPS	$10, Y8, Y7, Y7
	VANDPS	Y11, Y7, Y7
	VMOVMSKPS	Y7, R14
	SHLL	$4, AX
	ADDL	BX, AX
	VMOVD	AX, X12
	VPBROADCASTD	X12, Y12
	POPCNTL	R14, BX
	SHLL	$5, R14
	VMOVDQU	(R15)(R14*1), Y8
	VPSLLD	$4, Y8, Y8
	VPADDD	Y12, Y8, Y8
	VMOVDQU	Y8, (R12)(DX*4)
	ADDQ	BX, DX

pairs:
	CMPQ	R13, end-8(SP)
	JLT	pair
	MOVQ	$0, (DI)
	MOVQ	DX, (search_pairCounts-search_counts)(DI)
	NEXT(group, 11*8)

// MEET finds in MASK which of eight spheres, so many BYTES behind the first, a ray may hit.
#define MEET(BYTES, MASK) \
	VMOVUPS	BYTES(R8)(AX*4), Y7; \
	VMOVUPS	BYTES(R10)(AX*4), Y8; \
	VMOVAPS	Y7, Y9; \
	VFMADD213PS	Y2, Y0, Y7; \
	VFMADD213PS	Y6, Y3, Y9; \
	VFNMADD231PS	Y8, Y1, Y7; \
	VFMADD231PS	Y8, Y5, Y9; \
	VFNMADD231PS	BYTES(R9)(AX*4), Y4, Y9; \
	VANDPS	Y15, Y7, Y7; \
	VANDPS	Y15, Y9, Y9; \
	VMAXPS	Y9, Y7, Y7 /* the larger of |p| and |q|, or q if one is NaN */; \
	VCMPPS	$10, BYTES(R11)(AX*4), Y7, Y7; \
	VMOVMSKPS	Y7, MASK

// func pairsAVX2(s *search, c *columns, groups int)
//
// As pairsAVX512, eight spheres at a time. A candidate is one number, 8 times the sphere and
// the ray: a store that crosses a cache line costs more than to take it apart.
//
//	AX, BX   the spheres of the ball, then which of the last eight; the ray
//	R13      the next pair
//	R14, R15 which of the first eight; picks
//	Y0-Y6    the plane across the ray, in all lanes
//	Y7-Y9    scratch
//	Y12      the candidate if it is the first of eight spheres
//	Y14, Y15 64; all bits but the sign
TEXT ·pairsAVX2(SB), NOSPLIT, $8-24
	BEGIN(spheres_reach)
	LEAQ	·picks(SB), R15
	VPCMPEQD	Y15, Y15, Y15
	VPSRLD	$31, Y15, Y14
	VPSLLD	$6, Y14, Y14
	VPSRLD	$1, Y15, Y15

group:
	MOVQ	s+0(FP), AX
	MOVQ	search_balls(AX), BX
	PAIRS(BX, end-8(SP))
	MOVQ	(DI), DX
	JMP	pairs
	PCALIGN	$64

pair:
	PAIR
	LEAL	8(BX)(AX*8), BX // spheres are counted from 1
	VMOVD	BX, X12
	VPBROADCASTD	X12, Y12
	MEET(0, R14)
	MEET(32, AX)
	MOVL	R14, BX
	SHLL	$5, BX
	POPCNTL	R14, R14
	VMOVDQU	(R15)(BX*1), Y8
	VPSLLD	$3, Y8, Y8
	VPADDD	Y12, Y8, Y8
	VMOVDQU	Y8, (CX)(DX*4)
	ADDQ	R14, DX
	POPCNTL	AX, BX
	SHLL	$5, AX
	VMOVDQU	(R15)(AX*1), Y8
	VPSLLD	$3, Y8, Y8
	VPADDD	Y14, Y12, Y12
	VPADDD	Y12, Y8, Y8
	VMOVDQU	Y8, (CX)(DX*4)
	ADDQ	BX, DX

pairs:
	CMPQ	R13, end-8(SP)
	JLT	pair
	MOVQ	DX, (search_pairEnds-search_counts)(DI)
	NEXT(group, 11*8)

// SOLVE8 finds in Y9 where the rays may meet the sphere BX.
#define SOLVE8 \
	VBROADCASTSS	-4(R8)(BX*4), Y8; \
	VBROADCASTSS	-4(R9)(BX*4), Y9; \
	VBROADCASTSS	-4(R10)(BX*4), Y10; \
	VBROADCASTSS	-4(R11)(BX*4), Y12; \
	VSUBPS	Y0, Y8, Y8; \
	VSUBPS	Y1, Y9, Y9; \
	VSUBPS	Y2, Y10, Y10; \
	VMULPS	Y3, Y8, Y11; \
	VFMSUB213PS	Y12, Y8, Y8; \
	ROOTS(Y4, Y5, Y8, Y9, Y10, Y11)

// CLOSER keeps Y9 and the sphere Y12 where they are closer. AVX2 does not compare unsigned
// integers, but finds the smaller one.
#define CLOSER \
	VPMINUD	Y6, Y9, Y9; \
	VPCMPEQD	Y6, Y9, Y10 /* no closer */; \
	VMOVAPS	Y9, Y6; \
	VBLENDVPS	Y10, Y7, Y12, Y7

// func solveAVX2(s *search, c *columns, groups int)
//
// Registers as in solveAVX512, but the signs of the directions are not turned, and
//
//	Y8-Y12   scratch: x and c, y and root and t, z and mask, nb, radiusSq and number
//	Y13      bits of the candidate's rays: 1, 2, 4, ...
//	Y14      0
//	Y15      the largest number
TEXT ·solveAVX2(SB), NOSPLIT, $0-24
	BEGIN(spheres_radiusSq)
	MOVQ	c+8(FP), SI
	VPMOVZXBD	bits<>(SB), Y13
	VXORPS	Y14, Y14, Y14
	MOVL	$0x7F7FFFFF, AX
	VMOVD	AX, X15
	VPBROADCASTD	X15, Y15

group:
	VMOVUPS	columns_ox(SI), Y0
	VMOVUPS	columns_oy(SI), Y1
	VMOVUPS	columns_oz(SI), Y2
	VMOVUPS	columns_dx(SI), Y3
	VMOVUPS	columns_dy(SI), Y4
	VMOVUPS	columns_dz(SI), Y5
	VMOVAPS	Y15, Y6
	VXORPS	Y7, Y7, Y7
	XORL	R14, R14
	MOVQ	(DI), R15
	JMP	spheres
	PCALIGN	$64

sphere:
	MOVL	(CX)(R14*4), BX
	SOLVE8
	VPBROADCASTD	(R12)(R14*4), Y10
	VPBROADCASTD	(CX)(R14*4), Y12
	INCQ	R14
	VPAND	Y13, Y10, Y10
	VPCMPEQD	Y14, Y10, Y10 // not of these rays
	VPOR	Y10, Y9, Y9
	CLOSER

spheres:
	CMPQ	R14, R15
	JLT	sphere
	MOVQ	(search_pairEnds-search_counts)(DI), R15
	CMPQ	R14, R15
	JLT	pairs

found:
	VMOVUPS	Y6, columns_t(SI)
	VMOVDQU	Y7, columns_hit(SI)
	NEXT(group, 8)

	// Those of pairs, by themselves. Then of equal hits the first sphere counts.
pairs:
	VMOVUPS	Y6, columns_t(SI)
	VMOVDQU	Y7, columns_hit(SI)
	VMOVAPS	Y15, Y6
	VXORPS	Y7, Y7, Y7
	LEAQ	others<>(SB), R13

pair:
	MOVL	(CX)(R14*4), AX
	MOVL	AX, BX
	SHRL	$3, BX
	SOLVE8
	VMOVD	BX, X12
	VPBROADCASTD	X12, Y12
	INCQ	R14
	ANDL	$7, AX
	XORL	$7, AX
	VPOR	(R13)(AX*4), Y9, Y9
	CLOSER
	CMPQ	R14, R15
	JLT	pair
	VMOVUPS	columns_t(SI), Y8
	VMOVDQU	columns_hit(SI), Y9
	VPCMPGTD	Y7, Y9, Y10 // the other sphere is a later one
	VPCMPEQD	Y6, Y8, Y11 // and as far
	VPAND	Y11, Y10, Y10
	VPCMPGTD	Y6, Y8, Y11 // or is further
	VPOR	Y11, Y10, Y10
	VBLENDVPS	Y10, Y6, Y8, Y6
	VBLENDVPS	Y10, Y7, Y9, Y7
	JMP	found

// The bits of eight rays, as bytes.
DATA bits<>+0(SB)/8, $0x8040201008040201
GLOBL bits<>(SB), RODATA|NOPTR, $8

// All bits of all lanes but one, from an earlier or later number on.
DATA others<>+0(SB)/8, $-1
DATA others<>+8(SB)/8, $-1
DATA others<>+16(SB)/8, $-1
DATA others<>+24(SB)/8, $0x00000000FFFFFFFF
DATA others<>+32(SB)/8, $-1
DATA others<>+40(SB)/8, $-1
DATA others<>+48(SB)/8, $-1
DATA others<>+56(SB)/4, $-1
GLOBL others<>(SB), RODATA|NOPTR, $60

// The numbers of the lanes, as bytes.
DATA lanes<>+0(SB)/8, $0x0706050403020100
DATA lanes<>+8(SB)/8, $0x0F0E0D0C0B0A0908
DATA lanes<>+16(SB)/1, $0x10
GLOBL lanes<>(SB), RODATA|NOPTR, $17

// The bits of sixteen rays.
DATA bits16<>+0(SB)/8, $0x0000000200000001
DATA bits16<>+8(SB)/8, $0x0000000800000004
DATA bits16<>+16(SB)/8, $0x0000002000000010
DATA bits16<>+24(SB)/8, $0x0000008000000040
DATA bits16<>+32(SB)/8, $0x0000020000000100
DATA bits16<>+40(SB)/8, $0x0000080000000400
DATA bits16<>+48(SB)/8, $0x0000200000001000
DATA bits16<>+56(SB)/8, $0x0000800000004000
GLOBL bits16<>(SB), RODATA|NOPTR, $64
