// Package peak measures what one core can do at most: operations on float32
// numbers in registers, on one number, four (128 bits), eight (256 bits) and
// sixteen (512 bits) at a time, and loads from the first-level cache. The
// chapters on kernels say what share of it a kernel reaches:
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
	op   string
	bits int // of an operand
	work int // of a round: floating-point operations, a fused one being two; or bytes of op=load
	run  kernel
	// Why there is no kernel, in words for a reader.
	missing string
}

// kernel does n rounds, at least one, and adds up by lane what came out, to
// show that it was done. Those of fewer bits do not change the other lanes.
//
//	add      twelve chains x = x + a, from 0
//	mul-add  half of the chains x = x + a, from 0, the others y = y*m, from 1
//	         (of 32 bits y = y*y, from m)
//	fma      twelve chains x = x + m*a, rounded once, from 0
//	load     reads the buffer once a round; what comes out are its numbers
//	         combined with a bitwise or
type kernel func(n int, in *input, out *[16]float32)

// input is what the loops read. The assembly knows the fields by their names.
type input struct {
	m, a   float32
	buffer *[bufferSize]float32 // at a multiple of 64 bytes
}

// bufferSize is a count of numbers: 8 KiB, a fourth of a small first-level
// cache.
const bufferSize = 8 << 10 / 4

// The number of chains, twelve unless there is a reason for more; for 128 bits it
// depends on the processor. Each has a register to itself. Those of mul-add, half
// sums and half products, are as many as there are registers for, since two kinds
// of units work on them. Go's compiler has 15 registers: products of a number with
// itself need none for a factor, and leave room for seven and seven. With six and
// six, a product that takes four cycles, on units that begin three operations in
// each, is waited for.
const (
	chains          = 12
	chainsMulAdd    = 14
	chainsMulAdd512 = 24
)

// loops returns what can be measured anywhere, in the order of a table.
func loops() []loop {
	all := []loop{
		{op: "mul-add", bits: 32, work: chainsMulAdd, run: mulAddPlain},
		{op: "add", bits: 128, work: chains128 * 4},
		{op: "mul-add", bits: 128, work: chainsMulAdd128 * 4},
		{op: "fma", bits: 128, work: chains128 * 4 * 2},
		{op: "fma", bits: 256, work: chains * 8 * 2},
		{op: "mul-add", bits: 512, work: chainsMulAdd512 * 16},
		{op: "fma", bits: 512, work: chains * 16 * 2},
		{op: "load", bits: 128, work: bufferSize * 4},
		{op: "load", bits: 256, work: bufferSize * 4},
		{op: "load", bits: 512, work: bufferSize * 4},
	}
	for i := range all {
		if l := &all[i]; l.run == nil {
			l.run, l.missing = assembly(l.op, l.bits)
		}
	}
	return all
}

// mulAddPlain is what Go's compiler makes of it: it does not put several numbers
// into one register. The chains start from the buffer, which is all zeros, since the
// compiler would make one of those that start alike.
func mulAddPlain(n int, in *input, out *[16]float32) {
	m, a, b := in.m, in.a, in.buffer
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
