package wavefront

// spread is a number in every lane of a register.
type spread [group]float32

func newSpread(x float32) (s spread) {
	for i := range s {
		s[i] = x
	}
	return s
}
