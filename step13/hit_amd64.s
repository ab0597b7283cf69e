//go:build !purego

#include "go_asm.h"
#include "textflag.h"

// func closestAVX2(p *firstPass, r *Ray, tMin, tMax float32) (closest int, t float32)
//
// The operands of an instruction are sources first, destination last, and the
// sources are in the reverse order of Intel's manuals: VSUBPS A, B, C is
// C = B - A. VFMADD231PS A, B, C is C = A*B + C, rounded once; VFNMADD231PS is
// C = -A*B + C, and VFNMSUB231PS C = -A*B - C. To compare, CMPQ A, B has them in
// this order and COMISS A, B in the other.
//
// First pass:
//
//	AX        p, then a bit a sphere: 1 for a candidate
//	BX        r, then the end of two groups, then the sign bits of the second
//	CX        index of the next sphere
//	DX        bits of the candidates from the last multiple of 64 on
//	SI        number of spheres, padded
//	DI        where the next 64 bits go
//	R8-R11    cx, cy, cz, radiusSq
//	R12, R13  nb, discriminants
//	Y0-Y2     origin of the ray, each coordinate eight times
//	Y3-Y5     its direction
//	Y6-Y8     ocx, ocy, ocz of eight spheres; Y12-Y14 of the next eight
//	Y9, Y15   nb
//	Y10, Y12  c
//	Y11, Y13  discriminant
//
// Second pass:
//
//	AX        index of the closest sphere so far, or -1
//	BX        index of a candidate
//	CX        index of the first sphere of a word
//	DX        bits of the candidates in the word that are left
//	R8        the next word
//	X0, X1    tMin; distance of the closest hit so far
//	X6, X7    root; nb
//	X8        t
//
// Second pass over no more than eight spheres, where it differs:
//
//	X2        index of a candidate
//	Y6, Y7    nb - root, nb + root
TEXT ·closestAVX2(SB), NOSPLIT, $0-36
	CMPB	·hasKernel(SB), $0
	JEQ	generic
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

	// The ray is the same for all spheres: copy each of its numbers to all
	// eight places of a register.
	VBROADCASTSS	Ray_Origin+Vec3_X(BX), Y0
	VBROADCASTSS	Ray_Origin+Vec3_Y(BX), Y1
	VBROADCASTSS	Ray_Origin+Vec3_Z(BX), Y2
	VBROADCASTSS	Ray_Direction+Vec3_X(BX), Y3
	VBROADCASTSS	Ray_Direction+Vec3_Y(BX), Y4
	VBROADCASTSS	Ray_Direction+Vec3_Z(BX), Y5

	// Two groups of eight at a time: their sums do not wait for each other, so
	// the processor can work on both.
	XORL	CX, CX
	XORL	DX, DX
	JMP	pairs

pair:
	// oc = origin - center
	VSUBPS	(R8)(CX*4), Y0, Y6
	VSUBPS	(R9)(CX*4), Y1, Y7
	VSUBPS	(R10)(CX*4), Y2, Y8
	VSUBPS	32(R8)(CX*4), Y0, Y12
	VSUBPS	32(R9)(CX*4), Y1, Y13
	VSUBPS	32(R10)(CX*4), Y2, Y14

	// nb = -(ocz*dz) - (ocy*dy + ocx*dx), fused: a column in memory can be
	// subtracted from a register but not the other way round, so oc is here what
	// has its sign turned.
	// c = ocz*ocz + (ocy*ocy + ocx*ocx), fused; then less radiusSq
	VMULPS	Y3, Y6, Y9
	VMULPS	Y3, Y12, Y15
	VMULPS	Y6, Y6, Y10
	VMULPS	Y12, Y12, Y12
	VFNMSUB231PS	Y4, Y7, Y9
	VFNMSUB231PS	Y4, Y13, Y15
	VFMADD231PS	Y7, Y7, Y10
	VFMADD231PS	Y13, Y13, Y12
	VFNMADD231PS	Y5, Y8, Y9
	VFNMADD231PS	Y5, Y14, Y15
	VFMADD231PS	Y8, Y8, Y10
	VFMADD231PS	Y14, Y14, Y12
	VSUBPS	(R11)(CX*4), Y10, Y10
	VSUBPS	32(R11)(CX*4), Y12, Y12

	// discriminant = nb*nb - c, not fused
	VMULPS	Y9, Y9, Y11
	VMULPS	Y15, Y15, Y13
	VSUBPS	Y10, Y11, Y11
	VSUBPS	Y12, Y13, Y13

	VMOVUPS	Y9, (R12)(CX*4)
	VMOVUPS	Y15, 32(R12)(CX*4)
	VMOVUPS	Y11, (R13)(CX*4)
	VMOVUPS	Y13, 32(R13)(CX*4)

	// VMOVMSKPS collects eight sign bits. A candidate has a clear one.
	VMOVMSKPS	Y11, AX
	VMOVMSKPS	Y13, BX
	SHLL	$8, BX
	ORL	BX, AX
	XORL	$0xFFFF, AX

	// Put the sixteen bits in their place among 64. A shift takes only the
	// lowest six bits of CX as its distance.
	SHLQ	CX, AX
	ORQ	AX, DX
	ADDQ	$16, CX
	TESTQ	$63, CX
	JNZ	pairs
	MOVQ	DX, (DI)
	ADDQ	$8, DI
	XORL	DX, DX

pairs:
	LEAQ	16(CX), BX
	CMPQ	BX, SI
	JLE	pair

	// The same for a group that is left.
	CMPQ	CX, SI
	JGE	last
	VSUBPS	(R8)(CX*4), Y0, Y6
	VSUBPS	(R9)(CX*4), Y1, Y7
	VSUBPS	(R10)(CX*4), Y2, Y8
	VMULPS	Y3, Y6, Y9
	VMULPS	Y6, Y6, Y10
	VFNMSUB231PS	Y4, Y7, Y9
	VFMADD231PS	Y7, Y7, Y10
	VFNMADD231PS	Y5, Y8, Y9
	VFMADD231PS	Y8, Y8, Y10
	VSUBPS	(R11)(CX*4), Y10, Y10
	VMULPS	Y9, Y9, Y11
	VSUBPS	Y10, Y11, Y11
	VMOVUPS	Y9, (R12)(CX*4)
	VMOVUPS	Y11, (R13)(CX*4)
	VMOVMSKPS	Y11, AX
	XORL	$0xFF, AX
	SHLQ	CX, AX
	ORQ	AX, DX
	TESTQ	CX, CX
	JZ	few

last:
	// Fewer than 64 bits are left, or none.
	TESTQ	$63, SI
	JZ	second
	MOVQ	DX, (DI)

second:
	// From here on as with SSE: the SSE instructions of this pass, and those that
	// Go emits, are slow while the upper halves of the registers are in use.
	VZEROUPPER
	MOVSS	tMin+16(FP), X0
	MOVSS	tMax+20(FP), X1
	MOVQ	$-1, AX
	XORL	CX, CX
	CMPQ	SI, $64
	JLT	word // the only one, and it is in DX
	MOVQ	p+0(FP), R8
	MOVQ	firstPass_candidates(R8), R8

load:
	MOVQ	(R8), DX
	ADDQ	$8, R8

word:
	TESTQ	DX, DX
	JZ	next

candidate:
	// The lowest bit that is set is the next candidate. On a processor without
	// TZCNTQ this is BSFQ, which gives the same unless all bits are clear.
	TZCNTQ	DX, BX
	ADDQ	CX, BX

	// t = nb - root, or nb + root if that is not above tMin
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
	// Clear the bit, and go on while there are others.
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

few:
	// One group, so no more than eight spheres: solve all equations at once. The
	// roots do not wait for the bits, nor for numbers to come back from memory. With
	// more groups they would take longer than all the rest of a turn.
	MOVQ	DX, (DI)
	VSQRTPS	Y11, Y10
	VSUBPS	Y10, Y9, Y6
	VADDPS	Y10, Y9, Y7
	VMOVSS	tMin+16(FP), X0
	VMOVSS	tMax+20(FP), X1
	MOVQ	$-1, AX
	TESTQ	DX, DX
	JZ	fewDone

fewCandidate:
	// VPERMPS takes number BX of the eight to the lowest place.
	TZCNTQ	DX, BX
	VMOVD	BX, X2
	VPERMPS	Y6, Y2, Y8
	VCOMISS	X0, X8
	JHI	fewAbove
	VPERMPS	Y7, Y2, Y8
	VCOMISS	X0, X8
	JLS	fewMiss

fewAbove:
	VCOMISS	X8, X1
	JLS	fewMiss
	VMOVAPS	X8, X1
	MOVQ	BX, AX

fewMiss:
	LEAQ	-1(DX), BX
	ANDQ	BX, DX
	JNZ	fewCandidate

fewDone:
	VZEROUPPER
	JMP	done

generic:
	// Its arguments and results have the same places.
	JMP	·closestGeneric(SB)

// COORDINATE draws the next numbers of eight generators in STATE, of 24 bits in
// [-1, 1), stores them in COLUMN, and leaves their squares in P.
#define COORDINATE(STATE, COLUMN, P) \
	VPSLLD	$13, STATE, P; \
	VPXOR	P, STATE, STATE; \
	VPSRLD	$17, STATE, P; \
	VPXOR	P, STATE, STATE; \
	VPSLLD	$15, STATE, P; \
	VPXOR	P, STATE, STATE; \
	VPAND	Y11, STATE, P; \
	VCVTDQ2PS	P, P; \
	VMULPS	Y12, P, P; \
	VSUBPS	Y13, P, P; \
	VMOVUPS	P, COLUMN(DI)(CX*4); \
	VMULPS	P, P, P

// func drawAVX2(r *RNG, starts *[3][8]uint32)
//
// Eight runs of points side by side: within a run each number waits for the one
// before.
//
//	CX      place of the next eight points
//	DI      r
//	Y0-Y2   states of the eight generators of x, of y, of z
//	Y3      bits of the points so far, a run each: 1 for one in the ball
//	Y4-Y6   squares of the coordinates
//	Y10     the sign bit, eight times
//	Y11     0xFFFFFF, eight times
//	Y12     1 / 2^23
//	Y13     1
TEXT ·drawAVX2(SB), NOSPLIT, $0-16
	MOVQ	r+0(FP), DI
	MOVQ	starts+8(FP), AX
	VMOVDQU	(AX), Y0
	VMOVDQU	32(AX), Y1
	VMOVDQU	64(AX), Y2
	MOVL	$0x80000000, AX
	VMOVD	AX, X10
	VPBROADCASTD	X10, Y10
	MOVL	$0xFFFFFF, AX
	VMOVD	AX, X11
	VPBROADCASTD	X11, Y11
	MOVL	$0x34000000, AX
	VMOVD	AX, X12
	VPBROADCASTD	X12, Y12
	MOVL	$0x3F800000, AX
	VMOVD	AX, X13
	VPBROADCASTD	X13, Y13
	VPXOR	Y3, Y3, Y3
	XORL	CX, CX

eight:
	COORDINATE(Y0, RNG_px, Y4)
	COORDINATE(Y1, RNG_py, Y5)
	COORDINATE(Y2, RNG_pz, Y6)
	// The sign bit of (x*x + y*y) + z*z - 1 is set for a point in the ball. It
	// becomes the highest of its run, and those before it move down.
	VADDPS	Y5, Y4, Y4
	VADDPS	Y6, Y4, Y4
	VSUBPS	Y13, Y4, Y4
	VPAND	Y10, Y4, Y4
	VPSRLD	$1, Y3, Y3
	VPOR	Y4, Y3, Y3
	ADDL	$8, CX
	CMPL	CX, $const_ahead
	JLT	eight

	// The upper eight bits of the eight numbers are the bits of the runs.
	VPSRLD	$24, Y3, Y3
	VEXTRACTI128	$1, Y3, X4
	VPACKUSDW	X4, X3, X3
	VPACKUSWB	X3, X3, X3
	VMOVQ	X3, RNG_inside(DI)
	MOVQ	$0, RNG_next(DI)
	VZEROUPPER
	RET
