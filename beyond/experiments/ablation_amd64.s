//go:build !purego

#include "go_asm.h"
#include "textflag.h"

// The kernels, each with one thing left out, and all but the first of each kind without
// the second pass. A header ends with end.h, which forgets what stands here before it.

#define NAME ·sseNothing
#define NOTHING
#include "sse.h"
#define NAME ·sseSecond
#define SECOND
#include "sse.h"
#define NAME ·sseStores
#define STORES
#include "sse.h"
#define NAME ·sseMask
#define MASK
#include "sse.h"
#define NAME ·sseLoads
#define LOADS
#include "sse.h"
#define NAME ·sseCopies
#define COPIES
#include "sse.h"
#define NAME ·sseAll
#define ALL
#include "sse.h"

#define NAME ·avx2Nothing
#define NOTHING
#include "avx2.h"
#define NAME ·avx2Second
#define SECOND
#include "avx2.h"
#define NAME ·avx2Stores
#define STORES
#include "avx2.h"
#define NAME ·avx2Mask
#define MASK
#include "avx2.h"
#define NAME ·avx2Loads
#define LOADS
#include "avx2.h"
#define NAME ·avx2All
#define ALL
#include "avx2.h"

#define NAME ·avx512Nothing
#define NOTHING
#include "avx512.h"
#define NAME ·avx512Second
#define SECOND
#include "avx512.h"
#define NAME ·avx512Stores
#define STORES
#include "avx512.h"
#define NAME ·avx512Mask
#define MASK
#include "avx512.h"
#define NAME ·avx512Loads
#define LOADS
#include "avx512.h"
#define NAME ·avx512All
#define ALL
#include "avx512.h"
