package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image"
	_ "image/png"
	"math"
	"os"
	"path/filepath"
	"strings"

	"raysteps/common/scene"
)

// scenesFor writes the scenes as files for path tracers in Go, and for render, which draws the
// pictures that theirs are held against. As in the article's program a bubble has no inner
// surface: theirs know no sphere that is inside out.
func scenesFor(bin string) error {
	for _, name := range scene.Names() {
		sc, err := scene.ByName(name)
		if err != nil {
			return err
		}
		text, err := json.Marshal(sceneFile(sc))
		if err == nil {
			err = os.WriteFile(filepath.Join(bin, name+".json"), text, 0o666)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// sceneFile is what common/scene/README.md describes.
func sceneFile(sc *scene.Scene) any {
	type fields = map[string]any
	c, spheres := sc.Camera, []fields{}
	for _, s := range sc.Spheres {
		if s.Radius < 0 {
			continue
		}
		m := s.Material
		f := fields{"center": s.Center, "radius": s.Radius, "material": m.Kind.String()}
		switch m.Kind {
		case scene.Dielectric:
			f["index"] = m.Index
		case scene.Metal:
			f["fuzz"] = m.Fuzz
			fallthrough
		default:
			f["albedo"] = m.Albedo
		}
		spheres = append(spheres, f)
	}
	camera := fields{"from": c.From, "at": c.At, "up": c.Up, "fov": c.FOV, "aperture": c.Aperture, "focus": c.Focus}
	return fields{"camera": camera, "spheres": spheres}
}

// overlays writes those of the folder tracers, in which paths are variables, and one that gives
// step 13 the sky of GoTracer, which has the same color everywhere.
func overlays(vars map[string]string) error {
	files, err := filepath.Glob(filepath.Join(vars["TRACERS"], "*.json"))
	if err != nil {
		return err
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err == nil {
			text = []byte(command{string(text)}.expand(vars)[0])
			err = os.WriteFile(filepath.Join(vars["BIN"], filepath.Base(file)), text, 0o666)
		}
		if err != nil {
			return err
		}
	}
	name, out := filepath.Join(vars["ROOT"], "step13", "tracer.go"), filepath.Join(vars["BIN"], "horizon.go")
	text, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	horizon, err := withHorizon(string(text))
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	overlay, err := json.Marshal(map[string]any{"Replace": map[string]string{name: out}})
	if err == nil {
		err = os.WriteFile(out, []byte(horizon), 0o666)
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(vars["BIN"], "horizon.json"), overlay, 0o666)
	}
	return err
}

// withHorizon returns the source of a step's tracer whose sky is everywhere as at the horizon.
func withHorizon(source string) (string, error) {
	const height, horizon = "t := 0.5 * (r.Direction.Y + 1)", "t := float32(0.5)"
	if strings.Count(source, height) != 1 {
		return "", fmt.Errorf("the sky is another; want one %q", height)
	}
	return strings.Replace(source, height, horizon, 1), nil
}

// difference returns by how much two pictures of the same scene differ, in units of what chance
// explains: about 1 if only their random numbers differ. It is the root of the mean square over
// blocks, 32 across, and colors of the mean difference over its standard error.
func difference(first, second string) (float64, error) {
	a, err := readPicture(first)
	if err != nil {
		return 0, err
	}
	b, err := readPicture(second)
	if err != nil {
		return 0, err
	}
	if a.Bounds() != b.Bounds() {
		return 0, fmt.Errorf("%s is of %v, %s of %v; want the same", first, a.Bounds(), second, b.Bounds())
	}
	side, sum, n := max(2, a.Bounds().Dx()/32), 0., 0.
	for y := 0; y+side <= a.Bounds().Dy(); y += side {
		for x := 0; x+side <= a.Bounds().Dx(); x += side {
			for _, z := range block(a, b, image.Rect(x, y, x+side, y+side)) {
				sum += z * z
				n++
			}
		}
	}
	return math.Sqrt(sum / n), nil
}

// block returns the mean difference in a block over its standard error, by color. Levels are
// whole numbers, so the error is not less than half of one.
func block(a, b image.Image, r image.Rectangle) (z [3]float64) {
	n := float64(r.Dx() * r.Dy())
	var sum, squares [3]float64
	for y := r.Min.Y; y < r.Max.Y; y++ {
		for x := r.Min.X; x < r.Max.X; x++ {
			var u, v [3]uint32
			u[0], u[1], u[2], _ = a.At(x, y).RGBA()
			v[0], v[1], v[2], _ = b.At(x, y).RGBA()
			for i := range z {
				d := (float64(u[i]) - float64(v[i])) / 0x101
				sum[i] += d
				squares[i] += d * d
			}
		}
	}
	for i := range z {
		mean := sum[i] / n
		z[i] = mean / max(0.5, math.Sqrt((squares[i]/n-mean*mean)/n))
	}
	return z
}

func readPicture(name string) (image.Image, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	im, _, err := image.Decode(bytes.NewReader(text))
	return im, err
}
