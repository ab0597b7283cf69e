//go:build !purego

#include "go_asm.h"
#include "textflag.h"

// POINT draws the next point of the generators in STATE into P: numbers of 24 bits
// in [-1, 1), the coordinates x, y and z and a place that does not count.
#define POINT(STATE, P) \
	MOVO	STATE, X1; \
	PSLLL	$13, X1; \
	PXOR	X1, STATE; \
	MOVO	STATE, X1; \
	PSRLL	$17, X1; \
	PXOR	X1, STATE; \
	MOVO	STATE, X1; \
	PSLLL	$15, X1; \
	PXOR	X1, STATE; \
	MOVO	STATE, P; \
	PAND	X11, P; \
	CVTPL2PS	P, P; \
	MULPS	X12, P; \
	SUBPS	X13, P

// FOUR draws four points, stores them from point FIRST+CX on, and puts their bits
// into BITS. The points are rows; transposed, the coordinates become rows. The
// sign bit of (x*x + y*y) + z*z - 1 is set for a point in the ball.
#define FOUR(STATE, FIRST, BITS) \
	POINT(STATE, X4); \
	POINT(STATE, X5); \
	POINT(STATE, X6); \
	POINT(STATE, X7); \
	MOVAPS	X4, X8; \
	UNPCKLPS	X5, X4; \
	UNPCKHPS	X5, X8; \
	MOVAPS	X6, X9; \
	UNPCKLPS	X7, X6; \
	UNPCKHPS	X7, X9; \
	MOVAPS	X4, X10; \
	MOVLHPS	X6, X4; \
	MOVHLPS	X10, X6; \
	MOVLHPS	X9, X8; \
	MOVUPS	X4, RNG_px+4*FIRST(DI)(CX*4); \
	MOVUPS	X6, RNG_py+4*FIRST(DI)(CX*4); \
	MOVUPS	X8, RNG_pz+4*FIRST(DI)(CX*4); \
	MULPS	X4, X4; \
	MULPS	X6, X6; \
	MULPS	X8, X8; \
	ADDPS	X6, X4; \
	ADDPS	X8, X4; \
	SUBPS	X13, X4; \
	MOVMSKPS	X4, AX; \
	SHLQ	CX, AX; \
	ORQ	AX, BITS

// func drawSSE(r *RNG, middle *[4]uint32)
//
// Two chains of generators, since each number waits for the one before: one draws
// the first half of the points, the other one starts in the middle.
//
//	AX      bits of four points: 1 for one in the ball
//	BX, DX  bits of the second half of the points, and of the first
//	CX      index of the first of the four
//	DI      r
//	X0, X2  states of the three generators at the beginning and in the middle
//	X1      a shifted copy
//	X4-X7   four points; then X4 their x, X6 their y, X8 their z
//	X11     0xFFFFFF, four times
//	X12     1 / 2^23
//	X13     1
TEXT ·drawSSE(SB), NOSPLIT, $0-16
	MOVQ	r+0(FP), DI
	MOVQ	middle+8(FP), AX
	MOVOU	RNG_x(DI), X0
	MOVOU	(AX), X2
	MOVL	$0xFFFFFF, AX
	MOVL	AX, X11
	PSHUFD	$0, X11, X11
	MOVL	$0x34000000, AX
	MOVL	AX, X12
	PSHUFD	$0, X12, X12
	MOVL	$0x3F800000, AX
	MOVL	AX, X13
	PSHUFD	$0, X13, X13
	XORL	BX, BX
	XORL	CX, CX
	XORL	DX, DX

four:
	FOUR(X0, 0, DX)
	FOUR(X2, const_ahead/2, BX)
	ADDL	$4, CX
	CMPL	CX, $const_ahead/2
	JLT	four

	SHLQ	$const_ahead/2, BX
	ORQ	BX, DX
	MOVOU	X2, RNG_x(DI)
	MOVQ	$0, RNG_next(DI)
	MOVQ	DX, RNG_inside(DI)
	RET
