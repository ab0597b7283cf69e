//go:build !purego

#include "go_asm.h"
#include "textflag.h"

// The assembler of Go 1.26 knows no arithmetic on four float32 but the fused
// one. These are the instructions of the same names, as numbers: registers by
// their number, sources first, destination last.
#define VFADD4(m, n, d) WORD $(0x4E20D400 | (m)<<16 | (n)<<5 | (d)) // d = n + m
#define VFSUB4(m, n, d) WORD $(0x4EA0D400 | (m)<<16 | (n)<<5 | (d)) // d = n - m
#define VFMUL4(m, n, d) WORD $(0x6E20DC00 | (m)<<16 | (n)<<5 | (d)) // d = n * m

// GROUP is the first pass over the next four spheres. It leaves their discriminants in
// register D, which has the name F as well.
//
// The operands of an instruction are sources first, destination last, and the
// sources are in the reverse order of Arm's manuals: FSUBS A, B, C is C = B - A.
// V6 and F6 are two names of one register: as a vector, and for loads and stores.
//
//	co           = center - origin
//	nb           = (cox*dx + coy*dy) + coz*dz
//	c            = ((cox*cox + coy*coy) + coz*coz) - radiusSq
//	discriminant = nb*nb - c
#define GROUP(D, F) \
	FMOVQ.P	16(R8), F6; \
	FMOVQ.P	16(R9), F7; \
	FMOVQ.P	16(R10), F8; \
	FMOVQ.P	16(R11), F11; \
	VFSUB4(0, 6, 6); \
	VFSUB4(1, 7, 7); \
	VFSUB4(2, 8, 8); \
	VFMUL4(3, 6, 9); \
	VFMUL4(4, 7, 10); \
	VFADD4(10, 9, 9); \
	VFMUL4(5, 8, 10); \
	VFADD4(10, 9, 9); \
	VFMUL4(6, 6, 6); \
	VFMUL4(7, 7, 7); \
	VFADD4(7, 6, 6); \
	VFMUL4(8, 8, 8); \
	VFADD4(8, 6, 6); \
	VFSUB4(11, 6, 6); \
	VFMUL4(9, 9, D); \
	VFSUB4(6, D, D); \
	FMOVQ.P	F9, 16(R12); \
	FMOVQ.P	F, 16(R13)

// func runNEON(h *HitTest, r *Ray)
//
//	R0        h
//	R1        the next number of r
//	R2        index of the next sphere
//	R3        bits of the candidates from the last multiple of 64 on
//	R4        number of spheres, padded
//	R5        where the next 64 bits go
//	R6        bits of two groups: 1 for a candidate
//	R8-R11    the next of cx, cy, cz, radiusSq
//	R12, R13  the next of nb, discriminants
//	V0-V2     origin of the ray, each coordinate in all lanes
//	V3-V5     its direction
//	V6-V8     cox, coy, coz; V6 then c
//	V9        nb
//	V10       a product
//	V11       radiusSq
//	V12, V13  discriminants
//	V30       the sign bit of eight numbers of 16 bits
//	V31       1, 2, 4, ... 128
TEXT ·runNEON(SB), NOSPLIT, $0-16
	MOVD	h+0(FP), R0
	MOVD	r+8(FP), R1
	MOVD	HitTest_cx(R0), R8
	MOVD	HitTest_cx+8(R0), R4
	MOVD	HitTest_cy(R0), R9
	MOVD	HitTest_cz(R0), R10
	MOVD	HitTest_radiusSq(R0), R11
	MOVD	HitTest_nb(R0), R12
	MOVD	HitTest_discriminants(R0), R13
	MOVD	HitTest_Candidates(R0), R5

	// The ray is the same for all spheres: copy each of its numbers to all lanes.
	VLD1R.P	4(R1), [V0.S4]
	VLD1R.P	4(R1), [V1.S4]
	VLD1R.P	4(R1), [V2.S4]
	VLD1R.P	4(R1), [V3.S4]
	VLD1R.P	4(R1), [V4.S4]
	VLD1R.P	4(R1), [V5.S4]

	// What takes the place of an instruction that collects sign bits.
	VCMEQ	V30.H8, V30.H8, V30.H8
	VSHL	$15, V30.H8, V30.H8
	VMOVQ	$0x0008000400020001, $0x0080004000200010, V31

	MOVD	$0, R2
	MOVD	$0, R3
	B	next

twoGroups:
	GROUP(12, F12)
	GROUP(13, F13)

	// Take the halves of the discriminants that have the sign bits; make all ones of
	// one that is set; take from each a bit of its own; and add them up.
	VUZP2	V13.H8, V12.H8, V6.H8
	VCMTST	V30.H8, V6.H8, V6.H8
	VAND	V31.B16, V6.B16, V6.B16
	VADDV	V6.H8, V6
	VMOV	V6.H[0], R6
	EOR	$0xFF, R6

	// Put the bits in their place in a word: LSL shifts by R2 modulo 64.
	LSL	R2, R6
	ORR	R6, R3
	ADD	$8, R2
	TST	$63, R2
	BNE	next
	MOVD.P	R3, 8(R5)
	MOVD	$0, R3

next:
	CMP	R4, R2
	BLT	twoGroups

	// Fewer than 64 bits are left, or none.
	TST	$63, R4
	BEQ	done
	MOVD	R3, (R5)

done:
	RET
