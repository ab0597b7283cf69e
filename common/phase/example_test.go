package phase_test

import (
	"context"
	"fmt"
	"log"
	"sync"

	"raysteps/common/phase"
)

type world struct {
	size   float64
	colors [2]float64
}

func (w *world) build() {
	t := 0.0
	for range 50_000_000 {
		t = t*0.5 + 1
	}
	w.size = t
}

func (w *world) render() {
	var workers sync.WaitGroup
	for i := range w.colors {
		workers.Go(func() {
			for range 100_000 {
				w.colors[i] += w.hit()
			}
		})
	}
	workers.Wait()
}

// hit is called so often that a label would be felt.
func (w *world) hit() float64 {
	t := w.size
	for range 1000 {
		t = t*0.5 + 1
	}
	return t
}

// The phases of a program: two by label, since they are entered once, and one
// by function. The workers of render know nothing of phases.
func Example() {
	profiler, err := phase.Start()
	if err != nil {
		log.Fatal(err)
	}
	ctx := context.Background()
	w := new(world)
	phase.Do(ctx, "Build", func(context.Context) { w.build() })
	phase.Do(ctx, "Render", func(context.Context) { w.render() })
	prof, err := profiler.Stop()
	if err != nil {
		log.Fatal(err)
	}
	// prof.Write(file) is for go tool pprof.

	report := phase.Read(prof, phase.Func("Intersect", (*world).hit))
	// fmt.Print(report) would have other figures each time.
	var names func(phases []*phase.Phase, indent string)
	names = func(phases []*phase.Phase, indent string) {
		for _, p := range phases {
			fmt.Println(indent + p.Name)
			names(p.Phases, indent+"  ")
		}
	}
	names(report.Phases, "")
	// Output:
	// Render
	//   Intersect
	// Build
}
