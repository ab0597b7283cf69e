package wavefront

//go:generate sh -c "sed -f narrow.sed stages_avx512.go >stages_avx2.go"

// form is one way to do the stages. All give the same bytes.
type form struct {
	name string
	draw func(f *front, b *block)
	aim  func(f *front, c *Camera, from int)
	// Of bundles. The plain search has none, and no balls.
	cull    func(l *lens, b *bundle, list []uint32) int
	hit     func(s *search, f *front)
	nests   bool // where there are many balls it asks first about balls of them
	part    func(f *front, bounces int)
	collect func(f *front, s *sums)
	scatter func(f *front, surfaces *surfaces)
}

var plain = form{
	name: "plain", draw: drawPlain, aim: aimPlain, hit: hitPlain, part: partPlain,
	collect: func(f *front, s *sums) { collectPlain(0, f, s) },
	scatter: scatterPlain,
}

// vector are the forms in SIMD instructions that can run here, the fastest first.
var vector []form

// best returns the fastest form that can run here.
func best() *form { return &append(vector, plain)[0] }
