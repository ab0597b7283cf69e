// What a kernel of this package is made with, by what is left out of it.

#ifdef ALL
#define STORES
#define MASK
#define LOADS
#define COPIES
#endif

// An operand of a sphere is in memory, or a register that lets no sphere be a candidate.
#ifdef LOADS
#define COLUMN(memory, register) register
#else
#define COLUMN(memory, register) memory
#endif

// A product, with or without a copy of the factor that is overwritten.
#ifdef COPIES
#define COPIED(b, a, to, r) VMULPS b, a, r
#else
#define COPIED(b, a, to, r) MOVAPS a, to; MULPS b, r
#endif
