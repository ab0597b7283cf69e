//go:build !purego

#include "go_asm.h"
#include "textflag.h"

// Each header is made from the kernel of a step, and ends with #undef NAME.

#define COPIED(b, a, to, r) MOVAPS a, to; MULPS b, r

#define NAME ·sseKernel
#include "sse.h"
#define NAME ·avx2Kernel
#include "avx2.h"
#define NAME ·avx512Kernel
#include "avx512.h"

// Without the copy of each factor that SSE overwrites.

#undef COPIED
#define COPIED(b, a, to, r) VMULPS b, a, r

#define NAME ·sseUncopied
#include "sse.h"
