//go:build !purego

// Made from the kernels of the steps; see doc.go.

#include "go_asm.h"
#include "textflag.h"
#define COLUMN(memory, register) memory
#define COPIED(b, a, to, r) MOVAPS a, to; MULPS b, r
#define NAME ·sseNothing
#include "sse.h"
#undef COLUMN
#undef COPIED
#undef NAME

#define COLUMN(memory, register) memory
#define COPIED(b, a, to, r) MOVAPS a, to; MULPS b, r
#define NAME ·sseSecond
#define SECOND
#include "sse.h"
#undef COLUMN
#undef COPIED
#undef NAME
#undef SECOND

#define COLUMN(memory, register) memory
#define COPIED(b, a, to, r) MOVAPS a, to; MULPS b, r
#define NAME ·sseStores
#define SECOND
#define STORES
#include "sse.h"
#undef COLUMN
#undef COPIED
#undef NAME
#undef SECOND
#undef STORES

#define COLUMN(memory, register) memory
#define COPIED(b, a, to, r) MOVAPS a, to; MULPS b, r
#define MASK
#define NAME ·sseMask
#define SECOND
#include "sse.h"
#undef COLUMN
#undef COPIED
#undef MASK
#undef NAME
#undef SECOND

#define COLUMN(memory, register) register
#define COPIED(b, a, to, r) MOVAPS a, to; MULPS b, r
#define NAME ·sseLoads
#define SECOND
#include "sse.h"
#undef COLUMN
#undef COPIED
#undef NAME
#undef SECOND

#define COLUMN(memory, register) memory
#define COPIED(b, a, to, r) VMULPS b, a, r
#define NAME ·sseCopies
#define SECOND
#include "sse.h"
#undef COLUMN
#undef COPIED
#undef NAME
#undef SECOND

#define COLUMN(memory, register) register
#define COPIED(b, a, to, r) VMULPS b, a, r
#define MASK
#define NAME ·sseAll
#define SECOND
#define STORES
#include "sse.h"
#undef COLUMN
#undef COPIED
#undef MASK
#undef NAME
#undef SECOND
#undef STORES

#define COLUMN(memory, register) memory
#define COPIED(b, a, to, r) MOVAPS a, to; MULPS b, r
#define NAME ·avx2Nothing
#include "avx2.h"
#undef COLUMN
#undef COPIED
#undef NAME

#define COLUMN(memory, register) memory
#define COPIED(b, a, to, r) MOVAPS a, to; MULPS b, r
#define NAME ·avx2Second
#define SECOND
#include "avx2.h"
#undef COLUMN
#undef COPIED
#undef NAME
#undef SECOND

#define COLUMN(memory, register) memory
#define COPIED(b, a, to, r) MOVAPS a, to; MULPS b, r
#define NAME ·avx2Stores
#define SECOND
#define STORES
#include "avx2.h"
#undef COLUMN
#undef COPIED
#undef NAME
#undef SECOND
#undef STORES

#define COLUMN(memory, register) memory
#define COPIED(b, a, to, r) MOVAPS a, to; MULPS b, r
#define MASK
#define NAME ·avx2Mask
#define SECOND
#include "avx2.h"
#undef COLUMN
#undef COPIED
#undef MASK
#undef NAME
#undef SECOND

#define COLUMN(memory, register) register
#define COPIED(b, a, to, r) MOVAPS a, to; MULPS b, r
#define NAME ·avx2Loads
#define SECOND
#include "avx2.h"
#undef COLUMN
#undef COPIED
#undef NAME
#undef SECOND

#define COLUMN(memory, register) register
#define COPIED(b, a, to, r) VMULPS b, a, r
#define MASK
#define NAME ·avx2All
#define SECOND
#define STORES
#include "avx2.h"
#undef COLUMN
#undef COPIED
#undef MASK
#undef NAME
#undef SECOND
#undef STORES

#define COLUMN(memory, register) memory
#define COPIED(b, a, to, r) MOVAPS a, to; MULPS b, r
#define NAME ·avx512Nothing
#include "avx512.h"
#undef COLUMN
#undef COPIED
#undef NAME

#define COLUMN(memory, register) memory
#define COPIED(b, a, to, r) MOVAPS a, to; MULPS b, r
#define NAME ·avx512Second
#define SECOND
#include "avx512.h"
#undef COLUMN
#undef COPIED
#undef NAME
#undef SECOND

#define COLUMN(memory, register) memory
#define COPIED(b, a, to, r) MOVAPS a, to; MULPS b, r
#define NAME ·avx512Stores
#define SECOND
#define STORES
#include "avx512.h"
#undef COLUMN
#undef COPIED
#undef NAME
#undef SECOND
#undef STORES

#define COLUMN(memory, register) memory
#define COPIED(b, a, to, r) MOVAPS a, to; MULPS b, r
#define MASK
#define NAME ·avx512Mask
#define SECOND
#include "avx512.h"
#undef COLUMN
#undef COPIED
#undef MASK
#undef NAME
#undef SECOND

#define COLUMN(memory, register) register
#define COPIED(b, a, to, r) MOVAPS a, to; MULPS b, r
#define NAME ·avx512Loads
#define SECOND
#include "avx512.h"
#undef COLUMN
#undef COPIED
#undef NAME
#undef SECOND

#define COLUMN(memory, register) register
#define COPIED(b, a, to, r) VMULPS b, a, r
#define MASK
#define NAME ·avx512All
#define SECOND
#define STORES
#include "avx512.h"
#undef COLUMN
#undef COPIED
#undef MASK
#undef NAME
#undef SECOND
#undef STORES

