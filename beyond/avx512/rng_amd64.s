//go:build !purego

#include "go_asm.h"
#include "textflag.h"

// POINT draws the next point into P: numbers of 24 bits in [-1, 1), the
// coordinates x, y and z and a place that does not count.
#define POINT(P) \
	MOVO	X0, X1; \
	PSLLL	$13, X1; \
	PXOR	X1, X0; \
	MOVO	X0, X1; \
	PSRLL	$17, X1; \
	PXOR	X1, X0; \
	MOVO	X0, X1; \
	PSLLL	$15, X1; \
	PXOR	X1, X0; \
	MOVO	X0, P; \
	PAND	X11, P; \
	CVTPL2PS	P, P; \
	MULPS	X12, P; \
	SUBPS	X13, P

// func drawSSE(r *RNG)
//
//	AX      bits of four points: 1 for one in the ball
//	CX      index of the first of the four
//	DX      bits of all points
//	DI      r
//	X0, X1  states of the three generators; a shifted copy
//	X4-X7   four points; then X4 their x, X6 their y, X8 their z
//	X11     0xFFFFFF, four times
//	X12     1 / 2^23
//	X13     1
TEXT ·drawSSE(SB), NOSPLIT, $0-8
	MOVQ	r+0(FP), DI
	MOVOU	RNG_x(DI), X0
	MOVL	$0xFFFFFF, AX
	MOVL	AX, X11
	PSHUFD	$0, X11, X11
	MOVL	$0x34000000, AX
	MOVL	AX, X12
	PSHUFD	$0, X12, X12
	MOVL	$0x3F800000, AX
	MOVL	AX, X13
	PSHUFD	$0, X13, X13
	XORL	CX, CX
	XORL	DX, DX

four:
	POINT(X4)
	POINT(X5)
	POINT(X6)
	POINT(X7)

	// Transpose them: the points are rows, the coordinates become rows.
	MOVAPS	X4, X8
	UNPCKLPS	X5, X4 // x x y y of the first two
	UNPCKHPS	X5, X8 // z z
	MOVAPS	X6, X9
	UNPCKLPS	X7, X6 // x x y y of the other two
	UNPCKHPS	X7, X9 // z z
	MOVAPS	X4, X10
	MOVLHPS	X6, X4
	MOVHLPS	X10, X6
	MOVLHPS	X9, X8
	MOVUPS	X4, RNG_px(DI)(CX*4)
	MOVUPS	X6, RNG_py(DI)(CX*4)
	MOVUPS	X8, RNG_pz(DI)(CX*4)

	// The sign bit of (x*x + y*y) + z*z - 1 is set for a point in the ball.
	MULPS	X4, X4
	MULPS	X6, X6
	MULPS	X8, X8
	ADDPS	X6, X4
	ADDPS	X8, X4
	SUBPS	X13, X4
	MOVMSKPS	X4, AX
	SHLQ	CX, AX
	ORQ	AX, DX
	ADDL	$4, CX
	CMPL	CX, $const_ahead
	JLT	four

	MOVOU	X0, RNG_x(DI)
	MOVQ	$0, RNG_next(DI)
	MOVQ	DX, RNG_inside(DI)
	RET
