// Package bounds holds loops with a bounds check and loops without, which say the same. Its test
// holds the comments to what the compiler checks:
//
//	go build -gcflags=-d=ssa/check_bce ./beyond/examples/bounds
package bounds
