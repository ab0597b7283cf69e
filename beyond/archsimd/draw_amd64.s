//go:build !purego

#include "go_asm.h"
#include "textflag.h"

// COORDINATE draws the next numbers of four generators in STATE, of 24 bits in
// [-1, 1), stores them in COLUMN, and leaves their squares in P.
#define COORDINATE(STATE, COLUMN, P) \
	MOVO	STATE, P; \
	PSLLL	$13, P; \
	PXOR	P, STATE; \
	MOVO	STATE, P; \
	PSRLL	$17, P; \
	PXOR	P, STATE; \
	MOVO	STATE, P; \
	PSLLL	$15, P; \
	PXOR	P, STATE; \
	MOVO	STATE, P; \
	PAND	X11, P; \
	CVTPL2PS	P, P; \
	MULPS	X12, P; \
	SUBPS	X13, P; \
	MOVUPS	P, COLUMN(DI)(CX*4); \
	MULPS	P, P

// func drawSSE(r *RNG, starts *[3][4]uint32)
//
// Four runs of points side by side: within a run each number waits for the one
// before.
//
//	CX      place of the next four points
//	DI      r
//	X0-X2   states of the four generators of x, of y, of z
//	X3      bits of the points so far, a run each: 1 for one in the ball
//	X4-X6   squares of the coordinates
//	X10     the sign bit, four times
//	X11     0xFFFFFF, four times
//	X12     1 / 2^23
//	X13     1
TEXT ·drawSSE(SB), NOSPLIT, $0-16
	MOVQ	r+0(FP), DI
	MOVQ	starts+8(FP), AX
	MOVOU	(AX), X0
	MOVOU	16(AX), X1
	MOVOU	32(AX), X2
	MOVL	$0x80000000, AX
	MOVL	AX, X10
	PSHUFD	$0, X10, X10
	MOVL	$0xFFFFFF, AX
	MOVL	AX, X11
	PSHUFD	$0, X11, X11
	MOVL	$0x34000000, AX
	MOVL	AX, X12
	PSHUFD	$0, X12, X12
	MOVL	$0x3F800000, AX
	MOVL	AX, X13
	PSHUFD	$0, X13, X13
	PXOR	X3, X3
	XORL	CX, CX

four:
	COORDINATE(X0, RNG_px, X4)
	COORDINATE(X1, RNG_py, X5)
	COORDINATE(X2, RNG_pz, X6)
	// The sign bit of (x*x + y*y) + z*z - 1 is set for a point in the ball. It
	// becomes the highest of its run, and those before it move down.
	ADDPS	X5, X4
	ADDPS	X6, X4
	SUBPS	X13, X4
	PAND	X10, X4
	PSRLL	$1, X3
	POR	X4, X3
	ADDL	$4, CX
	CMPL	CX, $const_ahead
	JLT	four

	// The upper sixteen bits of the four numbers are the bits of the runs.
	PSRAL	$16, X3
	PACKSSLW	X3, X3
	MOVQ	X3, RNG_inside(DI)
	MOVQ	$0, RNG_next(DI)
	RET
