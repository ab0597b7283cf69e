//go:build !purego

#include "textflag.h"

// func ticks() int64
//
// RDTSC leaves the counter in DX:AX. Nothing keeps it from running ahead of
// the instructions before it or behind those after it.
TEXT ·ticks(SB), NOSPLIT, $0-8
	RDTSC
	SHLQ	$32, DX
	ORQ	DX, AX
	MOVQ	AX, ret+0(FP)
	RET
