//go:build !purego

package step11

// assembly is the implementation beside the one in plain Go.
var assembly = implementation{name: "sse", run: runSSE}
