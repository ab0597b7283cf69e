//go:build !purego

#include "textflag.h"

// Loops whose iterations need nothing of each other: each stores sixteen bytes, loads what it
// stored, and executes a number of no-ops. Its slot is another one than that of the iterations
// that are under way.
//
//	AX          slots, 64 of 64 bytes; the first begins with four numbers, which are stored
//	BX          the offset of the slot of this iteration
//	CX          iterations that are left
//	X0-X3, X4   the numbers, each by itself and together
//	X5-X8       what is loaded

#define LOOP(name, store, load, nops, result) \
TEXT name(SB), NOSPLIT, $0-32; \
	MOVQ n+0(FP), CX; \
	MOVQ slots+8(FP), AX; \
	XORL BX, BX; \
	VMOVSS (AX), X0; \
	VMOVSS 4(AX), X1; \
	VMOVSS 8(AX), X2; \
	VMOVSS 12(AX), X3; \
	VMOVUPS (AX), X4; \
	PCALIGN $64; \
again: \
	ADDQ $64, BX; \
	ANDQ $4095, BX; \
	store; load; nops; \
	DECQ CX; \
	JNZ again; \
	result; \
	RET

#define STOREWHOLE VMOVUPS X4, (AX)(BX*1)
#define STOREEACH VMOVSS X0, (AX)(BX*1); VMOVSS X1, 4(AX)(BX*1); VMOVSS X2, 8(AX)(BX*1); VMOVSS X3, 12(AX)(BX*1)
#define LOADWHOLE VMOVUPS (AX)(BX*1), X5
#define LOADEACH VMOVSS (AX)(BX*1), X5; VMOVSS 4(AX)(BX*1), X6; VMOVSS 8(AX)(BX*1), X7; VMOVSS 12(AX)(BX*1), X8
#define WHOLE VMOVUPS X5, loaded+16(FP)
#define EACH VMOVSS X5, loaded+16(FP); VMOVSS X6, loaded+20(FP); VMOVSS X7, loaded+24(FP); VMOVSS X8, loaded+28(FP)

#define NOP8 BYTE $0x90; BYTE $0x90; BYTE $0x90; BYTE $0x90; BYTE $0x90; BYTE $0x90; BYTE $0x90; BYTE $0x90
#define NOP24 NOP8; NOP8; NOP8
#define NOP48 NOP24; NOP24
#define NOP96 NOP48; NOP48
#define NOP144 NOP96; NOP48
#define NOP192 NOP96; NOP96

LOOP(·whole8, STOREWHOLE, LOADWHOLE, NOP8, WHOLE)
LOOP(·whole24, STOREWHOLE, LOADWHOLE, NOP24, WHOLE)
LOOP(·whole48, STOREWHOLE, LOADWHOLE, NOP48, WHOLE)
LOOP(·whole96, STOREWHOLE, LOADWHOLE, NOP96, WHOLE)
LOOP(·whole144, STOREWHOLE, LOADWHOLE, NOP144, WHOLE)
LOOP(·whole192, STOREWHOLE, LOADWHOLE, NOP192, WHOLE)
LOOP(·each8, STOREEACH, LOADEACH, NOP8, EACH)
LOOP(·each24, STOREEACH, LOADEACH, NOP24, EACH)
LOOP(·each48, STOREEACH, LOADEACH, NOP48, EACH)
LOOP(·each96, STOREEACH, LOADEACH, NOP96, EACH)
LOOP(·each144, STOREEACH, LOADEACH, NOP144, EACH)
LOOP(·each192, STOREEACH, LOADEACH, NOP192, EACH)
LOOP(·parts8, STOREEACH, LOADWHOLE, NOP8, WHOLE)
LOOP(·parts24, STOREEACH, LOADWHOLE, NOP24, WHOLE)
LOOP(·parts48, STOREEACH, LOADWHOLE, NOP48, WHOLE)
LOOP(·parts96, STOREEACH, LOADWHOLE, NOP96, WHOLE)
LOOP(·parts144, STOREEACH, LOADWHOLE, NOP144, WHOLE)
LOOP(·parts192, STOREEACH, LOADWHOLE, NOP192, WHOLE)
