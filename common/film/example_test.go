package film_test

import (
	"fmt"
	"image"

	"raysteps/common/film"
)

// A step stores sums of samples. It is handed the pixels, here of a window of two in the upper
// row, and need not know whether they are all.
func Example() {
	f := film.New(3, 2)
	for x, y := range f.Window(image.Rect(1, 1, 3, 2)).Pixels() {
		f.Set(x, y, 4, 1, 0, 4) // the sum of four samples
	}
	fmt.Println(f.At(1, 1))
	fmt.Println("upper row", f.AppendRow(nil, 1))
	fmt.Println("lower row", f.AppendRow(nil, 0))
	// Output:
	// 1 0.25 0
	// upper row [0 0 0 255 127 0 255 127 0]
	// lower row [0 0 0 0 0 0 0 0 0]
}
