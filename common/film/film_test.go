package film

import (
	"bytes"
	"image"
	"math"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The rest of the header, and the pixels, are what known answers hold to the byte.
func TestWriteTGASides(t *testing.T) {
	var got bytes.Buffer
	require.NoError(t, New(1280, 259).WriteTGA(&got))
	require.Len(t, got.Bytes(), 18+3*1280*259)
	assert.Equal(t, []byte{0x00, 0x05, 0x03, 0x01}, got.Bytes()[12:16])
	assert.Panics(t, func() { _ = New(65536, 1).WriteTGA(&bytes.Buffer{}) })
	assert.Panics(t, func() { _ = New(1, 65536).WriteTGA(&bytes.Buffer{}) })
}

// A quarter is 127 as a byte, a sixteenth 63, a sixty-fourth 31.
func TestImage(t *testing.T) {
	f := New(2, 2)
	f.Set(0, 0, 1, 0, 0.25, 1)      // lower left
	f.Set(1, 0, 0.0625, 0.25, 1, 1) // lower right
	f.Set(0, 1, 0.25, 0.0625, 0, 1) // upper left
	f.Set(1, 1, 2, 2, 0.03125, 2)   // upper right
	assert.Equal(t, &image.NRGBA{Stride: 8, Rect: image.Rect(0, 0, 2, 2), Pix: []byte{
		127, 63, 0, 255, 255, 255, 31, 255,
		255, 0, 127, 255, 63, 127, 255, 255,
	}}, f.Image())
}

func TestPixels(t *testing.T) {
	f := New(3, 2)
	left := f.Window(image.Rect(0, 0, 1, 2))
	rows := f.Window(image.Rect(0, 0, 3, 1), image.Rect(0, 1, 3, 2))
	for _, tt := range []struct {
		name   string
		film   *Film
		pixels [][2]int
		rows   []int // their lengths, as Progress is told
	}{
		{"whole", f, [][2]int{{0, 1}, {1, 1}, {2, 1}, {0, 0}, {1, 0}, {2, 0}}, []int{3, 3}},
		{"rectangles in their order", f.Window(image.Rect(2, 0, 3, 1), image.Rect(0, 0, 2, 2)), [][2]int{{2, 0}, {0, 1}, {1, 1}, {0, 0}, {1, 0}}, []int{1, 2, 2}},
		{"beyond the edge", f.Window(image.Rect(1, 1, 9, 9)), [][2]int{{1, 1}, {2, 1}}, []int{2}},
		{"window of a window", left.Window(image.Rect(0, 0, 3, 1)), [][2]int{{0, 0}}, []int{1}},
		{"two rectangles of two", rows.Window(image.Rect(2, 0, 3, 2), image.Rect(0, 0, 1, 2)), [][2]int{{2, 0}, {2, 1}, {0, 0}, {0, 1}}, []int{1, 1, 1, 1}},
		{"nothing", left.Window(image.Rect(1, 0, 3, 2)), nil, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var pixels [][2]int
			var rows []int
			tt.film.Progress = func(pixels int) { rows = append(rows, pixels) }
			for x, y := range tt.film.Pixels() {
				pixels = append(pixels, [2]int{x, y})
			}
			assert.Equal(t, tt.pixels, pixels)
			assert.Equal(t, tt.rows, rows)
			assert.Equal(t, [2]int{3, 2}, [2]int{tt.film.Width, tt.film.Height})
		})
	}
	left.Set(0, 1, 1, 1, 1, 1)
	red, _, _ := f.At(0, 1)
	assert.EqualValues(t, 1, red, "a pixel that was set in a window")
	n := 0
	for range f.Pixels() {
		if n++; n == 2 {
			break
		}
	}
	assert.Equal(t, 2, n)
	assert.Zero(t, testing.AllocsPerRun(10, func() {
		for x, y := range f.Pixels() {
			n += x + y
		}
	}), "allocations")
}

// A sum is multiplied by the rounded inverse of the number of samples, which is not what a
// division gives.
func TestSet(t *testing.T) {
	f, third := New(1, 1), float32(1)/3
	f.Set(0, 0, 5, -5, 10, 3)
	r, g, b := f.At(0, 0)
	assert.Equal(t, [3]float32{5 * third, -5 * third, 10 * third}, [3]float32{r, g, b})
	assert.NotEqual(t, float32(5)/3, r)
}

func TestQuantize(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	for value, want := range map[float32]uint8{
		nan: 0, // which is a key like others
		0:   0, -0.5: 0, -inf: 0, math.SmallestNonzeroFloat32: 0, 0.25: 127, 0.0625: 63,
		0.99226: 254, 0.9923: 255, math.Nextafter32(1, 0): 255, 1: 255, math.MaxFloat32: 255, inf: 255,
	} {
		assert.Equal(t, want, quantize(value), "%v", value)
	}
}

func TestOutOfRange(t *testing.T) {
	f := New(4, 3)
	for _, at := range [][2]int{{-1, 1}, {4, 1}, {0, -1}, {3, 3}} {
		assert.Panics(t, func() { f.At(at[0], at[1]) }, "%v", at)
		assert.Panics(t, func() { f.Set(at[0], at[1], 1, 1, 1, 1) }, "%v", at)
	}
	assert.Panics(t, func() { New(0, 3) })
	assert.Panics(t, func() { New(4, -3) })
}

// The last ending of a name says what is written. What a folder or a file may be is for
// package outfile to say.
func TestWriteFile(t *testing.T) {
	t.Chdir(t.TempDir())
	f := New(2, 3)
	for file, start := range map[string]string{"a.png": "\x89PNG", "a.Tga": "\x00\x00\x02", "a.tga.png": "\x89PNG", ".png": "\x89PNG"} {
		require.NoError(t, CheckName(file))
		require.NoError(t, f.WriteFile(file))
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		assert.Equal(t, start, string(text[:len(start)]), file)
	}
	for file, want := range map[string]string{
		"a.jpg": "want a name that ends in .png or .tga", "png": "ends in .png", "missing/a.png": `"missing" is not a folder`,
	} {
		assert.ErrorContains(t, CheckName(file), want)
		assert.ErrorContains(t, f.WriteFile(file), want)
		assert.NoFileExists(t, file)
	}
}
