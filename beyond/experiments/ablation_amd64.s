//go:build !purego

#include "go_asm.h"
#include "textflag.h"

// The kernels as they are. A header ends with #undef NAME.

#define COPIED(b, a, to, r) MOVAPS a, to; MULPS b, r

#define NAME ·sseNothing
#include "sse.h"
#define NAME ·avx2Nothing
#include "avx2.h"
#define NAME ·avx512Nothing
#include "avx512.h"

// The same without the second pass.

#define SECOND

#define NAME ·sseSecond
#include "sse.h"
#define NAME ·avx2Second
#include "avx2.h"
#define NAME ·avx512Second
#include "avx512.h"

// Also without the copy of each factor that SSE overwrites.

#undef COPIED
#define COPIED(b, a, to, r) VMULPS b, a, r

#define NAME ·sseCopies
#include "sse.h"
