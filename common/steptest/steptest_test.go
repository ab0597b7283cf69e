package steptest

import (
	"image"
	"image/color"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"raysteps/common/answers"
	"raysteps/common/film"
)

func TestFirstDifference(t *testing.T) {
	got, want := image.NewNRGBA(image.Rect(0, 0, 5, 4)), image.NewNRGBA(image.Rect(0, 0, 5, 4))
	assert.Equal(t, "No pixel differs, so the number of rays does", firstDifference(got, want))
	want.SetNRGBA(4, 1, color.NRGBA{1, 2, 3, 255})
	want.SetNRGBA(0, 2, color.NRGBA{9, 9, 9, 255})
	assert.Equal(t, "The first pixel that differs, from the upper left, is (4, 1): {0 0 0 0}; want {1 2 3 255}", firstDifference(got, want))
}

// Each answer at quick size has its picture, which shows where another one differs.
func TestShowDifference(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	t.Setenv("TMP", dir)
	for _, step := range []string{"step01", "step09", "step10", "step11", "step12", "step13", "wavefront"} {
		for _, sc := range builtin() {
			answer, ok := answers.Of(step, sc.Name+" quick")
			require.True(t, ok)
			require.NoError(t, showDifference(t, step+sc.Name, film.New(80, 60), answer.MD5))
			assert.FileExists(t, filepath.Join(dir, "raysteps-"+step+sc.Name+".png"))
		}
	}
}
