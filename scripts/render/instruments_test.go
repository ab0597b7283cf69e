package main

import (
	"fmt"
	"image/png"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"raysteps/scripts/internal/cli"
)

// Discriminants that are not negative, in percent, as the article has them for larger and
// wider pictures. What else the statistics say package instrumented tests.
func TestStatistics(t *testing.T) {
	for scene, want := range map[string]float64{"small": 21.34, "medium": 3.68, "large": 0.45} {
		status, stdout, stderr := execute(t.Context(), "-scene", scene, "-width", "160", "-height", "90", "-samples", "4", "-stats")
		require.Equal(t, cli.ExitOK, status, stderr)
		line := regexp.MustCompile(`(?m)^  Discriminants not negative +(\S+) %`).FindStringSubmatch(stdout)
		require.NotNil(t, line, stdout)
		var percent float64
		_, err := fmt.Sscan(line[1], &percent)
		require.NoError(t, err)
		assert.InEpsilon(t, want, percent, 0.02, scene)
	}
}

// All instruments in one render print what they have to say, each where it belongs.
func TestInstruments(t *testing.T) {
	heat := filepath.Join(t.TempDir(), "heat.png")
	status, stdout, stderr := execute(t.Context(), "-scene", "medium", "-width", "80", "-height", "60", "-samples", "400", "-workers", "2", "-stats", "-phases", "-heat", heat)
	require.Equal(t, cli.ExitOK, status, stderr)
	for _, want := range []string{
		`^instrumented \(\w+\), scene medium, 80x60, 400 samples a pixel: \d+ rays in `, `^  Camera +1,920,000$`, `^Render +[0-9.]+% ± +[0-9.]+% +\d+$`, `^      Hit test +`,
		`heat\.png: 1\.00 to \d`,
	} {
		assert.Regexp(t, "(?m)"+want, stdout)
	}
	f, err := os.Open(heat)
	require.NoError(t, err)
	defer f.Close()
	img, err := png.Decode(f)
	require.NoError(t, err)
	// The sky is at the top, and takes one ray a sample.
	sky, _, _, _ := img.At(2, 0).RGBA()
	ground, _, _, _ := img.At(40, 55).RGBA()
	assert.Less(t, sky, ground)
}
