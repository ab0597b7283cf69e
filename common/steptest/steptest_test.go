package steptest

import (
	"fmt"
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

// recorder is a test that may fail.
type recorder struct {
	testing.TB
	failed bool
	log    string
}

func (r *recorder) Errorf(string, ...any)           { r.failed = true }
func (r *recorder) FailNow()                        { r.failed = true; runtime.Goexit() }
func (r *recorder) Fatalf(string, ...any)           { r.FailNow() }
func (r *recorder) Logf(format string, args ...any) { r.log += fmt.Sprintf(format, args...) }

// What holds others to something fails if they do not do it, and shows where a picture is
// another one.
func TestHeldTo(t *testing.T) {
	known, _ := answers.Of("step01", "small quick")
	file, err := pictures.Open("pictures/" + known.MD5 + ".png")
	require.NoError(t, err)
	picture, err := png.Decode(file)
	require.NoError(t, err)
	right, wrong := film.New(80, 60), film.New(80, 60)
	for x, y := range right.Pixels() {
		linear := func(c uint8) float32 { return (float32(c) + 0.5) / 255.99 * (float32(c) + 0.5) / 255.99 }
		c := color.NRGBAModel.Convert(picture.At(x, 59-y)).(color.NRGBA)
		for _, f := range []*film.Film{right, wrong} {
			f.SetMean(x, y, linear(c.R), linear(c.G), linear(c.B))
		}
	}
	wrong.SetMean(0, 57, 0, 0, 0)
	wrong.SetMean(4, 58, 0, 0, 0)
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	t.Setenv("TMP", dir)
	loop := func(hit bool, at int) Loop[int, int] {
		return Loop[int, int]{"", func(_ *int, _, _ float32, rec *int) bool { *rec = at; return hit }}
	}
	same := func(loops ...Loop[int, int]) func(testing.TB) {
		return func(t testing.TB) { SameHits(t, func() func() int { return func() int { return 1 } }, loops) }
	}
	for name, test := range map[string]func(t testing.TB){
		"No pixel differs, so the number of rays does": func(t testing.TB) { CheckAnswer(t, "step01", "small quick", right, known.Rays+1) },
		"is (4, 1): {0 0 0 255}; want":                 func(t testing.TB) { CheckAnswer(t, "step01", "small quick", wrong, known.Rays) },
		"the answer":                                   func(t testing.TB) { CheckAnswer(t, "step01", "small quick", right, known.Rays) },
		"fails, another record":                        same(loop(true, 1), loop(true, 1), loop(true, 2)),
		"fails, a miss":                                same(loop(true, 1), loop(false, 1)),
		"fails, no hits":                               same(loop(false, 1), loop(false, 1)),
		"the same hits":                                same(loop(true, 1), loop(true, 1)),
	} {
		r, done := &recorder{TB: t}, make(chan bool)
		go func() {
			defer close(done)
			test(r)
		}()
		<-done
		assert.Equal(t, !strings.HasPrefix(name, "the "), r.failed, name)
		if r.log != "" {
			assert.Contains(t, r.log, name)
			assert.FileExists(t, filepath.Join(dir, "raysteps-step01-small-quick.png"))
		}
	}
}

// Each answer at quick size has its picture.
func TestPictures(t *testing.T) {
	for _, step := range []string{"step01", "step09", "step10", "step11", "step12", "step13", "wavefront"} {
		for _, sc := range builtin() {
			answer, _ := answers.Of(step, sc.Name+" quick")
			_, err := pictures.Open("pictures/" + answer.MD5 + ".png")
			assert.NoError(t, err, "%s, scene %s", step, sc.Name)
		}
	}
}
