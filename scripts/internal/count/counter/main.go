// Counter renders images with one step and prints the rays, while valgrind counts
// what the processor would execute. Package count builds and starts it; nobody else
// runs it:
//
//	counter STEP SCENE RENDERS
//
// The file variants.go, which holds the steps' constructors, is put in place by an
// overlay of the go command.
package main

import (
	"fmt"
	"os"
	"strconv"

	"raysteps/common"
	"raysteps/common/film"
	"raysteps/common/scene"
)

// variants holds the constructors of the steps, by name.
var variants = map[string]func(*scene.Scene) common.Tracer{}

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) != 3 {
		return fmt.Errorf("got %d arguments; want STEP SCENE RENDERS", len(args))
	}
	newTracer, ok := variants[args[0]]
	if !ok {
		return fmt.Errorf("unknown step %q", args[0])
	}
	sc, err := scene.ByName(args[1])
	if err != nil {
		return err
	}
	renders, err := strconv.Atoi(args[2])
	if err != nil {
		return err
	}
	t := newTracer(sc)
	// So few pixels are enough: a ray's counts are sums over thousands of rays.
	s := common.Settings{Width: 64, Height: 36, Samples: 1, Bounces: common.Default().Bounces, Workers: 1}
	f := film.New(s.Width, s.Height)
	rays := int64(0)
	for range renders {
		rays += t.Render(f, s)
	}
	kernel := "-"
	if k, ok := t.(interface{ Kernel() string }); ok {
		kernel = k.Kernel()
	}
	_, err = fmt.Println(rays, kernel)
	return err
}
