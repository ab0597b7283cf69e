package main

import (
	"image"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"raysteps/common/film"
	"raysteps/common/turns"
	"raysteps/step01"
	"raysteps/step04"
)

// A method is where its code begins, and no wrapper around it.
func TestPlaces(t *testing.T) {
	hot := []any{(*step01.List).Hit, (*step01.Sphere).Hit, (*step04.World).Hit}
	var want []string
	for i, symbol := range []string{"step01.(*List).Hit", "step01.(*Sphere).Hit", "step04.(*World).Hit"} {
		f := runtime.FuncForPC(reflect.ValueOf(hot[i]).Pointer())
		assert.Equal(t, "raysteps/"+symbol, f.Name())
		want = append(want, []string{"even", "odd"}[f.Entry()/32%2])
	}
	assert.Equal(t, strings.Join(want, " "), places(hot))
}

// The blocks of a cycle are alike for all who render it, lie in the picture, and in the
// end each pixel is as likely as any other.
func TestBlocks(t *testing.T) {
	picture := turns.Picture{Grid: 3, Block: image.Pt(8, 4), Times: 1}
	f := film.New(100, 50)
	one := &tracer{Picture: picture, film: f}
	two := &tracer{Picture: picture, film: f}
	two.Times = 2
	hits := make([]int, 100*50)
	const cycles = 4000
	for cycle := range uint64(cycles) {
		blocks := two.blocks(cycle)
		assert.Len(t, blocks, 18)
		assert.Equal(t, one.blocks(cycle), blocks[:9])
		for _, b := range blocks {
			assert.True(t, b.In(image.Rect(0, 0, 100, 50)) && !b.Empty(), "%v", b)
			for y := b.Min.Y; y < b.Max.Y; y++ {
				for x := b.Min.X; x < b.Max.X; x++ {
					hits[y*100+x]++
				}
			}
		}
	}
	var shares []image.Rectangle
	for cycle := range uint64(5) {
		one.Share, two.Share = 5, 5
		assert.Subset(t, two.blocks(cycle), one.blocks(cycle))
		assert.Subset(t, two.blocks(cycle), one.blocks(cycle+4))
		shares = append(shares, one.blocks(cycle)...)
	}
	assert.Len(t, shares, 13*13)
	for _, b := range shares {
		for y := b.Min.Y; y < b.Max.Y; y++ {
			for x := b.Min.X; x < b.Max.X; x++ {
				hits[y*100+x] += cycles
			}
		}
	}
	for i := range hits {
		hits[i] -= cycles // once each
	}
	// 13 columns and 13 rows of blocks, 18 of which are drawn in a cycle.
	mean := 18. / (13 * 13) * cycles
	for i, n := range hits {
		assert.InEpsilon(t, mean, n, 0.35, "pixel (%d, %d)", i%100, i/100)
	}
}
