package main

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"raysteps/common"
	"raysteps/common/film"
	"raysteps/common/scene"
)

// inUnits reads the example with all lengths times so many.
func inUnits(t *testing.T, times float64) *scene.Scene {
	t.Helper()
	text, err := os.ReadFile("../../common/scene/example.json")
	require.NoError(t, err)
	var file struct {
		Camera  map[string]any   `json:"camera"`
		Spheres []map[string]any `json:"spheres"`
	}
	require.NoError(t, json.Unmarshal(text, &file))
	for _, object := range append(file.Spheres, file.Camera) {
		for _, name := range []string{"from", "at", "aperture", "focus", "center", "radius"} {
			switch length := object[name].(type) {
			case float64:
				object[name] = length * times
			case []any:
				for i := range length {
					length[i] = length[i].(float64) * times
				}
			}
		}
	}
	text, err = json.Marshal(file)
	require.NoError(t, err)
	s, err := scene.Read(text, fmt.Sprint(times))
	require.NoError(t, err)
	return s
}

// blocks are the means of squares of 16 pixels a side, of 255.
func blocks(f *film.Film) (means [][3]float64) {
	columns := (f.Width + 15) / 16
	means = make([][3]float64, columns*((f.Height+15)/16))
	for x, y := range f.Pixels() {
		r, g, b := f.At(x, y)
		for channel, v := range [3]float32{r, g, b} {
			means[y/16*columns+x/16][channel] += float64(v) * 255 / 256
		}
	}
	return means
}

// A scene has one picture, whatever the unit of its lengths.
func TestUnits(t *testing.T) {
	settings := common.Settings{Width: 64, Height: 48, Samples: 64, Bounces: 50, Workers: 2}
	picture := func(step string, times float64) [][3]float64 {
		f := film.New(settings.Width, settings.Height)
		constructors[step](inUnits(t, times)).Render(f, settings)
		return blocks(f)
	}
	for _, step := range []string{"step01", "step06", "step12", "step13", "tree", "wavefront"} {
		t.Run(step, func(t *testing.T) {
			t.Parallel()
			want := picture(step, 1)
			// A fifth and five times are the units in which a scene just stays as it is.
			for _, times := range []float64{1e-6, 1e-5, 0.2, 5, 1e3, 1e6} {
				worst, mean := 0.0, 0.0
				for i, block := range picture(step, times) {
					for channel := range block {
						worst = max(worst, math.Abs(block[channel]-want[i][channel]))
						mean += block[channel] / float64(3*len(want))
					}
				}
				t.Logf("times %g: mean %.1f, a block differs by up to %.2f of 255", times, mean, worst)
				assert.Less(t, worst, 4.0, "times %g", times)
			}
		})
	}
}

// A camera on a surface does not see it. On glass, it looks out from inside, where what is
// reflected totally once is reflected for ever, and black.
func TestCameraOnGlass(t *testing.T) {
	if testing.Short() {
		t.Skip("not tested with -short: renders by seven steps")
	}
	settings := common.Settings{Width: 64, Height: 48, Samples: 16, Bounces: 50, Workers: 2}
	for name, camera := range map[string]string{
		"along the surface": `"from": [0, 0, 1], "at": [1, 0, 1]`,
		"with a lens":       `"from": [0, 0, 1], "at": [1, 0, 0.5], "aperture": 0.0001`,
		"inward":            `"from": [0.6, 0, 0.8], "at": [0, 0, 0]`,
	} {
		s, err := scene.Read([]byte(`{"camera": {`+camera+`}, "spheres": [
			{"center": [0, 0, 0], "radius": 1, "material": "dielectric", "index": 1.5},
			{"center": [0, -101, 0], "radius": 100, "material": "lambertian", "albedo": [0.5, 0.5, 0.5]}]}`), name)
		require.NoError(t, err)
		picture := func(step string) (means [][3]float64, black int) {
			f := film.New(settings.Width, settings.Height)
			constructors[step](s).Render(f, settings)
			for x, y := range f.Pixels() {
				if _, _, b := f.At(x, y); b == 0 {
					black++
				}
			}
			return blocks(f), black
		}
		want, black := picture("step01")
		assert.Greater(t, black, 10, name)
		for _, step := range []string{"step06", "step09", "step12", "step13", "tree", "wavefront"} {
			worst := 0.0
			got, dark := picture(step)
			for i, block := range got {
				for channel := range block {
					worst = max(worst, math.Abs(block[channel]-want[i][channel]))
				}
			}
			assert.Less(t, worst, 4.0, "%s: %s: a block, of that of step 1", name, step)
			assert.InDelta(t, black, dark, 0.02*64*48, "%s: %s: black pixels", name, step)
		}
	}
}
