//go:build !amd64 || purego

package step13

var assembly = implementation{name: "avx2", missing: "this build has no assembly"}
