//go:build !purego

#include "go_asm.h"
#include "textflag.h"

// What tells the first pass of step 12 from that of step 10, one at a time: three operands in
// place of two and a copy, fused operations, and registers twice as wide.

// A loop begins a block of 64 bytes, or as ·two128Odd and ·fused256Odd in the middle of one.
#define BEFORE
#define NOP8 BYTE $0x90; BYTE $0x90; BYTE $0x90; BYTE $0x90; BYTE $0x90; BYTE $0x90; BYTE $0x90; BYTE $0x90
#define NOP32 NOP8; NOP8; NOP8; NOP8

#define STORE MOVUPS
#define SIGNS MOVMSKPS
#define LANES 4
#define BYTES 16
#define ALL 0xFF
#define V0 X0
#define V1 X1
#define V2 X2
#define V3 X3
#define V4 X4
#define V5 X5
#define V6 X6
#define V7 X7
#define V8 X8
#define V9 X9
#define V10 X10
#define V11 X11
#define V12 X12
#define V13 X13
#define V14 X14
#define V15 X15

// Two operands: what an instruction overwrites is copied before, if it is needed again.
#define FROM(center, o, r) MOVAPS o, r; SUBPS center, r
#define TIMES(x, y, r) MOVAPS y, r; MULPS x, r
#define PLUSTIMES(x, y, r, t) MOVAPS y, t; MULPS x, t; ADDPS t, r
#define SQUARE(r) MULPS r, r
#define PLUSSQUARE(x, r) MULPS x, x; ADDPS x, r
#define LESS(x, r) SUBPS x, r

#define NAME ·two128
#include "pass.h"
#undef BEFORE
#define BEFORE NOP32
#define NAME ·two128Odd
#include "pass.h"
#undef BEFORE
#define BEFORE

#undef STORE
#undef SIGNS
#undef FROM
#undef TIMES
#undef PLUSTIMES
#undef SQUARE
#undef PLUSSQUARE
#undef LESS

#define STORE VMOVUPS
#define SIGNS VMOVMSKPS
#define FROM(center, o, r) VSUBPS center, o, r
#define TIMES(x, y, r) VMULPS x, y, r
#define SQUARE(r) VMULPS r, r, r
#define LESS(x, r) VSUBPS x, r, r

// Three operands.
#define PLUSTIMES(x, y, r, t) VMULPS x, y, t; VADDPS t, r, r
#define PLUSSQUARE(x, r) VMULPS x, x, x; VADDPS x, r, r

#define NAME ·three128
#include "pass.h"

#undef PLUSTIMES
#undef PLUSSQUARE

// The same, fused.
#define PLUSTIMES(x, y, r, t) VFMADD231PS x, y, r
#define PLUSSQUARE(x, r) VFMADD231PS x, x, r

#define NAME ·fused128
#include "pass.h"

#undef V0
#undef V1
#undef V2
#undef V3
#undef V4
#undef V5
#undef V6
#undef V7
#undef V8
#undef V9
#undef V10
#undef V11
#undef V12
#undef V13
#undef V14
#undef V15
#undef LANES
#undef BYTES
#undef ALL

// And both on registers of 256 bits.
#define LANES 8
#define BYTES 32
#define ALL 0xFFFF
#define V0 Y0
#define V1 Y1
#define V2 Y2
#define V3 Y3
#define V4 Y4
#define V5 Y5
#define V6 Y6
#define V7 Y7
#define V8 Y8
#define V9 Y9
#define V10 Y10
#define V11 Y11
#define V12 Y12
#define V13 Y13
#define V14 Y14
#define V15 Y15

#define NAME ·fused256
#include "pass.h"
#undef BEFORE
#define BEFORE NOP32
#define NAME ·fused256Odd
#include "pass.h"
#undef BEFORE
#define BEFORE

#undef PLUSTIMES
#undef PLUSSQUARE

#define PLUSTIMES(x, y, r, t) VMULPS x, y, t; VADDPS t, r, r
#define PLUSSQUARE(x, r) VMULPS x, x, x; VADDPS x, r, r

#define NAME ·three256
#include "pass.h"
