package perf_test

import (
	"fmt"
	"sync"

	"raysteps/common/perf"
)

// integrate follows the Lorenz system for a number of steps and returns the
// last x. The conversions keep the compiler from rounding a product and a sum
// at once, which it does for some processors: a difference of 1e-14 at the
// beginning is one of several units in the end.
func integrate(worker *perf.Worker, number int, steps int64) float64 {
	defer worker.Start("integrate", 0, 14*steps).Stop()
	const dt, beta = 1e-4, 8.0 / 3
	x, y, z := 1.0, float64(float64(number)*1e-14), 0.0
	for range steps {
		dx := 10 * (y - x)
		dy := float64(x*(28-z)) - y
		dz := float64(x*y) - float64(beta*z)
		x += float64(dx * dt)
		y += float64(dy * dt)
		z += float64(dz * dt)
	}
	return x
}

// The butterfly effect, with the program of the recipe: four workers start from
// almost the same point.
func Example() {
	const workers, steps = 4, 1_000_000
	var timers perf.Timers
	timers.On()

	var results [workers]float64
	var all sync.WaitGroup
	for number := range workers {
		all.Go(func() {
			results[number] = integrate(timers.Worker(number), number, steps)
		})
	}
	all.Wait()

	reduce := timers.Worker(0).Start("reduce", 8*workers, 2*workers)
	least, most := results[0], results[0]
	for _, x := range results {
		least, most = min(least, x), max(most, x)
	}
	reduce.Stop()
	fmt.Printf("ending x = %.3f +/- %.3f\n", (least+most)/2, (most-least)/2)

	// The times differ from run to run, and so are not printed here:
	// json.Marshal(timers.Report()) has them.
	for number, labels := range timers.Report() {
		for _, label := range []string{"integrate", "reduce"} {
			for _, s := range labels[label] {
				fmt.Printf("worker %d: %s, %d bytes, %d flops, %d call\n",
					number, label, s.Bytes, s.Flops, s.Calls)
			}
		}
	}
	// Output:
	// ending x = -4.060 +/- 8.372
	// worker 0: integrate, 0 bytes, 14000000 flops, 1 call
	// worker 0: reduce, 32 bytes, 8 flops, 1 call
	// worker 1: integrate, 0 bytes, 14000000 flops, 1 call
	// worker 2: integrate, 0 bytes, 14000000 flops, 1 call
	// worker 3: integrate, 0 bytes, 14000000 flops, 1 call
}
