// Package film holds a picture while it is rendered, and writes it to a file.
//
// A step stores what it saw in each pixel as the sum of its samples. Averaging,
// gamma and the rounding to bytes are done here, the same for every step, so
// that two steps whose sums agree write the same file.
package film

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"iter"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"raysteps/common/mem"
	"raysteps/common/outfile"
)

// Film is a picture of Width x Height pixels. Pixel (0, 0) is the lower left
// corner; x grows to the right and y up.
//
// Several goroutines may call Set at once for different pixels. Reading while
// others set is a race.
type Film struct {
	// Width and Height are set by New, and stay as they are.
	Width, Height int

	// Progress, if not nil, is called after each row that Pixels handed out, with the
	// number of its pixels. Where several goroutines render, it is called from several
	// at once. It is set before a render, not during one.
	Progress func(pixels int)

	// r, g, b of each pixel, linear, row after row from the lowest, on a cache line.
	// Set and SetMean change them, and nothing else does.
	pix []float32

	rects []image.Rectangle // what Pixels hands out
}

// New returns a black film. It panics unless both sides are positive; a size
// that comes from a user goes through common.Settings.Validate first.
func New(width, height int) *Film {
	if width < 1 || height < 1 {
		panic(fmt.Sprintf("film: size is %dx%d; want positive sides", width, height))
	}
	return &Film{
		Width: width, Height: height,
		pix:   mem.Aligned[float32](3*width*height, mem.CacheLine),
		rects: []image.Rectangle{image.Rect(0, 0, width, height)},
	}
}

// Window returns a film that shares the pixels and hands out only those that f hands
// out and that lie in one of the rectangles, in their order. Width and Height stay
// those of the whole picture: a step that is given a window renders a part of the
// picture, and need not know it.
func (f *Film) Window(rects ...image.Rectangle) *Film {
	w := *f
	w.rects = nil
	for _, r := range rects {
		for _, own := range f.rects {
			if part := r.Intersect(own); !part.Empty() {
				w.rects = append(w.rects, part)
			}
		}
	}
	return &w
}

// Rectangles returns what Pixels hands out, for a step that goes through the pixels
// in another order. The caller must not change it.
func (f *Film) Rectangles() []image.Rectangle { return f.rects }

// Pixels hands out the pixels that are to be rendered: of the whole picture, the rows
// from the top, and x upwards in each.
func (f *Film) Pixels() iter.Seq2[int, int] {
	return func(yield func(x, y int) bool) { f.each(yield) }
}

// each is a function of its own so that Pixels is inlined: then the compiler sees that
// the body of the caller's loop does not escape, and allocates nothing.
func (f *Film) each(yield func(x, y int) bool) {
	for _, r := range f.rects {
		for y := r.Max.Y - 1; y >= r.Min.Y; y-- {
			for x := r.Min.X; x < r.Max.X; x++ {
				if !yield(x, y) {
					return
				}
			}
			if f.Progress != nil {
				f.Progress(r.Dx())
			}
		}
	}
}

// Set stores the mean of a number of samples at (x, y), given the sum of
// their linear colors. The sum is multiplied by the rounded inverse of the
// number, not divided by the number: the two differ in the last bit.
func (f *Film) Set(x, y int, r, g, b float32, samples int) {
	scale := 1 / float32(samples)
	f.SetMean(x, y, r*scale, g*scale, b*scale)
}

// SetMean stores a linear color at (x, y), for a step that averages itself.
func (f *Film) SetMean(x, y int, r, g, b float32) {
	p := f.at(x, y)
	p[0], p[1], p[2] = r, g, b
}

// At returns the mean color at (x, y), linear. Like Set, it panics if there is
// no such pixel.
func (f *Film) At(x, y int) (r, g, b float32) {
	p := f.at(x, y)
	return p[0], p[1], p[2]
}

func (f *Film) at(x, y int) []float32 {
	if uint(x) >= uint(f.Width) || uint(y) >= uint(f.Height) {
		panic(fmt.Sprintf("film: no pixel (%d, %d) in %dx%d", x, y, f.Width, f.Height))
	}
	i := 3 * (y*f.Width + x)
	return f.pix[i : i+3 : i+3]
}

// quantize turns a linear value into a byte of gamma 2: its square root times
// 255.99, rounded down. NaN becomes 0, and what is out of range the nearest
// byte, so that the result is the same on every processor.
func quantize(v float32) uint8 {
	switch {
	case !(v > 0):
		return 0
	case v >= 1:
		return 255
	}
	return uint8(float32(math.Sqrt(float64(v))) * 255.99)
}

// Image returns the picture as the standard library knows it, top row first.
func (f *Film) Image() *image.NRGBA {
	img := image.NewNRGBA(image.Rect(0, 0, f.Width, f.Height))
	for y := range f.Height {
		for x := range f.Width {
			r, g, b := f.At(x, f.Height-1-y)
			img.SetNRGBA(x, y, color.NRGBA{quantize(r), quantize(g), quantize(b), 255})
		}
	}
	return img
}

// AppendRow appends the bytes of a row to b: red, green and blue of each pixel.
func (f *Film) AppendRow(b []byte, y int) []byte {
	for _, v := range f.pix[3*f.Width*y:][:3*f.Width] {
		b = append(b, quantize(v))
	}
	return b
}

// WriteTGA writes the picture as an uncompressed 24-bit TGA (type 2): 18
// bytes of header, then blue, green and red of each pixel, lowest row first,
// and no footer. It panics if a side is above 65535, which the header cannot
// hold.
func (f *Film) WriteTGA(w io.Writer) error {
	if f.Width > math.MaxUint16 || f.Height > math.MaxUint16 {
		panic(fmt.Sprintf("film: size is %dx%d; want sides of at most %d in a TGA", f.Width, f.Height, math.MaxUint16))
	}
	data := slices.Grow([]byte{
		2:  2, // uncompressed true color
		12: byte(f.Width), 13: byte(f.Width >> 8),
		14: byte(f.Height), 15: byte(f.Height >> 8),
		16: 24, // bits a pixel
		17: 0,
	}, len(f.pix))
	for i := 0; i < len(f.pix); i += 3 {
		data = append(data, quantize(f.pix[i+2]), quantize(f.pix[i+1]), quantize(f.pix[i]))
	}
	_, err := w.Write(data)
	return err
}

// CheckName says whether WriteFile can write a file of that name: it ends in
// .png or .tga, and a file can be written there. Call it before a long render.
func CheckName(name string) error {
	if ending := strings.ToLower(filepath.Ext(name)); ending != ".png" && ending != ".tga" {
		return fmt.Errorf("picture %q: unknown kind of file; want a name that ends in .png or .tga", name)
	}
	return outfile.Check("picture", name)
}

// WriteFile writes the picture to a file, PNG or TGA by the ending of its
// name. A file of that name is replaced only when the new one is complete.
func (f *Film) WriteFile(name string) error {
	if err := CheckName(name); err != nil {
		return err
	}
	var file bytes.Buffer // to which writing does not fail
	if strings.EqualFold(filepath.Ext(name), ".tga") {
		f.WriteTGA(&file)
	} else {
		png.Encode(&file, f.Image())
	}
	return outfile.Write("picture", name, file.Bytes())
}
