package scene

// libcRand returns the function rand of the GNU C library after srand(seed), of the
// kind that its manual calls TYPE_3: each sum is that of the sums 31 and 3 places
// before, modulo 2^32, and rand returns it without its lowest bit. The colors of the
// large scene come from it, so that our pictures are those of the original. The seed
// must be between 1 and 2^31-2.
func libcRand(seed uint64) (rand func() uint32) {
	// The first sums are from a Lehmer generator, and three of them come twice.
	sums := make([]uint32, 34)
	for i := range 31 {
		sums[i] = uint32(seed)
		seed = seed * 16807 % (1<<31 - 1)
	}
	copy(sums[31:], sums)
	rand = func() uint32 {
		n := len(sums)
		sums = append(sums, sums[n-31]+sums[n-3])
		return sums[n] >> 1
	}
	for range 310 { // are thrown away
		rand()
	}
	return rand
}
