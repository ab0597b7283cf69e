// Package peak measures what one core can do at most: operations on float32
// numbers in registers, on one number, four (128 bits), eight (256 bits) and
// sixteen (512 bits) at a time. The chapters on kernels say what share of it a
// kernel reaches:
//
//	go test -bench . ./scripts/peak
//
// Each loop has so many independent chains of operations that there is always
// one to start: what counts is how many the core starts in a cycle, and not how
// long one takes. Nothing else is done meanwhile, and all numbers stay normal.
// No kernel reaches that, since it also has to load, to compare and to count.
//
// Where additions have units of their own, op=mul-add keeps them busy as well
// as those that multiply, and op=fma does not: a kernel of fused operations
// and additions could then exceed op=fma, which is nevertheless what is called
// the peak of a core.
package peak

// loop does one thing over and over.
type loop struct {
	op      string
	bits    int // of an operand
	flops   int // floating-point operations of a round, a fused one being two
	run     kernel
	missing string // why it cannot run here, in words for a reader, or empty
}

// kernel does n rounds, at least one, and adds up by lane what came out, to
// show that it was done. Those of fewer bits do not change the other lanes.
//
//	mul-add  half of the chains x = x + a, from 0, the others y = y*m, from 1
//	         (of 32 bits y = y*y, from m)
//	fma      all chains x = x + m*a, rounded once, from 0
type kernel func(n int, in *input, out *[16]float32)

// input is what the loops read. The assembly knows m and a by their names.
type input struct {
	m, a  float32
	zeros [chainsMulAdd]float32
}

// The number of chains. Each has a register to itself. Those of mul-add, half sums
// and half products, are as many as there are registers for, since two kinds of units
// work on them. Go's compiler has 15 registers: products of a number with itself need
// none for a factor, and leave room for seven and seven. With six and six, a product
// that takes four cycles, on units that begin three operations in each, is waited for.
const (
	chains       = 12
	chainsMulAdd = 14
)

// loops returns what can be measured, in the order of a table.
func loops() []loop {
	return append([]loop{{"mul-add", 32, chainsMulAdd, mulAddPlain, ""}}, assembly()...)
}

// mulAddPlain is what Go's compiler makes of it: it does not put several numbers
// into one register. The chains start from numbers that the compiler does not know to be
// zeros, since it would make one of those that start alike.
func mulAddPlain(n int, in *input, out *[16]float32) {
	m, a, b := in.m, in.a, &in.zeros
	x0, x1, x2, x3, x4, x5, x6 := b[0], b[1], b[2], b[3], b[4], b[5], b[6]
	y0, y1, y2, y3, y4, y5, y6 := m+b[7], m+b[8], m+b[9], m+b[10], m+b[11], m+b[12], m+b[13]
	for range n {
		x0 += a
		y0 *= y0
		x1 += a
		y1 *= y1
		x2 += a
		y2 *= y2
		x3 += a
		y3 *= y3
		x4 += a
		y4 *= y4
		x5 += a
		y5 *= y5
		x6 += a
		y6 *= y6
	}
	out[0] = x0 + x1 + x2 + x3 + x4 + x5 + x6 + y0 + y1 + y2 + y3 + y4 + y5 + y6
}
