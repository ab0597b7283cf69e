//go:build !purego

package steptest

// assembly reports whether this build has any.
const assembly = true
