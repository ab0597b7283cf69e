//go:build !purego

#include "textflag.h"

// Loops in which what is stored is loaded at once, and stored again: the loads and
// stores of the names, in bytes. CX counts rounds, AX is memory of 64 bytes.

#define LOOP(name, body) \
TEXT name(SB), NOSPLIT, $128-8; \
	MOVQ n+0(FP), CX; \
	LEAQ memory-128(SP), AX; \
	ADDQ $63, AX; \
	ANDQ $~63, AX; \
	VXORPS Y0, Y0, Y0; \
	VMOVUPS Y0, (AX); \
	XORL BX, BX; \
	PCALIGN $64; \
round: \
	body; \
	DECQ CX; \
	JNZ round; \
	VZEROUPPER; \
	RET

LOOP(·store4load4, MOVSS X0, (AX); MOVSS (AX), X0)
LOOP(·store16load16, MOVUPS X0, (AX); MOVUPS (AX), X0)
LOOP(·store16load4, MOVUPS X0, (AX); MOVSS 4(AX), X0)
LOOP(·store32load4, VMOVUPS Y0, (AX); VMOVSS 4(AX), X0)
LOOP(·store4x4load16, MOVSS X0, (AX); MOVSS X0, 4(AX); MOVSS X0, 8(AX); MOVSS X0, 12(AX); MOVUPS (AX), X0)
LOOP(·store2load8, MOVW BX, (AX); MOVQ (AX), BX)
