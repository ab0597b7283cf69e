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
//	SI       rays of the group
//	DI       how many candidates the group has
//	R8-R11   cx, cy, cz, reach or radiusSq
//	R12      rays of the group's candidates
//	R13      numbers to read
//	R14      which is next
//	R15      how many there are to read
#define BEGIN(COLUMN) \
	MOVQ	s+0(FP), AX; \
	MOVQ	c+8(FP), SI; \
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

// The list that the sieve of a group reads.
#define FROM \
	MOVQ	s+0(FP), AX; \
	MOVQ	search_from(AX), R13; \
	ADDQ	(search_fromAt-search_counts)(DI), R13; \
	MOVQ	(search_fromCounts-search_counts)(DI), R15; \
	XORL	R14, R14

// newAcross for a group. ONE is 1, TINY is tiny, and T, U and V are scratch.
#define ACROSS(UX, UZ, PU, VX, VY, VZ, QV, T, U, V, TINY, ONE) \
	VMOVUPS	columns_dx(SI), VX; \
	VMOVUPS	columns_dy(SI), VY; \
	VMOVUPS	columns_dz(SI), VZ; \
	VMOVAPS	TINY, QV; \
	VFMADD231PS	VX, VX, QV; \
	VFMADD231PS	VZ, VZ, QV; \
	VSQRTPS	QV, T; \
	VDIVPS	T, ONE, T; \
	VMULPS	T, VZ, UX; \
	VMULPS	T, VX, UZ; \
	VMULPS	T, VY, U; \
	VMULPS	VX, U, VX; \
	VMULPS	T, QV, VY; \
	VMULPS	VZ, U, VZ; \
	VMOVUPS	columns_ox(SI), V; \
	VMOVUPS	columns_oy(SI), T; \
	VMOVUPS	columns_oz(SI), U; \
	VMULPS	UX, V, PU; \
	VFMSUB231PS	UZ, U, PU; \
	VMULPS	VX, V, QV; \
	VFMADD231PS	VZ, U, QV; \
	VFMSUB231PS	VY, T, QV

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

// CLOSE_UP leaves the candidates that have rays, sixteen at a time: a jump for each would
// often go the unexpected way. The last of them may be after the end.
#define CLOSE_UP \
	VMOVDQU32	Z28, (R12)(R15*4); \
	XORL	R14, R14; \
	XORL	DX, DX; \
	JMP	sixteens; \
sixteen: \
	VMOVDQU32	(R12)(R14*4), Z7; \
	VPTESTMD	Z7, Z7, K1; \
	VPCOMPRESSD.Z	Z7, K1, Z7; \
	VMOVDQU32	(R13)(R14*4), Z8; \
	VPCOMPRESSD.Z	Z8, K1, Z8; \
	VMOVDQU32	Z7, (R12)(DX*4); \
	VMOVDQU32	Z8, (CX)(DX*4); \
	KMOVW	K1, AX; \
	POPCNTL	AX, AX; \
	ADDQ	AX, DX; \
	ADDQ	$16, R14; \
sixteens: \
	CMPQ	R14, R15; \
	JLT	sixteen; \
	MOVQ	DX, (DI)

// func sieveAVX512(s *search, c *columns, groups int)
//
// Looks to the side and up from each ray: finds p and q, and whether both are
// within reach. Then the candidates that are left close up.
//
//	Z0-Z2    ux, uz, pu
//	Z3-Z6    vx, vy, vz, qv
//	Z7-Z9    scratch
//	Z28-Z30  0, tiny, 1
//	K1       rays, or candidates
TEXT ·sieveAVX512(SB), NOSPLIT, $0-24
	BEGIN(spheres_reach)
	VPXORD	Z28, Z28, Z28
	MOVL	$0x1E800000, AX
	VPBROADCASTD	AX, Z29
	MOVL	$0x3F800000, AX
	VPBROADCASTD	AX, Z30

group:
	ACROSS(Z0, Z1, Z2, Z3, Z4, Z5, Z6, Z7, Z8, Z9, Z29, Z30)
	FROM
	JMP	spheres
	PCALIGN	$64

	// The mask goes straight to memory. On the way through AX it would need a
	// unit that can multiply.
sphere:
	MOVL	(R13)(R14*4), BX
	VBROADCASTSS	-4(R8)(BX*4), Z7
	VBROADCASTSS	-4(R10)(BX*4), Z8
	VMOVAPS	Z7, Z9
	VFMADD213PS	Z2, Z0, Z7
	VFMADD213PS	Z6, Z3, Z9
	VFNMADD231PS	Z8, Z1, Z7
	VFMADD231PS	Z8, Z5, Z9
	VFNMADD231PS.BCST	-4(R9)(BX*4), Z4, Z9
	VRANGEPS	$11, Z7, Z9, Z7 // the larger of |p| and |q|, or the one that is not NaN
	VCMPPS.BCST	$10, -4(R11)(BX*4), Z7, K1 // not larger than reach
	KMOVW	K1, (R12)(R14*4)
	INCQ	R14

spheres:
	CMPQ	R14, R15
	JLT	sphere

	CLOSE_UP
	NEXT(group, 16)

// func ballsAVX512(s *search, c *columns, groups int)
//
// The sieve for balls, which are round, and not behind a ray by more than their radius.
// Registers as in sieveAVX512, and
//
//	Z10-Z13  directions, and how far the rays are along them
//	Z14, Z15 how far behind the ray a ball is, its radius
TEXT ·ballsAVX512(SB), NOSPLIT, $0-24
	BEGIN(spheres_reach)
	VPXORD	Z28, Z28, Z28
	MOVL	$0x1E800000, AX
	VPBROADCASTD	AX, Z29
	MOVL	$0x3F800000, AX
	VPBROADCASTD	AX, Z30

group:
	ACROSS(Z0, Z1, Z2, Z3, Z4, Z5, Z6, Z7, Z8, Z9, Z29, Z30)
	VMOVUPS	columns_dx(SI), Z10
	VMOVUPS	columns_dy(SI), Z11
	VMOVUPS	columns_dz(SI), Z12
	VMULPS	columns_ox(SI), Z10, Z13
	VFMADD231PS	columns_oy(SI), Z11, Z13
	VFMADD231PS	columns_oz(SI), Z12, Z13
	FROM
	JMP	spheres
	PCALIGN	$64

	// The mask goes straight to memory. On the way through AX it would need a
	// unit that can multiply.
sphere:
	MOVL	(R13)(R14*4), BX
	VBROADCASTSS	-4(R8)(BX*4), Z7
	VBROADCASTSS	-4(R10)(BX*4), Z8
	VMOVAPS	Z7, Z9
	VMOVAPS	Z13, Z14
	VFNMADD231PS	Z7, Z10, Z14
	VFNMADD231PS.BCST	-4(R9)(BX*4), Z11, Z14
	VFNMADD231PS	Z8, Z12, Z14
	VFMADD213PS	Z2, Z0, Z7
	VFMADD213PS	Z6, Z3, Z9
	VFNMADD231PS	Z8, Z1, Z7
	VFMADD231PS	Z8, Z5, Z9
	VFNMADD231PS.BCST	-4(R9)(BX*4), Z4, Z9
	VBROADCASTSS	-4(R11)(BX*4), Z15
	VMULPS	Z7, Z7, Z7
	VFMADD231PS	Z9, Z9, Z7
	VCMPPS	$10, Z15, Z14, K1 // not larger
	VMULPS	Z15, Z15, Z15
	VCMPPS	$10, Z15, Z7, K1, K1
	KMOVW	K1, (R12)(R14*4)
	INCQ	R14

spheres:
	CMPQ	R14, R15
	JLT	sphere

	CLOSE_UP
	NEXT(group, 16)

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
	BEGIN(spheres_radiusSq)
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
	MOVL	(CX)(R14*4), BX
	KMOVW	(R12)(R14*4), K1
	INCQ	R14
	VSUBPS.BCST	-4(R8)(BX*4), Z0, Z8
	VSUBPS.BCST	-4(R9)(BX*4), Z1, Z9
	VSUBPS.BCST	-4(R10)(BX*4), Z2, Z10
	VMULPS	Z3, Z8, Z11
	VFMSUB213PS.BCST	-4(R11)(BX*4), Z8, Z8
	ROOTS(Z4, Z5, Z8, Z9, Z10, Z11)
	VPCMPUD	$1, Z6, Z9, K1, K1 // t < closest
	VMOVAPS	Z9, K1, Z6
	VPBROADCASTD	BX, K1, Z7

spheres:
	CMPQ	R14, R15
	JLT	sphere
	VMOVUPS	Z6, columns_t(SI)
	VMOVDQU32	Z7, columns_hit(SI)
	NEXT(group, 16)

// func sieveAVX2(s *search, c *columns, groups int)
//
// Registers as in sieveAVX512, and
//
//	Y7-Y10   scratch
//	Y13-Y15  tiny, 1, all bits but the sign
TEXT ·sieveAVX2(SB), NOSPLIT, $0-24
	BEGIN(spheres_reach)
	MOVL	$0x1E800000, AX
	VMOVD	AX, X13
	VPBROADCASTD	X13, Y13
	MOVL	$0x3F800000, AX
	VMOVD	AX, X14
	VPBROADCASTD	X14, Y14
	VPCMPEQD	Y15, Y15, Y15
	VPSRLD	$1, Y15, Y15

group:
	ACROSS(Y0, Y1, Y2, Y3, Y4, Y5, Y6, Y7, Y8, Y9, Y13, Y14)
	FROM
	XORL	DX, DX
	JMP	spheres
	PCALIGN	$64

sphere:
	MOVL	(R13)(R14*4), BX
	INCQ	R14
	VBROADCASTSS	-4(R8)(BX*4), Y7
	VBROADCASTSS	-4(R10)(BX*4), Y8
	VBROADCASTSS	-4(R9)(BX*4), Y10
	VMOVAPS	Y7, Y9
	VFMADD213PS	Y2, Y0, Y7
	VFMADD213PS	Y6, Y3, Y9
	VFNMADD231PS	Y8, Y1, Y7
	VFMADD231PS	Y8, Y5, Y9
	VFNMADD231PS	Y10, Y4, Y9
	VBROADCASTSS	-4(R11)(BX*4), Y8
	VANDPS	Y15, Y7, Y7
	VANDPS	Y15, Y9, Y9
	VCMPPS	$10, Y8, Y7, Y7 // not larger than reach
	VCMPPS	$10, Y8, Y9, Y9
	VANDPS	Y7, Y9, Y7
	VMOVMSKPS	Y7, AX
	MOVL	BX, (CX)(DX*4)
	MOVL	AX, (R12)(DX*4)
	CMPL	AX, $1
	SBBQ	$-1, DX // one more, unless AX is 0

spheres:
	CMPQ	R14, R15
	JLT	sphere
	MOVQ	DX, (DI)
	NEXT(group, 8)

// func ballsAVX2(s *search, c *columns, groups int)
//
// Registers as in sieveAVX2, and
//
//	Y11, Y12 how far behind the ray a ball is, how far the ray is along its direction
TEXT ·ballsAVX2(SB), NOSPLIT, $0-24
	BEGIN(spheres_reach)
	MOVL	$0x1E800000, AX
	VMOVD	AX, X13
	VPBROADCASTD	X13, Y13
	MOVL	$0x3F800000, AX
	VMOVD	AX, X14
	VPBROADCASTD	X14, Y14

group:
	ACROSS(Y0, Y1, Y2, Y3, Y4, Y5, Y6, Y7, Y8, Y9, Y13, Y14)
	VMOVUPS	columns_dx(SI), Y11
	VMULPS	columns_ox(SI), Y11, Y12
	VMOVUPS	columns_dy(SI), Y11
	VFMADD231PS	columns_oy(SI), Y11, Y12
	VMOVUPS	columns_dz(SI), Y11
	VFMADD231PS	columns_oz(SI), Y11, Y12
	FROM
	XORL	DX, DX
	JMP	spheres
	PCALIGN	$64

sphere:
	MOVL	(R13)(R14*4), BX
	INCQ	R14
	VBROADCASTSS	-4(R8)(BX*4), Y7
	VBROADCASTSS	-4(R10)(BX*4), Y8
	VBROADCASTSS	-4(R9)(BX*4), Y10
	VMOVAPS	Y7, Y9
	VMOVAPS	Y12, Y11
	VFNMADD231PS	columns_dx(SI), Y7, Y11
	VFNMADD231PS	columns_dy(SI), Y10, Y11
	VFNMADD231PS	columns_dz(SI), Y8, Y11
	VFMADD213PS	Y2, Y0, Y7
	VFMADD213PS	Y6, Y3, Y9
	VFNMADD231PS	Y8, Y1, Y7
	VFMADD231PS	Y8, Y5, Y9
	VFNMADD231PS	Y10, Y4, Y9
	VBROADCASTSS	-4(R11)(BX*4), Y8
	VMULPS	Y7, Y7, Y7
	VFMADD231PS	Y9, Y9, Y7
	VCMPPS	$10, Y8, Y11, Y11 // not larger
	VMULPS	Y8, Y8, Y8
	VCMPPS	$10, Y8, Y7, Y7
	VANDPS	Y11, Y7, Y7
	VMOVMSKPS	Y7, AX
	MOVL	BX, (CX)(DX*4)
	MOVL	AX, (R12)(DX*4)
	CMPL	AX, $1
	SBBQ	$-1, DX // one more, unless AX is 0

spheres:
	CMPQ	R14, R15
	JLT	sphere
	MOVQ	DX, (DI)
	NEXT(group, 8)

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
	VBROADCASTSS	-4(R8)(BX*4), Y8
	VBROADCASTSS	-4(R9)(BX*4), Y9
	VBROADCASTSS	-4(R10)(BX*4), Y10
	VBROADCASTSS	-4(R11)(BX*4), Y12
	VSUBPS	Y0, Y8, Y8
	VSUBPS	Y1, Y9, Y9
	VSUBPS	Y2, Y10, Y10
	VMULPS	Y3, Y8, Y11
	VFMSUB213PS	Y12, Y8, Y8
	ROOTS(Y4, Y5, Y8, Y9, Y10, Y11)
	VPBROADCASTD	(R12)(R14*4), Y10
	VPBROADCASTD	(CX)(R14*4), Y12
	INCQ	R14
	VPAND	Y13, Y10, Y10
	VPCMPEQD	Y14, Y10, Y10 // not of these rays

	// AVX2 does not compare unsigned integers, but finds the smaller one.
	VPOR	Y10, Y9, Y9
	VPMINUD	Y6, Y9, Y9
	VPCMPEQD	Y6, Y9, Y10 // no closer
	VMOVAPS	Y9, Y6
	VBLENDVPS	Y10, Y7, Y12, Y7

spheres:
	CMPQ	R14, R15
	JLT	sphere
	VMOVUPS	Y6, columns_t(SI)
	VMOVDQU	Y7, columns_hit(SI)
	NEXT(group, 8)

// The bits of eight rays, as bytes.
DATA bits<>+0(SB)/8, $0x8040201008040201
GLOBL bits<>(SB), RODATA|NOPTR, $8
