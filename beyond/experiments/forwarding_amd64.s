//go:build !purego

#include "textflag.h"

// Loops in which what is stored is loaded at once, and stored again: sixteen bytes, by
// one store or by four. CX counts rounds, AX is memory of 64 bytes.

#define LOOP(name, body) \
TEXT name(SB), NOSPLIT, $128-8; \
	MOVQ n+0(FP), CX; \
	LEAQ memory-128(SP), AX; \
	ADDQ $63, AX; \
	ANDQ $~63, AX; \
	VXORPS X0, X0, X0; \
	PCALIGN $64; \
round: \
	body; \
	DECQ CX; \
	JNZ round; \
	RET

#define SIXTEEN VMOVUPS X0, (AX); VMOVUPS (AX), X0
#define SIXTEEN_OF_4 VMOVSS X0, (AX); VMOVSS X0, 4(AX); VMOVSS X0, 8(AX); VMOVSS X0, 12(AX); VMOVUPS (AX), X0

LOOP(·store16load16, SIXTEEN)
LOOP(·store4x4load16, SIXTEEN_OF_4)
