package turns

// Plan says what a launch does: a launcher or a test binary, which get it as a file
// in JSON.
type Plan struct {
	Groups []Group // of a launcher
	Match  string  // of a test binary: a regular expression for names of benchmarks, without Benchmark
	Cycles int
	Seed   uint64
	Out    string // the file that benchmark lines are written to
	Ring   bool   // turns are shared with other processes
	Short  bool   // slices of several workers take half as long
	Whole  bool   // each picture is rendered once, and its time counts

	Profile string // a file for a CPU profile, or empty
}

// Group is what takes turns in a launcher.
type Group struct {
	Scene    string // the name of a built-in scene, or empty for one of so many spheres
	Spheres  int
	Subjects []Picture
}

// Picture is what a subject of a launcher renders.
type Picture struct {
	Variant string // of those that the launcher has
	Package string // that the file shows
	Name    string // of the benchmark, without Benchmark
	Workers int    // goroutines

	// Size in pixels and samples a pixel, or 0 if the launcher is to find a size
	// that takes a slice's time.
	Width, Height, Samples int
}
