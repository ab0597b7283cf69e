//go:build !purego

#include "textflag.h"

// Loops of multiplications that need nothing of each other, by SSE's instructions or AVX's, while
// the upper half of a register is in use that they never touch, or none is.
//
//	AX       a number
//	CX       iterations that are left
//	X0-X2    factor, product, and a sum that nobody needs
//	Y14      the register whose upper half is in use

#define LOOP(name, body) \
TEXT name(SB), NOSPLIT, $0-20; \
	MOVQ n+0(FP), CX; \
	MOVQ x+8(FP), AX; \
	VPCMPEQD Y14, Y14, Y14; \
	CMPB inUse+16(FP), $0; \
	JNE begin; \
	VZEROUPPER; \
begin: \
	VMOVSS (AX), X0; \
	PCALIGN $64; \
again: \
	body; \
	DECQ CX; \
	JNZ again; \
	VZEROUPPER; \
	MOVSS X1, (AX); \
	RET

#define SSE MOVSS (AX), X1; MULSS X0, X1
#define AVX VMOVSS (AX), X1; VMULSS X0, X1, X1
#define ONE VADDSS X0, X0, X2
#define EIGHT(pair) pair; pair; pair; pair; pair; pair; pair; pair

LOOP(·sse, EIGHT(SSE))
LOOP(·avx, ONE; EIGHT(AVX))
LOOP(·mixed, ONE; EIGHT(SSE))
LOOP(·mixedLong, ONE; EIGHT(SSE); EIGHT(SSE))
