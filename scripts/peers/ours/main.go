// Ours renders pictures of scenes by a step, with the clock of the programs in C++ beside
// it: the conversion to 8 bits is inside, and the memory of the picture is written before.
// scripts/peers links and calls it.
package main

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"time"

	"raysteps/common"
	"raysteps/common/film"
	"raysteps/common/scene"
	"raysteps/scripts/internal/steps"
	"raysteps/scripts/internal/tracers"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) != 3 {
		return errors.New("usage: ours STEP SCENE SAMPLES")
	}
	step, err := steps.Find(args[0])
	sc, err2 := scene.ByName(args[1])
	settings := common.Default()
	_, err3 := fmt.Sscan(args[2], &settings.Samples)
	if err := errors.Join(err, err2, err3, settings.Validate()); err != nil {
		return err
	}
	tracer, f := tracers.New(step, sc), film.New(settings.Width, settings.Height)
	var picture []byte
	convert := func() {
		picture = picture[:0]
		for y := range f.Height {
			picture = f.AppendRow(picture, y)
		}
	}
	for i := range f.Width * f.Height {
		f.Set(i%f.Width, i/f.Width, 1, 1, 1, 1)
	}
	convert()
	runtime.GC()
	start := time.Now()
	rays := tracer.Render(f, settings)
	convert()
	took := time.Since(start)
	fmt.Printf("pkg: %s\n\nBenchmarkPicture/scene=%s 1 %d ns/op %d rays/op %.0f rays/s\n",
		step.Package(), sc.Name, took.Nanoseconds(), rays, float64(rays)/took.Seconds())
	return nil
}
