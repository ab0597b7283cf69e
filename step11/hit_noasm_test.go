//go:build !amd64 || purego

package step11

var assembly = implementation{name: "sse", missing: "this build has no assembly"}
