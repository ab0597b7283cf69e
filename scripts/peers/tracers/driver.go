//go:build ignore

// Renders a scene by a path tracer in Go, whose part is in a file of its own beside this one,
// and takes the time by its clock: of the picture, without the conversion to 8 bits where the
// path tracer does not convert by itself. An overlay puts both files into the tracer's module;
// nothing is changed there. Usage: NAME WIDTH HEIGHT SAMPLES FILE SCENE PICTURE
package main

import (
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"log"
	"math"
	"os"
	"runtime"
	"strconv"
	"time"
)

// bounces is how many a path may have.
const bounces = 50

// scene is what common/scene/README.md describes.
type scene struct {
	Camera struct {
		From, At, Up         [3]float64
		FOV, Aperture, Focus float64
	}
	Spheres []sphere
}

type sphere struct {
	Center      [3]float64
	Radius      float64
	Material    string
	Albedo      [3]float64
	Fuzz, Index float64
}

// settings are those of a picture.
type settings struct{ width, height, samples, workers int }

// picture is what was rendered: the linear color of a pixel, from the top row down.
type picture func(x, y int) [3]float64

// A path tracer has a function prepare. It is not timed, and returns one that is, which renders
// and says how many rays it took.
var _ func(*scene, settings) func() (picture, float64) = prepare

// sky is the light from a direction of length 1.
func sky(y float64) [3]float64 {
	t := 0.5 * (y + 1)
	return [3]float64{1 - 0.5*t, 1 - 0.3*t, 1}
}

func main() {
	log.SetFlags(0)
	if len(os.Args) != 7 {
		log.Fatal("usage: NAME WIDTH HEIGHT SAMPLES FILE SCENE PICTURE")
	}
	s := settings{number(1), number(2), number(3), runtime.GOMAXPROCS(0)}
	text, err := os.ReadFile(os.Args[4])
	fatal(err)
	sc := new(scene)
	fatal(json.Unmarshal(text, sc))
	render := prepare(sc, s)
	start := time.Now()
	rendered, rays := render()
	seconds := time.Since(start).Seconds()
	fmt.Printf("\n\nBenchmarkPicture/scene=%s-%d 1 %.0f ns/op %.0f rays/op %.0f rays/s\n", os.Args[5], s.workers, seconds*1e9, rays, rays/seconds)
	fatal(write(os.Args[6], rendered, s))
}

// write writes a picture as ours are: the square root of the color, of 256 levels.
func write(name string, rendered picture, s settings) error {
	im := image.NewNRGBA(image.Rect(0, 0, s.width, s.height))
	for y := range s.height {
		for x := range s.width {
			c := rendered(x, y)
			level := func(v float64) uint8 { return uint8(min(255, 255.99*math.Sqrt(max(0, v)))) }
			im.SetNRGBA(x, y, color.NRGBA{level(c[0]), level(c[1]), level(c[2]), 255})
		}
	}
	file, err := os.Create(name)
	if err == nil {
		err = png.Encode(file, im)
	}
	if err == nil {
		err = file.Close()
	}
	return err
}

func number(i int) int {
	n, err := strconv.Atoi(os.Args[i])
	fatal(err)
	return n
}

func fatal(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
