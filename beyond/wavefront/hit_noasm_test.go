//go:build !amd64 || purego

package wavefront

var assembly = []kernel{
	{name: "avx512", missing: "this build has no assembly"},
	{name: "avx2", missing: "this build has no assembly"},
}
