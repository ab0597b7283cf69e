// Counter renders images of one package and prints the rays, while valgrind
// counts what the processor would execute. Package count builds and starts it;
// nobody else runs it:
//
//	counter PACKAGE SCENE RENDERS
//
// The file packages.go, which says what can be counted, is written for each
// count and put in place by an overlay of the go command.
package main

import (
	"fmt"
	"os"
	"strconv"

	"raysteps/common"
	"raysteps/common/film"
	"raysteps/common/scene"
)

// packages holds the constructor of each package's tracers, by import path.
var packages = map[string]func(*scene.Scene) common.Tracer{}

// manySpheres returns a scene of so many spheres. It is nil unless a scene of
// that kind is counted, as not every revision has them.
var manySpheres func(n int) *scene.Scene

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) != 3 {
		return fmt.Errorf("got %d arguments; want PACKAGE SCENE RENDERS", len(args))
	}
	newTracer, ok := packages[args[0]]
	if !ok {
		return fmt.Errorf("unknown package %q", args[0])
	}
	sc, err := find(args[1])
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

func find(name string) (*scene.Scene, error) {
	var n int
	if _, err := fmt.Sscanf(name, "spheres=%d", &n); err == nil && manySpheres != nil {
		return manySpheres(n), nil
	}
	return scene.ByName(name)
}
