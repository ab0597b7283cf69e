package measure

import (
	"cmp"
	"context"
	"math"
	"time"
)

// Benchmarks returns the benchmarks of a function of a side, which has to be linked, that a
// pattern selects: of each a slice that takes so long, with the values of one iteration. A
// failure of one is said in its place; an error is of all.
func (s *Side) Benchmarks(
	ctx context.Context, function, pattern string, cpu int, slice time.Duration,
) (found []*Slice, err error) {
	p, err := s.Start(ctx, cpu)
	if err != nil {
		return nil, err
	}
	defer p.Close() // nothing more is wanted of it
	found, err = p.Ask(Request{Function: function, Bench: pattern})
	if err == nil && (s.Skips || len(found) == 0) {
		skipped, failed := p.Ask(Request{Function: function, Bench: pattern, Verbose: true})
		defer func() { found = append(found, skipped...) }()
		err = failed
	}
	for _, f := range found {
		f.N, f.Took = 1, time.Duration(1e9*f.Values["sec/op"])
		if f.Failure == "" && f.Took < 64*slice && err == nil {
			err = f.calibrate(p, slice.Seconds())
		}
	}
	return found, err
}

// calibrate finds how many iterations a slice has: as many as take so many seconds, and of
// that, what it does before it measures is to take no more than two thirds. The testing package
// would find them by itself, and without end where a benchmark does more than it counts. After
// an error, which may be a failure of the benchmark, the process is of no more use.
func (s *Slice) calibrate(p Server, want float64) error {
	best, apart := math.Inf(1), math.Inf(1) // seconds of an iteration, and of what is done beside them
	for try := 0; try < 2; try++ {
		taken, err := p.Ask(Request{Slices: []SliceRequest{{s.Name, s.N, 0}}})
		if err != nil {
			return err
		}
		took := taken[0].Took.Seconds()
		best = min(best, cmp.Or(taken[0].Values["sec/op"], took/float64(s.N)))
		// Iterations can seem slow, since they are the first or another program had the
		// processor: that must not make n too small, and neither must what a benchmark does apart
		// from its iterations. Nor may n grow without end if it does more than it counts.
		more := max(want, took-apart)
		if s.N == 1 {
			apart, more = min(apart, took), took
		}
		s.Took = time.Duration(1e9 * took)
		if n := float64(s.N); n*best < want/2 && took < 10*want+apart && n < 1e8 {
			s.N, try = 1+int(min(want/best, n*max(2, 30*want/more))), -1
		} else if took > 64*want {
			break
		}
	}
	s.N = int(float64(s.N) * max(1, min(3, s.Took.Seconds()/max(float64(s.N)*best, 1e-9)/3)))
	return nil
}
