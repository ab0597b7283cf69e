package wavefront

//go:generate go run raysteps/beyond/wavefront/narrow

// form is one way to do the stages. All give the same bytes.
type form struct {
	name string
	draw func(f *front, b *block)
	aim  func(f *front, c *Camera, from int)
	// Of bundles and beams. The plain search has none.
	cull       func(l *lens, b *bundle, list []uint32) int
	lanes      int
	directions func(f *front, n int)
	beam       func(b *beam, c *columns)
	hit        func(s *search, f *front)
	part       func(f *front, bounces int)
	collect    func(f *front, s *sums)
	scatter    func(f *front, surfaces *surfaces)
	// Why it cannot run here; empty if it can.
	missing string
}

var plain = form{name: "plain", draw: drawPlain, aim: aimPlain, hit: hitPlain, part: partPlain, collect: collectPlain, scatter: scatterPlain}

// best returns the fastest form that can run here.
func best() *form {
	for i := range vector {
		if f := &vector[i]; f.missing == "" {
			return f
		}
	}
	return &plain
}
