// What the next kernel begins without.

#undef NAME
#undef COLUMN
#undef COPIED
#ifdef NOTHING
#undef NOTHING
#endif
#ifdef SECOND
#undef SECOND
#endif
#ifdef STORES
#undef STORES
#endif
#ifdef MASK
#undef MASK
#endif
#ifdef LOADS
#undef LOADS
#endif
#ifdef COPIES
#undef COPIES
#endif
#ifdef ALL
#undef ALL
#endif
