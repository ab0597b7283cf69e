package main

import (
	"encoding/json"
	"image/png"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"raysteps/scripts/internal/cli"
)

// number returns the first number of a line of the statistics.
func number(t *testing.T, text, name string) float64 {
	t.Helper()
	match := regexp.MustCompile(`(?m)^  ` + regexp.QuoteMeta(name) + ` +([0-9.,]+)`).FindStringSubmatch(text)
	require.NotNil(t, match, "%s in\n%s", name, text)
	v, err := strconv.ParseFloat(strings.ReplaceAll(match[1], ",", ""), 64)
	require.NoError(t, err)
	return v
}

func TestStatistics(t *testing.T) {
	for _, tt := range []struct {
		scene    string
		spheres  float64
		positive float64 // percent, as the article has them for larger and wider pictures
	}{{"small", 5, 21.34}, {"medium", 46, 3.68}, {"large", 484, 0.45}} {
		t.Run(tt.scene, func(t *testing.T) {
			status, stdout, stderr := execute(t.Context(), "-scene", tt.scene, "-width", "160", "-height", "90", "-samples", "4", "-stats")
			require.Equal(t, cli.ExitOK, status, stderr)
			assert.Empty(t, stderr)
			match := regexp.MustCompile(`^instrumented \(\w+\), scene ` + tt.scene + `, 160x90, 4 samples a pixel: (\d+) rays in `).FindStringSubmatch(stdout)
			require.NotNil(t, match, stdout)
			rays, err := strconv.ParseFloat(match[1], 64)
			require.NoError(t, err)

			camera := number(t, stdout, "Camera")
			assert.Equal(t, 160.*90*4, camera)
			scattered := 0.
			for _, kind := range []string{"lambertian", "metal", "dielectric"} {
				hits, n := number(t, stdout, kind), number(t, stdout, "Scattered by "+kind)
				assert.LessOrEqual(t, n, hits, "what scatters was hit")
				scattered += n
			}
			assert.Equal(t, rays, camera+scattered, "rays by kind")
			assert.Equal(t, tt.spheres, number(t, stdout, "Tests per ray"))
			assert.InEpsilon(t, tt.positive, number(t, stdout, "Discriminants not negative"), 0.02)
			assert.InEpsilon(t, rays/camera, number(t, stdout, "Rays"), 0.001, "rays of a path")
		})
	}
}

func TestTimers(t *testing.T) {
	status, stdout, stderr := execute(t.Context(), "-scene", "small", "-quick", "-workers", "2", "-perf")
	require.Equal(t, cli.ExitOK, status, stderr)
	assert.Contains(t, stderr, ", scene small, 80x60, 4 samples a pixel: 36737 rays in ")
	var workers []map[string][]struct{ Bytes, Calls int64 }
	require.NoError(t, json.Unmarshal([]byte(stdout), &workers), stdout)
	require.Len(t, workers, 2)
	passes, pixels := int64(0), int64(0)
	for _, w := range workers {
		for _, s := range w["hit test"] {
			assert.Equal(t, int64(8*6*4), s.Bytes, "five spheres, padded to eight: four numbers loaded and two stored for each")
			passes += s.Calls
		}
		for _, s := range w["tile"] {
			pixels += s.Calls * s.Bytes / 12
		}
	}
	assert.Equal(t, int64(36737), passes, "a hit test for each ray")
	assert.Equal(t, int64(80*60), pixels)
}

func TestTimesOfAnAPI(t *testing.T) {
	status, stdout, stderr := execute(t.Context(), "-scene", "small", "-quick", "-workers", "1", "-api")
	require.Equal(t, cli.ExitOK, status, stderr)
	assert.Contains(t, stdout, ": 36737 rays in ")
	assert.Regexp(t, `(?m)^worker 0: \d+/\d+ ms in "hit test", [0-9.]+ %, \d+ calls$`, stderr)
}

func TestHeat(t *testing.T) {
	name := filepath.Join(t.TempDir(), "heat.png")
	status, stdout, stderr := execute(t.Context(), "-scene", "medium", "-quick", "-heat", name)
	require.Equal(t, cli.ExitOK, status, stderr)
	assert.Contains(t, stdout, name+": 1.00 to ")
	f, err := os.Open(name)
	require.NoError(t, err)
	defer f.Close()
	img, err := png.Decode(f)
	require.NoError(t, err)
	assert.Equal(t, 80, img.Bounds().Dx())
	assert.Equal(t, 60, img.Bounds().Dy())
	// The sky is at the top, and takes one ray a sample.
	sky, _, _, _ := img.At(2, 0).RGBA()
	ground, _, _, _ := img.At(40, 55).RGBA()
	assert.Less(t, sky, ground)
}

func TestPhases(t *testing.T) {
	status, stdout, stderr := execute(t.Context(), "-scene", "large", "-quick", "-samples", "400", "-phases")
	require.Equal(t, cli.ExitOK, status, stderr)
	for _, name := range []string{"Render", "  Tile", "    Path", "      Hit test"} {
		assert.Regexp(t, `(?m)^`+name+` +[0-9.]+% ± +[0-9.]+% +\d+$`, stdout)
	}
}
