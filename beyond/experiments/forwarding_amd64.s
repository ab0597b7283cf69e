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

#define FOUR VMOVSS X0, (AX); VMOVSS (AX), X0
#define SIXTEEN VMOVUPS X0, (AX); VMOVUPS (AX), X0
#define FOUR_OF_16 VMOVUPS X0, (AX); VMOVSS 4(AX), X0
#define FOUR_OF_32 VMOVUPS Y0, (AX); VMOVSS 4(AX), X0
#define SIXTEEN_OF_4 VMOVSS X0, (AX); VMOVSS X0, 4(AX); VMOVSS X0, 8(AX); VMOVSS X0, 12(AX); VMOVUPS (AX), X0
#define EIGHT_OF_2 MOVW BX, (AX); MOVQ (AX), BX

LOOP(·store4load4, FOUR)
LOOP(·store16load16, SIXTEEN)
LOOP(·store16load4, FOUR_OF_16)
LOOP(·store32load4, FOUR_OF_32)
LOOP(·store4x4load16, SIXTEEN_OF_4)
LOOP(·store2load8, EIGHT_OF_2)
