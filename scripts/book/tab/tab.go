// Package tab is what the book runs in the reader's browser: races of the steps,
// turns that measure them, and the path behind a pixel. The code of the steps is what
// the chapters are about, compiled for WebAssembly. Command wasm connects it to the
// page; nothing here knows of a browser, so that it is tested without one.
//
// Step 12 and what goes on from it are left out, but for the tree: WebAssembly has no
// fused multiplication and addition, and what imitates it takes most of the time. So
// are goroutines: a tab has one thread.
package tab

import (
	"crypto/md5"
	"fmt"
	"maps"
	"slices"
	"strings"

	"raysteps/beyond/tree"
	"raysteps/common"
	"raysteps/common/film"
	"raysteps/common/scene"
	"raysteps/step01"
	"raysteps/step02"
	"raysteps/step03"
	"raysteps/step04"
	"raysteps/step05"
	"raysteps/step06"
	"raysteps/step07"
	"raysteps/step08"
	"raysteps/step09"
	"raysteps/step10"
	"raysteps/step11"
)

var constructors = map[string]func(*scene.Scene) common.Tracer{
	"step01": constructorOf(step01.New),
	"step02": constructorOf(step02.New),
	"step03": constructorOf(step03.New),
	"step04": constructorOf(step04.New),
	"step05": constructorOf(step05.New),
	"step06": constructorOf(step06.New),
	"step07": constructorOf(step07.New),
	"step08": constructorOf(step08.New),
	"step09": constructorOf(step09.New),
	"step10": constructorOf(step10.New),
	"step11": constructorOf(step11.New),
	"tree":   constructorOf(tree.New),
}

// constructorOf returns a constructor of a step as one of any tracer.
func constructorOf[T common.Tracer](constructor func(*scene.Scene) T) func(*scene.Scene) common.Tracer {
	return func(s *scene.Scene) common.Tracer { return constructor(s) }
}

// Steps returns the names of the steps that run in a tab.
func Steps() []string { return slices.Sorted(maps.Keys(constructors)) }

// newTracers builds the steps' forms of a scene.
func newTracers(sceneName string, steps []string) (tracers []common.Tracer, err error) {
	sc, err := scene.ByName(sceneName)
	if err != nil {
		return nil, err
	}
	for _, name := range steps {
		constructor := constructors[name]
		if constructor == nil {
			return nil, fmt.Errorf("step %q does not run in a tab; want one of %s", name, strings.Join(Steps(), ", "))
		}
		tracers = append(tracers, constructor(sc))
	}
	return tracers, nil
}

// Kernel returns what a step's kernel takes in this build: simd128, or plain for plain
// Go. It is empty for a step without one.
func Kernel(step string) string {
	if tracers, err := newTracers("small", []string{step}); err == nil {
		if k, ok := tracers[0].(common.KernelTracer); ok && step != "tree" {
			return k.Kernel()
		}
	}
	return ""
}

// Sizes are those of pictures whose bytes are known, by what common/answers calls them.
var Sizes = map[string]common.Settings{
	"quick": common.Quick(),
	"race":  {Width: 640, Height: 360, Samples: 4, Bounces: 50},
	"full":  common.Default(),
}

// settings returns those of a size, for one thread.
func settings(size string) (common.Settings, error) {
	s, ok := Sizes[size]
	if !ok {
		return s, fmt.Errorf("unknown size %q; want one of %s", size, strings.Join(slices.Sorted(maps.Keys(Sizes)), ", "))
	}
	s.Workers = 1
	return s, nil
}

// Picture is what a step has rendered.
type Picture struct {
	MD5  string // of its TGA file, which common/answers knows
	Rays int64
}

func pictureOf(f *film.Film, rays int64) *Picture {
	hash := md5.New()
	_ = f.WriteTGA(hash) // a hash does not fail
	return &Picture{fmt.Sprintf("%x", hash.Sum(nil)), rays}
}
