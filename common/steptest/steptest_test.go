package steptest

import (
	"image"
	"image/color"
	"image/png"
	"path/filepath"
	"runtime"
	"strings"
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

// recorder is a test that may fail.
type recorder struct {
	testing.TB
	failed bool
}

func (r *recorder) Errorf(string, ...any) { r.failed = true }
func (r *recorder) FailNow()              { r.failed = true; runtime.Goexit() }
func (r *recorder) Fatalf(string, ...any) { r.FailNow() }
func (r *recorder) Logf(string, ...any)   {}

// What holds others to something fails if they do not do it.
func TestHeldTo(t *testing.T) {
	known, _ := answers.Of("step01", "small quick")
	file, err := pictures.Open("pictures/" + known.MD5 + ".png")
	require.NoError(t, err)
	picture, err := png.Decode(file)
	require.NoError(t, err)
	f := film.New(80, 60)
	for x, y := range f.Pixels() {
		linear := func(c uint8) float32 { return (float32(c) + 0.5) / 255.99 * (float32(c) + 0.5) / 255.99 }
		c := color.NRGBAModel.Convert(picture.At(x, 59-y)).(color.NRGBA)
		f.SetMean(x, y, linear(c.R), linear(c.G), linear(c.B))
	}
	loop := func(hit bool, at int) Loop[int, int] {
		return Loop[int, int]{"", func(_ *int, _, _ float32, rec *int) bool { *rec = at; return hit }}
	}
	same := func(loops ...Loop[int, int]) func(testing.TB) {
		return func(t testing.TB) { SameHits(t, func() func() int { return func() int { return 1 } }, loops) }
	}
	t.Chdir(filepath.Join("..", "..", "step13"))
	for name, test := range map[string]func(t testing.TB){
		"fails, other rays":      func(t testing.TB) { CheckAnswer(t, "step01", "small quick", f, known.Rays+1) },
		"fails, another picture": func(t testing.TB) { CheckAnswer(t, "step01", "small quick", film.New(80, 60), known.Rays) },
		"the answer":             func(t testing.TB) { CheckAnswer(t, "step01", "small quick", f, known.Rays) },
		"fails, another record":  same(loop(true, 1), loop(true, 1), loop(true, 2)),
		"fails, a miss":          same(loop(true, 1), loop(false, 1)),
		"fails, no hits":         same(loop(false, 1), loop(false, 1)),
		"the same hits":          same(loop(true, 1), loop(true, 1)),
		"fails, another file":    func(t testing.TB) { SameFiles(t, "step12", "ray.go", "tracer.go") },
		"the same files":         func(t testing.TB) { SameFiles(t, "step12", "ray.go", "vec.go") },
	} {
		r, done := &recorder{TB: t}, make(chan bool)
		go func() {
			defer close(done)
			test(r)
		}()
		<-done
		assert.Equal(t, strings.HasPrefix(name, "fails"), r.failed, name)
	}
}
