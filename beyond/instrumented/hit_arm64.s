//go:build !purego

#include "go_asm.h"
#include "textflag.h"

// The assembler of Go 1.26 knows no arithmetic on four float32 but the fused
// one. These are the instructions of the same names, as numbers: registers by
// their number, sources first, destination last.
#define VFSUB4(m, n, d) WORD $(0x4EA0D400 | (m)<<16 | (n)<<5 | (d)) // d = n - m
#define VFMUL4(m, n, d) WORD $(0x6E20DC00 | (m)<<16 | (n)<<5 | (d)) // d = n * m

// func closestNEON(p *firstPass, r *Ray, tMin, tMax float32) (closest int, t float32)
//
// The operands of an instruction are sources first, destination last, and the
// sources are in the reverse order of Arm's manuals: FSUBS A, B, C is C = B - A,
// and VFMLA A, B, C is C = C + B*A, rounded once.
// To compare, CMP A, B and FCMPS A, B ask how B compares with A. V6 and F6 are
// two names of one register: as a vector, or as a number and for loads and
// stores.
//
// First pass:
//
//	R0        p
//	R1        r
//	R2        index of the next sphere
//	R3        bits of the candidates from the last multiple of 64 on
//	R4        number of spheres, padded
//	R5        where the next 64 bits go
//	R6        a bit a sphere: 1 for a candidate
//	R8-R11    the next of cx, cy, cz, radiusSq
//	R12, R13  the next of nb, discriminants
//	V0-V2     origin of the ray, each coordinate four times
//	V3-V5     its direction
//	V6-V8     cox, coy, coz of four spheres; V16-V18 of the next four
//	V9, V19   nb
//	V10, V20  c
//	V11, V21  radiusSq, then the discriminant
//	V30       the sign bit of eight numbers of 16 bits
//	V31       1, 2, 4, ... 128
//
// Second pass:
//
//	R1        index of a candidate
//	R2        index of the first sphere of a word
//	R3        bits of the candidates in the word that are left
//	R5        the next word
//	R6        index of the closest sphere so far, or -1
//	R12, R13  nb, discriminants
//	F0, F1    tMin; distance of the closest hit so far
//	F6, F7    root; nb
//	F8        t
TEXT ·closestNEON(SB), NOSPLIT, $0-36
	MOVD	p+0(FP), R0
	MOVD	r+8(FP), R1
	MOVD	firstPass_cx(R0), R8
	MOVD	firstPass_cx+8(R0), R4
	MOVD	firstPass_cy(R0), R9
	MOVD	firstPass_cz(R0), R10
	MOVD	firstPass_radiusSq(R0), R11
	MOVD	firstPass_nb(R0), R12
	MOVD	firstPass_discriminants(R0), R13
	MOVD	firstPass_candidates(R0), R5

	// The ray is the same for all spheres: copy each of its numbers to all four
	// places of a register.
	FMOVS	Ray_Origin+Vec3_X(R1), F0
	FMOVS	Ray_Origin+Vec3_Y(R1), F1
	FMOVS	Ray_Origin+Vec3_Z(R1), F2
	FMOVS	Ray_Direction+Vec3_X(R1), F3
	FMOVS	Ray_Direction+Vec3_Y(R1), F4
	FMOVS	Ray_Direction+Vec3_Z(R1), F5
	VDUP	V0.S[0], V0.S4
	VDUP	V1.S[0], V1.S4
	VDUP	V2.S[0], V2.S4
	VDUP	V3.S[0], V3.S4
	VDUP	V4.S[0], V4.S4
	VDUP	V5.S[0], V5.S4

	// What takes the place of an instruction that collects sign bits.
	VCMEQ	V30.H8, V30.H8, V30.H8
	VSHL	$15, V30.H8, V30.H8
	VMOVQ	$0x0008000400020001, $0x0080004000200010, V31

	// Eight spheres at a time, in pairs of registers: the sums of the two do not
	// wait for each other.
	MOVD	$0, R2
	MOVD	$0, R3
	B	groups

group:
	// co = center - origin
	FLDPQ.P	32(R8), (F6, F16)
	FLDPQ.P	32(R9), (F7, F17)
	FLDPQ.P	32(R10), (F8, F18)
	VFSUB4(0, 6, 6)
	VFSUB4(0, 16, 16)
	VFSUB4(1, 7, 7)
	VFSUB4(1, 17, 17)
	VFSUB4(2, 8, 8)
	VFSUB4(2, 18, 18)

	// nb = coz*dz + (coy*dy + cox*dx), fused
	// c = coz*coz + (coy*coy + cox*cox), fused; then less radiusSq
	VFMUL4(3, 6, 9)
	VFMUL4(3, 16, 19)
	VFMUL4(6, 6, 10)
	VFMUL4(16, 16, 20)
	VFMLA	V4.S4, V7.S4, V9.S4
	VFMLA	V4.S4, V17.S4, V19.S4
	VFMLA	V7.S4, V7.S4, V10.S4
	VFMLA	V17.S4, V17.S4, V20.S4
	VFMLA	V5.S4, V8.S4, V9.S4
	VFMLA	V5.S4, V18.S4, V19.S4
	VFMLA	V8.S4, V8.S4, V10.S4
	VFMLA	V18.S4, V18.S4, V20.S4
	FLDPQ.P	32(R11), (F11, F21)
	VFSUB4(11, 10, 10)
	VFSUB4(21, 20, 20)

	// discriminant = nb*nb - c, not fused
	VFMUL4(9, 9, 11)
	VFMUL4(19, 19, 21)
	VFSUB4(10, 11, 11)
	VFSUB4(20, 21, 21)
	FSTPQ.P	(F9, F19), 32(R12)
	FSTPQ.P	(F11, F21), 32(R13)

	// Collect the upper halves of the eight discriminants, which have the sign
	// bits; make all ones of a half with a set sign bit; take from each a bit of
	// its own; and add them up. A candidate has a clear one.
	VUZP2	V21.H8, V11.H8, V6.H8
	VCMTST	V30.H8, V6.H8, V6.H8
	VAND	V31.B16, V6.B16, V6.B16
	VADDV	V6.H8, V6
	VMOV	V6.H[0], R6
	EOR	$0xFF, R6

	// Put the eight bits in their place among 64. A shift takes only the lowest
	// six bits of R2 as its distance.
	LSL	R2, R6
	ORR	R6, R3
	ADD	$8, R2
	TST	$63, R2
	BNE	groups
	MOVD.P	R3, 8(R5)
	MOVD	$0, R3

groups:
	CMP	R4, R2
	BLT	group

	// Fewer than 64 bits are left, or none.
	TST	$63, R4
	BEQ	second
	MOVD	R3, (R5)

second:
	MOVD	firstPass_nb(R0), R12
	MOVD	firstPass_discriminants(R0), R13
	FMOVS	tMin+16(FP), F0
	FMOVS	tMax+20(FP), F1
	MOVD	$-1, R6
	MOVD	$0, R2
	CMP	$64, R4
	BLT	word // the only one, and it is in R3
	MOVD	firstPass_candidates(R0), R5

load:
	MOVD.P	8(R5), R3

word:
	CBZ	R3, next

candidate:
	// The lowest bit that is set is the next candidate. There is an instruction
	// that counts leading zeros, so the bits are reversed first.
	RBIT	R3, R1
	CLZ	R1, R1
	ADD	R2, R1

	// t = nb - root, or nb + root if that is not above tMin
	FMOVS	(R13)(R1<<2), F6
	FSQRTS	F6, F6
	FMOVS	(R12)(R1<<2), F7
	FSUBS	F6, F7, F8
	FCMPS	F0, F8
	BGT	above
	FADDS	F6, F7, F8
	FCMPS	F0, F8
	BLE	miss // or one of them is NaN

above:
	FCMPS	F8, F1
	BLE	miss
	FMOVS	F8, F1
	MOVD	R1, R6

miss:
	// Clear the bit, and go on while there are others.
	SUB	$1, R3, R1
	ANDS	R1, R3, R3
	BNE	candidate

next:
	ADD	$64, R2
	CMP	R4, R2
	BLT	load

	MOVD	R6, closest+24(FP)
	FMOVS	F1, t+32(FP)
	RET
