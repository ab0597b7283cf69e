package steptest

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"

	"raysteps/common/film"
)

// An operation renders as many pixels for one seed as for another, in each cell some, and
// others for each seed.
func TestBlocks(t *testing.T) {
	f := film.New(1280, 720)
	for _, sc := range builtin() {
		n := cells(len(sc.Spheres))
		all := map[[2]int]bool{}
		for seed := range uint64(100) {
			seen, pixels := map[[2]int]bool{}, 0
			for x, y := range f.Window(blocks(f, rand.New(rand.NewPCG(seed, 0)), n)...).Pixels() {
				seen[[2]int{x * n / 1280, y * n / 720}] = true
				all[[2]int{x, y}] = true
				pixels++
			}
			assert.Equal(t, n*n*8*4, pixels, "%s, seed %d", sc.Name, seed)
			assert.GreaterOrEqual(t, len(seen), n*n)
		}
		assert.Greater(t, len(all), 50*n*n*8*4)
	}
}

// The shares of a picture are all of it.
func TestShare(t *testing.T) {
	f := film.New(300, 200)
	for _, shares := range []int{2, 3, 5, 10, 20} {
		var seen [300][200]int
		for i := range shares {
			for x, y := range f.Window(share(f, i, shares)...).Pixels() {
				seen[x][y]++
			}
		}
		for x, y := range f.Pixels() {
			if seen[x][y] != 1 {
				t.Fatalf("(%d, %d) is in %d of %d shares; want 1", x, y, seen[x][y], shares)
			}
		}
	}
}
