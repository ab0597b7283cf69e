package tab

import (
	"errors"
	"image"
	"math"
	"math/rand/v2"
	"time"

	"raysteps/common"
	"raysteps/common/film"
	"raysteps/scripts/internal/estimate"
)

// Measured is what a tab says of a step.
type Measured struct {
	Step, Kernel string            // see [Kernel]
	Rate         float64           // rays per second
	Ratio        estimate.Estimate // of the rate over that of the first step
}

// A slice renders a block in each of the cells of a picture of the published size, with
// one sample a pixel.
const (
	cellColumns, cellRows = 6, 4
	blockWide, blockHigh  = 16, 8
	warmup                = 0.2 // share of the time, in which the browser compiles
	groups                = 20  // of the time, each of which counts as a launch
)

// blocks returns those of a cycle, the same for all steps.
func blocks(width, height int, cycle uint64) (list []image.Rectangle) {
	rng := rand.New(rand.NewPCG(1, cycle))
	cellWide, cellHigh := width/cellColumns, height/cellRows
	for cell := range cellColumns * cellRows {
		x := cell%cellColumns*cellWide + rng.IntN(cellWide-blockWide+1)
		y := cell/cellColumns*cellHigh + rng.IntN(cellHigh-blockHigh+1)
		list = append(list, image.Rect(x, y, x+blockWide, y+blockHigh))
	}
	return list
}

// ErrFew is that of a machine so slow that an interval would have no end. A ratio without one
// looks like a result and is none.
var ErrFew = errors.New("too few turns, measure again: the machine is busy, or too slow for ten seconds")

// Measure has steps take turns for so long: in a cycle all render the same blocks, and
// each cycle begins with another step. What counts is the rate of a group of cycles:
// package estimate, which makes intervals of launches, has one for each. The clock says
// how long it has been running. Too few of them are [ErrFew].
func Measure(scene string, steps []string, whole time.Duration, clock func() time.Duration,
	progress func(share float64)) ([]Measured, error) {
	tracers, err := newTracers(scene, steps)
	if err != nil {
		return nil, err
	}
	s := common.Default()
	s.Samples, s.Workers = 1, 1
	f := film.New(s.Width, s.Height)
	rays, seconds := make([][groups]float64, len(steps)), make([][groups]float64, len(steps))
	start := clock()
	for cycle := 0; ; cycle++ {
		share := float64(clock()-start) / float64(whole)
		if share >= 1 {
			break
		}
		progress(share)
		window := f.Window(blocks(s.Width, s.Height, uint64(cycle))...)
		group := int((share - warmup) / (1 - warmup) * groups)
		for i := range tracers {
			i = (i + cycle) % len(tracers)
			began := clock()
			n := tracers[i].Render(window, s)
			if share >= warmup {
				rays[i][group] += float64(n)
				seconds[i][group] += (clock() - began).Seconds()
			}
		}
	}
	return measuredSteps(steps, rays, seconds)
}

// measuredSteps makes launches of the groups, and of these what was measured of each step.
func measuredSteps(steps []string, rays, seconds [][groups]float64) (all []Measured, err error) {
	launches := make([][]estimate.Launch, len(steps))
	for i, step := range steps {
		for group := range groups { // one that is empty is no number, and left out
			launch := estimate.Launch{Order: group, Log: math.Log(rays[i][group] / seconds[i][group])}
			launches[i] = append(launches[i], launch)
		}
		ratio := estimate.Ratio(launches[i], launches[0])
		if i > 0 && math.IsInf(ratio.Hi, 1) {
			return nil, ErrFew
		}
		all = append(all, Measured{step, Kernel(step), estimate.Mean(launches[i]).Center, ratio})
	}
	return all, nil
}
