// Package wavefront traces many rays at once. The steps follow one path after
// the other and look for spheres side by side; here thousands of rays lie
// side by side, and every stage works on all of them: camera rays, the search
// for the closest sphere, scattering. A ray that is scattered stays, one that
// has ended makes room for another path.
//
// Each stage has three forms: AVX-512 and AVX2, sixteen and eight rays to a
// register, and plain Go. The search is in assembly, the other stages are in
// Go's experimental package simd/archsimd, so the fast forms are in programs
// that are built with GOEXPERIMENT=simd. All forms give the same bytes, on any
// number of goroutines.
package wavefront
