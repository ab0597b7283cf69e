//go:build !amd64 || purego

package step10

var assembly = implementation{name: "sse", missing: "this build has no assembly"}
