//go:build !purego

#include "textflag.h"

// The instructions of these names as numbers: Go 1.26's assembler lacks them.
#define VFADD4(m, n, d) WORD $(0x4E20D400 | (m)<<16 | (n)<<5 | (d)) // d = n + m
#define VFMUL4(m, n, d) WORD $(0x6E20DC00 | (m)<<16 | (n)<<5 | (d)) // d = n * m

// The loops of this package.
//
//	R0        rounds that are left
//	R1        memory of 64 bytes
//	V0-V13    what is written
//	V30, V31  1 in each lane

// What is done with a register r, which has the number i.
#define SUM(i, r) VFADD4(31, 30, i)
#define MUL(i, r) VFMUL4(31, 30, i)
#define FMA(i, r) VFMLA V30.S4, V31.S4, r.S4
#define LOAD(i, r) VLD1 (R1), [r.S4]
#define STORE(i, r) VST1 [r.S4], (R1)
#define CLEAR(i, r) VEOR r.B16, r.B16, r.B16

// V(F, G) is F(0, V0), G(1, V1) and so on to V13, in turns.
#define V(f, g) \
	f(0, V0); g(1, V1); f(2, V2); g(3, V3); f(4, V4); g(5, V5); f(6, V6); \
	g(7, V7); f(8, V8); g(9, V9); f(10, V10); g(11, V11); f(12, V12); g(13, V13)

#define LOOP(name, body) \
TEXT name(SB), NOSPLIT, $64-8; \
	MOVD n+0(FP), R0; \
	MOVD $memory-64(SP), R1; \
	FMOVS $1.0, F31; \
	VDUP V31.S[0], V31.S4; \
	VMOV V31.B16, V30.B16; \
	V(CLEAR, CLEAR); \
	PCALIGN $64; \
round: \
	body; body; body; body; \
	SUBS $1, R0, R0; \
	BNE round; \
	RET

LOOP(·add128, V(SUM, SUM))
LOOP(·mul128, V(MUL, MUL))
LOOP(·fma128, V(FMA, FMA))
LOOP(·addMul128, V(SUM, MUL))
LOOP(·load128, V(LOAD, LOAD))
LOOP(·store128, V(STORE, STORE))

#define NOP7 NOOP; NOOP; NOOP; NOOP; NOOP; NOOP; NOOP
#define NOP28 NOP7; NOP7; NOP7; NOP7
#define LINK8 ADD R0, R2; ADD R0, R2; ADD R0, R2; ADD R0, R2; ADD R0, R2; ADD R0, R2; ADD R0, R2; ADD R0, R2

LOOP(·nop, NOP28; NOP28; NOP28; NOP28)
LOOP(·chain, LINK8; LINK8)
