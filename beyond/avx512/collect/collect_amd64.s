//go:build !purego

#include "textflag.h"

DATA	places<>+0(SB)/4, $0
DATA	places<>+4(SB)/4, $1
DATA	places<>+8(SB)/4, $2
DATA	places<>+12(SB)/4, $3
DATA	places<>+16(SB)/4, $4
DATA	places<>+20(SB)/4, $5
DATA	places<>+24(SB)/4, $6
DATA	places<>+28(SB)/4, $7
DATA	places<>+32(SB)/4, $8
DATA	places<>+36(SB)/4, $9
DATA	places<>+40(SB)/4, $10
DATA	places<>+44(SB)/4, $11
DATA	places<>+48(SB)/4, $12
DATA	places<>+52(SB)/4, $13
DATA	places<>+56(SB)/4, $14
DATA	places<>+60(SB)/4, $15
GLOBL	places<>(SB), RODATA|NOPTR, $64

// func collectBits(masks []uint16, to []uint32) int
//
// One bit after the other, as the kernel does.
TEXT ·collectBits(SB), NOSPLIT, $0-56
	MOVQ	masks_base+0(FP), SI
	MOVQ	masks_len+8(FP), CX
	MOVQ	to_base+24(FP), DI
	MOVQ	DI, DX

mask:
	MOVWLZX	(SI), AX
	TESTL	AX, AX
	JZ	next

bit:
	BSFL	AX, BX
	MOVL	BX, (DI)
	ADDQ	$4, DI
	LEAL	-1(AX), BX
	ANDL	BX, AX
	JNZ	bit

next:
	ADDQ	$2, SI
	DECQ	CX
	JNZ	mask
	SUBQ	DX, DI
	SHRQ	$2, DI
	MOVQ	DI, ret+48(FP)
	RET

// func collectRegister(masks []uint16, to []uint32) int
//
// VPCOMPRESSD moves the numbers of the chosen places to the front of another
// register, which is stored whole.
TEXT ·collectRegister(SB), NOSPLIT, $0-56
	MOVQ	masks_base+0(FP), SI
	MOVQ	masks_len+8(FP), CX
	MOVQ	to_base+24(FP), DI
	MOVQ	DI, DX
	VMOVDQU32	places<>(SB), Z0

mask:
	MOVWLZX	(SI), AX
	KMOVW	AX, K1
	VPCOMPRESSD.Z	Z0, K1, Z1
	VMOVDQU32	Z1, (DI)
	POPCNTL	AX, AX
	LEAQ	(DI)(AX*4), DI
	ADDQ	$2, SI
	DECQ	CX
	JNZ	mask
	VZEROUPPER
	SUBQ	DX, DI
	SHRQ	$2, DI
	MOVQ	DI, ret+48(FP)
	RET

// func collectMemory(masks []uint16, to []uint32) int
//
// The same in one instruction, which stores the chosen numbers only.
TEXT ·collectMemory(SB), NOSPLIT, $0-56
	MOVQ	masks_base+0(FP), SI
	MOVQ	masks_len+8(FP), CX
	MOVQ	to_base+24(FP), DI
	MOVQ	DI, DX
	VMOVDQU32	places<>(SB), Z0

mask:
	MOVWLZX	(SI), AX
	KMOVW	AX, K1
	VPCOMPRESSD	Z0, K1, (DI)
	POPCNTL	AX, AX
	LEAQ	(DI)(AX*4), DI
	ADDQ	$2, SI
	DECQ	CX
	JNZ	mask
	VZEROUPPER
	SUBQ	DX, DI
	SHRQ	$2, DI
	MOVQ	DI, ret+48(FP)
	RET
