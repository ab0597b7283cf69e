//go:build !purego

#include "textflag.h"

// Loops of additions, after each fourth of which the program goes somewhere and comes back: by a
// call and a return, by two jumps, by two jumps that also store and load what a return address
// would be, or not at all.
//
//	AX, BX, DX, SI   what is added to
//	CX               iterations that are left

#define FOUR ADDQ $1, AX; ADDQ $1, BX; ADDQ $1, DX; ADDQ $1, SI

#define LOOP(name, first, second, third, fourth) \
TEXT name(SB), NOSPLIT, $0-16; \
	MOVQ n+0(FP), CX; \
	XORL AX, AX; \
	XORL BX, BX; \
	XORL DX, DX; \
	XORL SI, SI; \
	PCALIGN $64; \
again: \
	FOUR; first; \
	FOUR; second; \
	FOUR; third; \
	FOUR; fourth; \
	DECQ CX; \
	JNZ again; \
	MOVQ AX, ret+8(FP); \
	RET

TEXT empty<>(SB), NOSPLIT, $0-0
	RET

#define NOWHERE
#define CALLED CALL empty<>(SB)
LOOP(·noCalls, NOWHERE, NOWHERE, NOWHERE, NOWHERE)
LOOP(·calledBack, CALLED, CALLED, CALLED, CALLED)
LOOP(·jumpedBack, JMP one; back1:, JMP two; back2:, JMP three; back3:, JMP four; back4:)
one:
	JMP back1
two:
	JMP back2
three:
	JMP back3
four:
	JMP back4

// By their bytes: by their names, the assembler would take them for a frame.
#define PUSH BYTE $0x41; BYTE $0x50
#define POP BYTE $0x41; BYTE $0x58
LOOP(·pushedBack, PUSH; JMP one; back1:, PUSH; JMP two; back2:, PUSH; JMP three; back3:, PUSH; JMP four; back4:)
one:
	POP; JMP back1
two:
	POP; JMP back2
three:
	POP; JMP back3
four:
	POP; JMP back4
