//go:build !amd64 || purego

package avx512

var assembly = []implementation{
	{name: "avx512", lanes: 16, missing: "this build has no assembly"},
	{name: "avx2", lanes: 8, missing: "this build has no assembly"},
}

func choose(string) (restore func()) { return func() {} }
