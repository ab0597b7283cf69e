//go:build !purego && amd64.v1 && !amd64.v2 && !cgo

package tagged

func F() int { return 1 }
