package main

import (
	"encoding/json"
	"image"
	"image/color"
	"image/png"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"raysteps/common/scene"
	"raysteps/scripts/internal/cli"
)

// Files of scenes are what render reads, and all spheres are in them but that inside the bubble.
func TestScenesFor(t *testing.T) {
	bin := t.TempDir()
	require.NoError(t, scenesFor(bin))
	for _, name := range scene.Names() {
		want, err := scene.ByName(name)
		require.NoError(t, err)
		if name == "small" {
			want.Spheres = want.Spheres[:4]
		}
		got, err := scene.ReadFile(filepath.Join(bin, name+".json"))
		require.NoError(t, err)
		assert.Equal(t, want, got)
	}
}

// Overlays are JSON without variables, and name files that there are; step 13 gets another sky.
func TestOverlays(t *testing.T) {
	root, err := cli.ModuleRoot()
	require.NoError(t, err)
	bin := t.TempDir()
	require.NoError(t, overlays((&peers{embree: packaged}).vars(root, bin)))
	files, err := filepath.Glob(filepath.Join(bin, "*.json"))
	require.NoError(t, err)
	require.Len(t, files, 4)
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		assert.NotContains(t, string(text), "$")
		var overlay struct{ Replace map[string]string }
		require.NoError(t, json.Unmarshal(text, &overlay))
		for _, ours := range overlay.Replace {
			if ours != "" {
				assert.FileExists(t, ours)
			}
		}
	}
	_, err = withHorizon("package step13\n")
	assert.ErrorContains(t, err, "the sky is another")
}

// noisy writes a picture whose colors scatter, lighter above an edge.
func noisy(t *testing.T, seed uint64, edge, brighter int) string {
	random, im := rand.New(rand.NewPCG(seed, 0)), image.NewNRGBA(image.Rect(0, 0, 640, 360))
	for y := range 360 {
		for x := range 640 {
			level := uint8(100 + random.IntN(80) + brighter)
			if y < edge {
				level += 60
			}
			im.SetNRGBA(x, y, color.NRGBA{level, level, level, 255})
		}
	}
	name := filepath.Join(t.TempDir(), "a.png")
	file, err := os.Create(name)
	require.NoError(t, err)
	require.NoError(t, png.Encode(file, im))
	require.NoError(t, file.Close())
	return name
}

// Pictures that differ by chance are within it, and a change that nobody sees is not.
func TestDifference(t *testing.T) {
	first := noisy(t, 1, 170, 0)
	for _, tt := range []struct {
		name, second string
		alike        bool
	}{
		{"the same", first, true},
		{"other random numbers", noisy(t, 2, 170, 0), true},
		{"an edge that is lower", noisy(t, 2, 174, 0), false},
		{"four levels brighter", noisy(t, 2, 170, 4), false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d, err := difference(first, tt.second)
			require.NoError(t, err)
			assert.Equal(t, tt.alike, d < chance, d)
		})
	}
	_, err := difference(first, first+"x")
	assert.Error(t, err)
}
