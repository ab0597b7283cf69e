//go:build !purego

#include "go_asm.h"
#include "textflag.h"

// The instructions of these names as numbers: Go 1.26's assembler lacks them.
#define VFADD4(m, n, d) WORD $(0x4E20D400 | (m)<<16 | (n)<<5 | (d)) // d = n + m
#define VFMUL4(m, n, d) WORD $(0x6E20DC00 | (m)<<16 | (n)<<5 | (d)) // d = n * m

// The kernels of this package. VFMLA A, B, C is C = C + B*A, rounded once.
//
//	R0        rounds that are left
//	R1        in
//	R2        out
//	V0-V23    chains; of mulAddNEON, V0-V11 sums and V12-V23 products
//	V30, V31  m and a in each lane
//
// Processors for arm64 have up to four units that take up to four cycles for a
// result. That takes sixteen chains, and there are registers for more.

// Lists of registers: V0_11(F) is F(0, V0), F(1, V1) and so on to F(11, V11).
#define V1_6(op) op(1, V1); op(2, V2); op(3, V3); op(4, V4); op(5, V5); op(6, V6)
#define V7_11(op) op(7, V7); op(8, V8); op(9, V9); op(10, V10); op(11, V11)
#define V13_15(op) op(13, V13); op(14, V14); op(15, V15)
#define V16_19(op) op(16, V16); op(17, V17); op(18, V18); op(19, V19)
#define V20_23(op) op(20, V20); op(21, V21); op(22, V22); op(23, V23)
#define V1_11(op) V1_6(op); V7_11(op)
#define V13_23(op) V13_15(op); V16_19(op); V20_23(op)
#define V1_23(op) V1_11(op); op(12, V12); V13_23(op)
#define V0_11(op) op(0, V0); V1_11(op)
#define V0_23(op) op(0, V0); V1_23(op)

// The chains of mul-add: PAIRS(F) is F(0, 12) and so on to F(11, 23).
#define PAIRS(op) \
	op(0, 12); op(1, 13); op(2, 14); op(3, 15); op(4, 16); op(5, 17); \
	op(6, 18); op(7, 19); op(8, 20); op(9, 21); op(10, 22); op(11, 23)

// What is done with a register r, which has the number i, or with those of a
// sum s and a product p.
#define CLEAR(i, r) VEOR r.B16, r.B16, r.B16
#define ONE(i, r) VMOV V12.B16, r.B16
#define FMA(i, r) VFMLA V30.S4, V31.S4, r.S4
#define MUL_ADD(s, p) VFADD4(31, s, s); VFMUL4(30, p, p)
#define SUM(i, r) VFADD4(i, 0, 0)

#define ARGUMENTS \
	MOVD n+0(FP), R0; \
	MOVD in+8(FP), R1; \
	MOVD out+16(FP), R2

#define CONSTANT_M FMOVS input_m(R1), F30; VDUP V30.S[0], V30.S4
#define CONSTANT_A FMOVS input_a(R1), F31; VDUP V31.S[0], V31.S4

#define ROUNDS(body) \
	PCALIGN $64; \
round: \
	body; \
	SUBS $1, R0, R0; \
	BNE round

// func mulAddNEON(n int, in *input, out *[16]float32)
TEXT ·mulAddNEON(SB), NOSPLIT, $0-24
	ARGUMENTS
	CONSTANT_M
	CONSTANT_A
	V0_11(CLEAR)
	FMOVS	$1.0, F12
	VDUP	V12.S[0], V12.S4
	V13_23(ONE)
	ROUNDS(PAIRS(MUL_ADD))
	V1_23(SUM)
	FMOVQ	F0, (R2)
	RET

// func fmaNEON(n int, in *input, out *[16]float32)
TEXT ·fmaNEON(SB), NOSPLIT, $0-24
	ARGUMENTS
	CONSTANT_M
	CONSTANT_A
	V0_23(CLEAR)
	ROUNDS(V0_23(FMA))
	V1_23(SUM)
	FMOVQ	F0, (R2)
	RET
