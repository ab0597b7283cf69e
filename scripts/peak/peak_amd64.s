//go:build !purego

#include "go_asm.h"
#include "textflag.h"

// The kernels of this package. The operands of an instruction are sources
// first, destination last: ADDPS A, B is B = B + A, and VADDPS A, B, C is
// C = B + A. VFMADD231PS A, B, C is C = C + B*A, rounded once.
//
//	AX             in
//	BX             1
//	CX             rounds that are left
//	DI             out
//	X0-X6, X7-X13  chains of mulAddSSE: sums, products
//	Y0-Y11         chains of fma256, as Z0-Z11 of fma512
//	X14, Y14, Z14  m in each lane
//	X15, Y15, Z15  a in each lane
//
// Twelve chains keep two units busy that take up to six cycles for a result.
// That is enough where fused operations alone are done: no processor has more than
// two units for them. Those that have two units for additions and two for
// multiplications, as Zen has, begin four instructions of mul-add in a cycle and take
// three cycles for each. Twelve chains would then have no slack, and an instruction
// that is late once delays all that follow; so there are as many as the registers
// hold, seven and seven. Eight and eight would need the constants in memory, and two
// loads a cycle.
//
// The jump at the end of a loop takes a unit of another kind. Loops begin at a
// cache line, so that it does not matter where the linker puts them.

// Lists of registers: Y0_11(F) is F(Y0), F(Y1) and so on to F(Y11).
#define X1_6(op) op(X1); op(X2); op(X3); op(X4); op(X5); op(X6)
#define X8_13(op) op(X8); op(X9); op(X10); op(X11); op(X12); op(X13)
#define Y1_11(op) op(Y1); op(Y2); op(Y3); op(Y4); op(Y5); op(Y6); op(Y7); op(Y8); op(Y9); op(Y10); op(Y11)
#define Y0_11(op) op(Y0); Y1_11(op)
#define Z1_11(op) op(Z1); op(Z2); op(Z3); op(Z4); op(Z5); op(Z6); op(Z7); op(Z8); op(Z9); op(Z10); op(Z11)
#define Z0_11(op) op(Z0); Z1_11(op)

// The chains of mul-add: PAIRS_SSE(F) is F(X0, X7) and so on to F(X6, X13).
#define PAIRS_SSE(op) op(X0, X7); op(X1, X8); op(X2, X9); op(X3, X10); op(X4, X11); op(X5, X12); op(X6, X13)

// What is done with a register r, or with a sum s and a product p.
#define CLEAR_SSE(r) XORPS r, r
#define CLEAR(r) VXORPS r, r, r
#define FMA256(r) VFMADD231PS Y15, Y14, r
#define FMA512(r) VFMADD231PS Z15, Z14, r
#define MUL_ADD_SSE(s, p) ADDPS X15, s; MULPS X14, p
#define ONE_SSE(r) MOVAPS X7, r
#define SUM_SSE(r) ADDPS r, X0
#define SUM_Y(r) VADDPS r, Y0, Y0
#define SUM_Z(r) VADDPS r, Z0, Z0

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

// func mulAddSSE(n int, in *input, out *[16]float32)
TEXT ·mulAddSSE(SB), NOSPLIT, $0-24
	ARGUMENTS
	MOVSS	input_m(AX), X14
	SHUFPS	$0, X14, X14
	MOVSS	input_a(AX), X15
	SHUFPS	$0, X15, X15
	CLEAR_SSE(X0)
	X1_6(CLEAR_SSE)
	MOVL	$0x3f800000, BX // 1
	MOVL	BX, X7
	SHUFPS	$0, X7, X7
	X8_13(ONE_SSE)
	ROUNDS(PAIRS_SSE(MUL_ADD_SSE))
	X1_6(SUM_SSE)
	SUM_SSE(X7)
	X8_13(SUM_SSE)
	MOVUPS	X0, (DI)
	RET

// func fma256(n int, in *input, out *[16]float32)
TEXT ·fma256(SB), NOSPLIT, $0-24
	ARGUMENTS
	VBROADCASTSS	input_m(AX), Y14
	VBROADCASTSS	input_a(AX), Y15
	Y0_11(CLEAR)
	ROUNDS(Y0_11(FMA256))
	Y1_11(SUM_Y)
	VMOVUPS	Y0, (DI)
	VZEROUPPER
	RET

// func fma512(n int, in *input, out *[16]float32)
TEXT ·fma512(SB), NOSPLIT, $0-24
	ARGUMENTS
	VBROADCASTSS	input_m(AX), Z14
	VBROADCASTSS	input_a(AX), Z15
	Y0_11(CLEAR) // and with Y0 the rest of Z0
	ROUNDS(Z0_11(FMA512))
	Z1_11(SUM_Z)
	VMOVUPS	Z0, (DI)
	VZEROUPPER
	RET
