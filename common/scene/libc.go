package scene

// libcRand is the generator behind rand in the GNU C library, of the kind
// that its manual calls TYPE_3: each output is the sum, modulo 2^32, of the
// outputs 31 and 3 places before, less its lowest bit. The colors of the
// large scene come from it, so that our pictures are those of the original.
type libcRand struct {
	state  [31]uint32 // the last 31 sums, a ring
	oldest int        // the oldest of them
}

// newLibcRand is srand: it fills the state from a Lehmer generator
// (multiplier 16807, modulus 2^31-1) and throws the first 310 outputs away.
// The seed must be between 1 and 2^31-2.
func newLibcRand(seed uint32) *libcRand {
	r := new(libcRand)
	lehmer := uint64(seed)
	for i := range r.state {
		r.state[i] = uint32(lehmer)
		lehmer = lehmer * 16807 % (1<<31 - 1)
	}
	// The recurrence starts three places on: those three repeat the first
	// three of the state, which the ring holds already.
	r.oldest = 3
	for range 310 {
		r.next()
	}
	return r
}

// next returns a number below 2^31.
func (r *libcRand) next() uint32 {
	i := r.oldest
	sum := r.state[i] + r.state[(i+28)%31]
	r.state[i] = sum
	r.oldest = (i + 1) % 31
	return sum >> 1
}
