// Package collect is an experiment of the chapter on AVX-512: three ways to make
// a list of candidates from masks. No kernel uses them.
package collect
