//go:build !purego

#include "textflag.h"

// Loops of an indirect call, or of a conditional jump, behind so many loads: the first of an
// address that is known long before, and each other of the address that the one before loaded.
// They count how often the first of two functions is called, or the jump not taken.
//
//	AX   where the next address is
//	BX   the count
//	CX   iterations that are left
//	R8   what was loaded last: the function, or whether to jump

#define LOOP(name, loads, branch) \
TEXT name(SB), 0, $0-32; \
	MOVQ order+0(FP), AX; \
	MOVQ order+8(FP), CX; \
	XORL BX, BX; \
	PCALIGN $64; \
again: \
	MOVQ (AX), R8; \
	ADDQ $8, AX; \
	loads; \
	branch; \
	DECQ CX; \
	JNZ again; \
	MOVQ BX, count+24(FP); \
	RET

#define NONE
#define LINK MOVQ (R8), R8
#define CALLED CALL R8
#define JUMPED TESTQ R8, R8; JZ 2(PC); INCQ BX

// func targets() (first, second uintptr)
TEXT ·targets(SB), NOSPLIT, $0-16
	LEAQ	counted<>(SB), AX
	MOVQ	AX, first+0(FP)
	LEAQ	ignored<>(SB), AX
	MOVQ	AX, second+8(FP)
	RET

TEXT counted<>(SB), NOSPLIT, $0-0
	INCQ	BX
	RET

TEXT ignored<>(SB), NOSPLIT, $0-0
	INCQ	DX
	RET

LOOP(·calls1, NONE, CALLED)
LOOP(·calls2, LINK, CALLED)
LOOP(·calls3, LINK; LINK, CALLED)
LOOP(·calls4, LINK; LINK; LINK, CALLED)
LOOP(·calls6, LINK; LINK; LINK; LINK; LINK, CALLED)
LOOP(·calls8, LINK; LINK; LINK; LINK; LINK; LINK; LINK, CALLED)
LOOP(·jumps1, NONE, JUMPED)
LOOP(·jumps2, LINK, JUMPED)
LOOP(·jumps3, LINK; LINK, JUMPED)
LOOP(·jumps4, LINK; LINK; LINK, JUMPED)
LOOP(·jumps6, LINK; LINK; LINK; LINK; LINK, JUMPED)
LOOP(·jumps8, LINK; LINK; LINK; LINK; LINK; LINK; LINK, JUMPED)
