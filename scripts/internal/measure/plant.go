package measure

import (
	"context"
	"errors"

	"raysteps/scripts/internal/estimate"
)

// Planted returns how many squarings an iteration of a benchmark of a side is to do, so that it takes a
// share longer, in slices of n iterations. It measures that in turns with none.
func (s *Side) Planted(ctx context.Context, name string, n int, share float64) (work float64, err error) {
	p, err := s.Start(ctx, 1)
	if err != nil {
		return 0, err
	}
	defer p.Close() // nothing more is wanted of it
	work = 1
	for range 8 {
		var longer []float64
		for range 6 {
			taken, err := p.Ask(Request{Slices: []SliceRequest{{name, n, 0}, {name, n, work}}})
			if err != nil {
				return 0, err
			}
			if taken[0].Calls == 0 {
				return 0, errors.New("its loop is not in the tests of its package, and so nothing is planted there")
			}
			longer = append(longer, taken[1].Values["sec/op"]/taken[0].Values["sec/op"]-1)
		}
		// As much as half of the time is measured well, and is more than what overlaps.
		switch much := estimate.Median(longer); {
		case much > 0.25 && much < 1:
			return work * share / much, nil
		case much > 0.02:
			work *= 0.5 / much
		default:
			work *= 16
		}
	}
	return 0, errors.New("work that is planted in it does not make it slower")
}
