//go:build !purego

#include "textflag.h"

// FILL leaves something in the upper half of every register but Y15, in which Go
// expects 0.
#define FILL \
	VPCMPEQD	Y0, Y0, Y0; \
	VPCMPEQD	Y1, Y1, Y1; \
	VPCMPEQD	Y2, Y2, Y2; \
	VPCMPEQD	Y3, Y3, Y3; \
	VPCMPEQD	Y4, Y4, Y4; \
	VPCMPEQD	Y5, Y5, Y5; \
	VPCMPEQD	Y6, Y6, Y6; \
	VPCMPEQD	Y7, Y7, Y7; \
	VPCMPEQD	Y8, Y8, Y8; \
	VPCMPEQD	Y9, Y9, Y9; \
	VPCMPEQD	Y10, Y10, Y10; \
	VPCMPEQD	Y11, Y11, Y11; \
	VPCMPEQD	Y12, Y12, Y12; \
	VPCMPEQD	Y13, Y13, Y13; \
	VPCMPEQD	Y14, Y14, Y14; \
	VXORPS	X15, X15, X15

// func DirtyUppers()
TEXT ·DirtyUppers(SB), NOSPLIT, $0-0
	FILL
	RET

// func CleanUppers()
TEXT ·CleanUppers(SB), NOSPLIT, $0-0
	FILL
	VZEROUPPER
	RET

// func uppersInUse() bool
//
// Combines all registers with "or" in Y15, in which Go expects 0.
TEXT ·uppersInUse(SB), NOSPLIT, $0-1
	VORPS	Y0, Y15, Y15
	VORPS	Y1, Y15, Y15
	VORPS	Y2, Y15, Y15
	VORPS	Y3, Y15, Y15
	VORPS	Y4, Y15, Y15
	VORPS	Y5, Y15, Y15
	VORPS	Y6, Y15, Y15
	VORPS	Y7, Y15, Y15
	VORPS	Y8, Y15, Y15
	VORPS	Y9, Y15, Y15
	VORPS	Y10, Y15, Y15
	VORPS	Y11, Y15, Y15
	VORPS	Y12, Y15, Y15
	VORPS	Y13, Y15, Y15
	VORPS	Y14, Y15, Y15
	VEXTRACTF128	$1, Y15, X14
	VPTEST	X14, X14
	SETNE	ret+0(FP)
	VXORPS	X15, X15, X15
	VZEROUPPER
	RET
