package wavefront

// spread is a number in every lane of a register. What a stage needs in a loop
// it reads from memory, which costs less than to spread it there.
type spread [group]float32

func newSpread(x float32) (s spread) {
	for i := range s {
		s[i] = x
	}
	return s
}

// spread3 is a vector in every lane.
type spread3 struct{ x, y, z spread }

func newSpread3(v Vec3) spread3 { return spread3{newSpread(v.X), newSpread(v.Y), newSpread(v.Z)} }
