//go:build !purego

#include "textflag.h"

// The operands of an instruction are sources first, destination last: VSUBPS A, B, C
// is C = B - A. All functions:
//
//	SI, DI    x or src; y or dst
//	CX        elements that are left
//	AX        a bit for each of them at the end, or how many a mask has
//	K1, K2    which lanes count
//
// What is left at the end is loaded with a mask: lanes that do not count are 0, and
// their bytes are not touched, so they may be on a page that is not there.

// MASKS makes K1 and K2 of the number in CX, less than 32: a bit for each element.
#define MASKS \
	MOVL	$1, AX; \
	SHLQ	CX, AX; \
	DECQ	AX; \
	KMOVW	AX, K1; \
	SHRL	$16, AX; \
	KMOVW	AX, K2

// FOLD adds up the 32 sums in Z0 and Z1 by halves, into X0.
#define FOLD \
	VADDPS	Z1, Z0, Z0; \
	VEXTRACTF64X4	$1, Z0, Y1; \
	VADDPS	Y1, Y0, Y0; \
	VEXTRACTF128	$1, Y0, X1; \
	VADDPS	X1, X0, X0; \
	VPERMILPS	$0x0E, X0, X1; \
	VADDPS	X1, X0, X0; \
	VMOVSHDUP	X0, X1; \
	VADDSS	X1, X0, X0; \
	VZEROUPPER

// func sumAVX512(x []float32) float32
TEXT ·sumAVX512(SB), NOSPLIT, $0-28
	MOVQ	x_base+0(FP), SI
	MOVQ	x_len+8(FP), CX
	VXORPS	X0, X0, X0
	VXORPS	X1, X1, X1
	JMP	next

block:
	VADDPS	(SI), Z0, Z0
	VADDPS	64(SI), Z1, Z1
	ADDQ	$128, SI

next:
	SUBQ	$32, CX
	JGE	block
	ADDQ	$32, CX
	JZ	fold
	MASKS
	VMOVUPS.Z	(SI), K1, Z2
	VMOVUPS.Z	64(SI), K2, Z3
	VADDPS	Z2, Z0, Z0
	VADDPS	Z3, Z1, Z1

fold:
	FOLD
	VMOVSS	X0, ret+24(FP)
	RET

// func dotAVX512(x, y []float32) float32
TEXT ·dotAVX512(SB), NOSPLIT, $0-52
	MOVQ	x_base+0(FP), SI
	MOVQ	x_len+8(FP), CX
	MOVQ	y_base+24(FP), DI
	VXORPS	X0, X0, X0
	VXORPS	X1, X1, X1
	JMP	next

block:
	VMOVUPS	(SI), Z2
	VMOVUPS	64(SI), Z3
	VMULPS	(DI), Z2, Z2
	VMULPS	64(DI), Z3, Z3
	VADDPS	Z2, Z0, Z0
	VADDPS	Z3, Z1, Z1
	ADDQ	$128, SI
	ADDQ	$128, DI

next:
	SUBQ	$32, CX
	JGE	block
	ADDQ	$32, CX
	JZ	fold
	MASKS
	VMOVUPS.Z	(SI), K1, Z2
	VMOVUPS.Z	64(SI), K2, Z3
	VMOVUPS.Z	(DI), K1, Z4
	VMOVUPS.Z	64(DI), K2, Z5
	VMULPS	Z4, Z2, Z2
	VMULPS	Z5, Z3, Z3
	VADDPS	Z2, Z0, Z0
	VADDPS	Z3, Z1, Z1

fold:
	FOLD
	VMOVSS	X0, ret+48(FP)
	RET

// func aboveAVX512(dst, src []float32, limit float32) int
//
//	DX	end of what was written to dst
//	Z0	limit, in all lanes
TEXT ·aboveAVX512(SB), NOSPLIT, $0-64
	MOVQ	dst_base+0(FP), DI
	MOVQ	src_base+24(FP), SI
	MOVQ	src_len+32(FP), CX
	VBROADCASTSS	limit+48(FP), Z0
	MOVQ	DI, DX
	JMP	next

block:
	// 0x1E is "greater than, and neither is NaN". All sixteen are stored, and those
	// after the ones that count are written over later.
	VMOVUPS	(SI), Z1
	VCMPPS	$0x1E, Z0, Z1, K1
	VCOMPRESSPS.Z	Z1, K1, Z1
	VMOVUPS	Z1, (DX)
	KMOVW	K1, AX
	POPCNTL	AX, AX
	LEAQ	(DX)(AX*4), DX
	ADDQ	$64, SI

next:
	SUBQ	$16, CX
	JGE	block
	ADDQ	$16, CX
	JZ	done
	MASKS
	VMOVUPS.Z	(SI), K1, Z1
	VCMPPS	$0x1E, Z0, Z1, K1, K1
	VCOMPRESSPS.Z	Z1, K1, Z1
	KMOVW	K1, AX
	POPCNTL	AX, CX
	MASKS
	VMOVUPS	Z1, K1, (DX)
	LEAQ	(DX)(CX*4), DX

done:
	VZEROUPPER
	SUBQ	DI, DX
	SHRQ	$2, DX
	MOVQ	DX, ret+56(FP)
	RET

DATA inf<>+0(SB)/4, $0x7F800000
GLOBL inf<>(SB), RODATA|NOPTR, $4

// func minLanesAVX512(x []float32, values *[16]float32, vectors *[16]int32)
//
//	Z0	smallest number of each lane so far
//	Z1	number of the vector that it comes from, or -1
//	Z2	number of this vector
//	Z3	1
TEXT ·minLanesAVX512(SB), NOSPLIT, $0-40
	MOVQ	x_base+0(FP), SI
	MOVQ	x_len+8(FP), CX
	VBROADCASTSS	inf<>(SB), Z0
	VPTERNLOGD	$0xFF, Z1, Z1, Z1
	VPXOR	X2, X2, X2
	VPSUBD	Z1, Z2, Z3
	JMP	next

block:
	// 0x11 is "less than, and neither is NaN".
	VMOVUPS	(SI), Z4
	VCMPPS	$0x11, Z0, Z4, K1
	VMOVAPS	Z4, K1, Z0
	VMOVDQA32	Z2, K1, Z1
	VPADDD	Z3, Z2, Z2
	ADDQ	$64, SI

next:
	SUBQ	$16, CX
	JGE	block
	ADDQ	$16, CX
	JZ	done
	MASKS
	VMOVUPS.Z	(SI), K1, Z4
	VCMPPS	$0x11, Z0, Z4, K1, K1
	VMOVAPS	Z4, K1, Z0
	VMOVDQA32	Z2, K1, Z1

done:
	MOVQ	values+24(FP), AX
	VMOVUPS	Z0, (AX)
	MOVQ	vectors+32(FP), AX
	VMOVDQU32	Z1, (AX)
	VZEROUPPER
	RET

// func hammingAVX512(x, y []uint64) int
TEXT ·hammingAVX512(SB), NOSPLIT, $0-56
	MOVQ	x_base+0(FP), SI
	MOVQ	x_len+8(FP), CX
	MOVQ	y_base+24(FP), DI
	VPXOR	X0, X0, X0
	JMP	next

block:
	VMOVDQU64	(SI), Z1
	VPXORQ	(DI), Z1, Z1
	VPOPCNTQ	Z1, Z1
	VPADDQ	Z1, Z0, Z0
	ADDQ	$64, SI
	ADDQ	$64, DI

next:
	SUBQ	$8, CX
	JGE	block
	ADDQ	$8, CX
	JZ	fold
	MASKS
	VMOVDQU64.Z	(SI), K1, Z1
	VMOVDQU64.Z	(DI), K1, Z2
	VPXORQ	Z2, Z1, Z1
	VPOPCNTQ	Z1, Z1
	VPADDQ	Z1, Z0, Z0

fold:
	VEXTRACTI64X4	$1, Z0, Y1
	VPADDQ	Y1, Y0, Y0
	VEXTRACTI128	$1, Y0, X1
	VPADDQ	X1, X0, X0
	VPSRLDQ	$8, X0, X1
	VPADDQ	X1, X0, X0
	VMOVQ	X0, AX
	VZEROUPPER
	MOVQ	AX, ret+48(FP)
	RET
