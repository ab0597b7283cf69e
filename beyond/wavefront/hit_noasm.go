//go:build !amd64 || purego

package wavefront

const (
	hasAVX2   = false
	hasAVX512 = false
)

func hitAVX512(s *search, f *front) { panic("this build has no assembly") }
func hitAVX2(s *search, f *front)   { panic("this build has no assembly") }
