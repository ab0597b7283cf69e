package steptest

import (
	"bytes"
	"crypto/md5"
	"embed"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"raysteps/common"
	"raysteps/common/answers"
	"raysteps/common/film"
)

// pictures are those of the three scenes at quick size, by the MD5 of their answers, as
// go run ./scripts/render -width 80 -height 60 -samples 4 writes them.
//
//go:embed pictures
var pictures embed.FS

func (p subject) answer(t testing.TB, name string) answers.Answer {
	want, ok := answers.Of(p.step, name)
	require.True(t, ok, "no known answer of %q for %q; add the step to a group of common/answers/answers.json", p.step, name)
	return want
}

// CheckAnswer fails unless a film and a number of rays are the known answer of a
// step, such as that of "step12" for "medium quick". Then it also says where the film
// differs from the right picture, and writes it into the folder for temporary files.
func CheckAnswer(t testing.TB, step, name string, f *film.Film, rays int64) {
	t.Helper()
	want := subject{step: step}.answer(t, name)
	right := "pictures/" + want.MD5 + ".png"
	picture, err := pictures.Open(right)
	if assert.Equal(t, want, answerOf(f, rays)) || err != nil { // those of the full size have no pictures
		return
	}
	yours := filepath.Join(os.TempDir(), "raysteps-"+step+"-"+strings.ReplaceAll(name, " ", "-")+".png")
	assert.NoError(t, f.WriteFile(yours))
	t.Logf("%s. Yours is %s; the right one is common/steptest/%s", firstDifference(f.Image(), picture), yours, right)
}

// firstDifference names the first pixel, from the upper left, in which two pictures differ.
func firstDifference(got *image.NRGBA, file io.Reader) string {
	want, err := png.Decode(file)
	if err != nil {
		return err.Error()
	}
	for y := range got.Rect.Max.Y {
		for x := range got.Rect.Max.X {
			yours := got.NRGBAAt(x, y)
			if right := color.NRGBAModel.Convert(want.At(x, y)); right != yours {
				return fmt.Sprintf("The first pixel that differs, from the upper left, is (%d, %d): %v; want %v", x, y, yours, right)
			}
		}
	}
	return "No pixel differs, so the number of rays does"
}

func render(tracer common.Tracer, s common.Settings) answers.Answer {
	f := film.New(s.Width, s.Height)
	rays := tracer.Render(f, s)
	return answerOf(f, rays)
}

func answerOf(f *film.Film, rays int64) answers.Answer {
	var tga bytes.Buffer
	if err := f.WriteTGA(&tga); err != nil {
		panic(err) // a bytes.Buffer does not fail
	}
	return answers.Answer{Rays: rays, MD5: fmt.Sprintf("%x", md5.Sum(tga.Bytes()))}
}
