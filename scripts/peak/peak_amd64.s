//go:build !purego

#include "go_asm.h"
#include "textflag.h"

// The kernels of this package. The operands of an instruction are sources
// first, destination last: ADDPS A, B is B = B + A, and VADDPS A, B, C is
// C = B + A. VFMADD231PS A, B, C is C = C + B*A, rounded once.
//
//	AX              in, then the buffer
//	BX              1, or the offset in the buffer
//	CX              rounds that are left
//	DI              out
//	X0-X11          chains, as Y0-Y11 and Z0-Z11
//	X0-X6, X7-X13   chains of mulAddSSE: sums, products
//	Z0-Z11, Z12-Z23 chains of mulAdd512: sums, products
//	X14, Y14, Z30   m in each lane; Z14 in fma512
//	X15, Y15, Z31   a in each lane; Z15 in fma512
//
// Twelve chains keep two units busy that take up to six cycles for a result.
// That is enough where additions alone, or fused operations alone, are done: no
// processor has more than two units for either. Those that have two units for
// additions and two for multiplications, as Zen has, begin four instructions of
// mul-add in a cycle and take three cycles for each. Twelve chains would then
// have no slack, and an instruction that is late once delays all that follow;
// so there are as many as the registers hold, seven and seven, and twelve and
// twelve where there are 32 registers. Eight and eight would need the constants
// in memory, and two loads a cycle.
//
// The jump at the end of a loop takes a unit of another kind. Loops begin at a
// cache line, so that it does not matter where the linker puts them.

// Lists of registers: X0_11(F) is F(0, X0), F(1, X1) and so on to F(11, X11).
#define X1_6(op) op(1, X1); op(2, X2); op(3, X3); op(4, X4); op(5, X5); op(6, X6)
#define X8_11(op) op(8, X8); op(9, X9); op(10, X10); op(11, X11)
#define X12_13(op) op(12, X12); op(13, X13)
#define X14_15(op) op(14, X14); op(15, X15)
#define X1_11(op) X1_6(op); op(7, X7); X8_11(op)
#define X1_13(op) X1_11(op); X12_13(op)
#define X1_15(op) X1_13(op); X14_15(op)
#define X8_13(op) X8_11(op); X12_13(op)
#define X0_6(op) op(0, X0); X1_6(op)
#define X0_11(op) op(0, X0); X1_11(op)
#define X0_15(op) op(0, X0); X1_15(op)
#define Y1_6(op) op(1, Y1); op(2, Y2); op(3, Y3); op(4, Y4); op(5, Y5); op(6, Y6)
#define Y7_11(op) op(7, Y7); op(8, Y8); op(9, Y9); op(10, Y10); op(11, Y11)
#define Y12_15(op) op(12, Y12); op(13, Y13); op(14, Y14); op(15, Y15)
#define Y1_11(op) Y1_6(op); Y7_11(op)
#define Y1_15(op) Y1_11(op); Y12_15(op)
#define Y0_11(op) op(0, Y0); Y1_11(op)
#define Y0_15(op) op(0, Y0); Y1_15(op)
#define Z1_6(op) op(1, Z1); op(2, Z2); op(3, Z3); op(4, Z4); op(5, Z5); op(6, Z6)
#define Z7_11(op) op(7, Z7); op(8, Z8); op(9, Z9); op(10, Z10); op(11, Z11)
#define Z13_15(op) op(13, Z13); op(14, Z14); op(15, Z15)
#define Z16_19(op) op(16, Z16); op(17, Z17); op(18, Z18); op(19, Z19)
#define Z20_23(op) op(20, Z20); op(21, Z21); op(22, Z22); op(23, Z23)
#define Z1_11(op) Z1_6(op); Z7_11(op)
#define Z13_23(op) Z13_15(op); Z16_19(op); Z20_23(op)
#define Z1_15(op) Z1_11(op); op(12, Z12); Z13_15(op)
#define Z1_23(op) Z1_11(op); op(12, Z12); Z13_23(op)
#define Z0_11(op) op(0, Z0); Z1_11(op)
#define Z0_15(op) op(0, Z0); Z1_15(op)

// The chains of mul-add: PAIRS_SSE(F) is F(X0, X7) and so on to F(X6, X13).
#define PAIRS_SSE(op) op(X0, X7); op(X1, X8); op(X2, X9); op(X3, X10); op(X4, X11); op(X5, X12); op(X6, X13)
#define PAIRS_512(op) \
	op(Z0, Z12); op(Z1, Z13); op(Z2, Z14); op(Z3, Z15); op(Z4, Z16); op(Z5, Z17); \
	op(Z6, Z18); op(Z7, Z19); op(Z8, Z20); op(Z9, Z21); op(Z10, Z22); op(Z11, Z23)

// What is done with a register r, the i-th of its list, or with a sum s and a
// product p.
#define CLEAR_SSE(i, r) XORPS r, r
#define CLEAR(i, r) VXORPS r, r, r
#define ADD_SSE(i, r) ADDPS X15, r
#define FMA128(i, r) VFMADD231PS X15, X14, r
#define FMA256(i, r) VFMADD231PS Y15, Y14, r
#define FMA512(i, r) VFMADD231PS Z15, Z14, r
#define MUL_ADD_SSE(s, p) ADDPS X15, s; MULPS X14, p
#define MUL_ADD_512(s, p) VADDPS Z31, s, s; VMULPS Z30, p, p
#define ONE_SSE(i, r) MOVAPS X7, r
#define ONE_512(i, r) VMOVAPS Z12, r
#define LOAD_SSE(i, r) ORPS (16*i)(AX)(BX*1), r
#define LOAD_AVX(i, r) VORPS (32*i)(AX)(BX*1), r, r
#define LOAD_512(i, r) VPORD (64*i)(AX)(BX*1), r, r
#define SUM_SSE(i, r) ADDPS r, X0
#define SUM_X(i, r) VADDPS r, X0, X0
#define SUM_Y(i, r) VADDPS r, Y0, Y0
#define SUM_Z(i, r) VADDPS r, Z0, Z0
#define OR_SSE(i, r) ORPS r, X0
#define OR_AVX(i, r) VORPS r, Y0, Y0
#define OR_512(i, r) VPORD r, Z0, Z0

#define ARGUMENTS \
	MOVQ n+0(FP), CX; \
	MOVQ in+8(FP), AX; \
	MOVQ out+16(FP), DI

#define ROUNDS(body) \
	PCALIGN $64; \
round: \
	body; \
	DECQ CX; \
	JNZ round

// Each body reads so many bytes of the buffer.
#define BUFFER_ROUNDS(body, bytes) \
round: \
	XORL BX, BX; \
	PCALIGN $64; \
lines: \
	body; \
	ADDQ $bytes, BX; \
	CMPQ BX, $(const_bufferSize*4); \
	JLT lines; \
	DECQ CX; \
	JNZ round

#define RETURN_SSE MOVUPS X0, (DI); RET
#define RETURN_AVX(r) VMOVUPS r, (DI); VZEROUPPER; RET

// func addSSE(n int, in *input, out *[16]float32)
TEXT ·addSSE(SB), NOSPLIT, $0-24
	ARGUMENTS
	MOVSS	input_a(AX), X15
	SHUFPS	$0, X15, X15
	X0_11(CLEAR_SSE)
	ROUNDS(X0_11(ADD_SSE))
	X1_11(SUM_SSE)
	RETURN_SSE

// func mulAddSSE(n int, in *input, out *[16]float32)
TEXT ·mulAddSSE(SB), NOSPLIT, $0-24
	ARGUMENTS
	MOVSS	input_m(AX), X14
	SHUFPS	$0, X14, X14
	MOVSS	input_a(AX), X15
	SHUFPS	$0, X15, X15
	X0_6(CLEAR_SSE)
	MOVL	$0x3f800000, BX // 1
	MOVL	BX, X7
	SHUFPS	$0, X7, X7
	X8_13(ONE_SSE)
	ROUNDS(PAIRS_SSE(MUL_ADD_SSE))
	X1_13(SUM_SSE)
	RETURN_SSE

// func fma128(n int, in *input, out *[16]float32)
TEXT ·fma128(SB), NOSPLIT, $0-24
	ARGUMENTS
	VBROADCASTSS	input_m(AX), X14
	VBROADCASTSS	input_a(AX), X15
	X0_11(CLEAR)
	ROUNDS(X0_11(FMA128))
	X1_11(SUM_X)
	RETURN_AVX(X0)

// func fma256(n int, in *input, out *[16]float32)
TEXT ·fma256(SB), NOSPLIT, $0-24
	ARGUMENTS
	VBROADCASTSS	input_m(AX), Y14
	VBROADCASTSS	input_a(AX), Y15
	Y0_11(CLEAR)
	ROUNDS(Y0_11(FMA256))
	Y1_11(SUM_Y)
	RETURN_AVX(Y0)

// func mulAdd512(n int, in *input, out *[16]float32)
TEXT ·mulAdd512(SB), NOSPLIT, $0-24
	ARGUMENTS
	VBROADCASTSS	input_m(AX), Z30
	VBROADCASTSS	input_a(AX), Z31
	X0_11(CLEAR) // and with X0 the rest of Z0
	MOVL	$0x3f800000, BX // 1
	VPBROADCASTD	BX, Z12
	Z13_23(ONE_512)
	ROUNDS(PAIRS_512(MUL_ADD_512))
	Z1_23(SUM_Z)
	RETURN_AVX(Z0)

// func fma512(n int, in *input, out *[16]float32)
TEXT ·fma512(SB), NOSPLIT, $0-24
	ARGUMENTS
	VBROADCASTSS	input_m(AX), Z14
	VBROADCASTSS	input_a(AX), Z15
	X0_11(CLEAR)
	ROUNDS(Z0_11(FMA512))
	Z1_11(SUM_Z)
	RETURN_AVX(Z0)

// func loadSSE(n int, in *input, out *[16]float32)
TEXT ·loadSSE(SB), NOSPLIT, $0-24
	ARGUMENTS
	MOVQ	input_buffer(AX), AX
	X0_15(CLEAR_SSE)
	BUFFER_ROUNDS(X0_15(LOAD_SSE), 256)
	X1_15(OR_SSE)
	RETURN_SSE

// func loadAVX(n int, in *input, out *[16]float32)
TEXT ·loadAVX(SB), NOSPLIT, $0-24
	ARGUMENTS
	MOVQ	input_buffer(AX), AX
	Y0_15(CLEAR)
	BUFFER_ROUNDS(Y0_15(LOAD_AVX), 512)
	Y1_15(OR_AVX)
	RETURN_AVX(Y0)

// func load512(n int, in *input, out *[16]float32)
TEXT ·load512(SB), NOSPLIT, $0-24
	ARGUMENTS
	MOVQ	input_buffer(AX), AX
	X0_15(CLEAR)
	BUFFER_ROUNDS(Z0_15(LOAD_512), 1024)
	Z1_15(OR_512)
	RETURN_AVX(Z0)
