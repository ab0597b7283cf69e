package hostile

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"raysteps/soagen/internal/model"
	"raysteps/soagen/internal/shapes/hostile/mem"
)

func TestPrivateNames(t *testing.T) {
	model.Shape[i, iSoA, *iSoA]{
		New: newISoA, Align: 64, Pad: 4,
		Value: func(r *rand.Rand) i {
			return i{
				count: s(r.Float32()), cols: v{1, r.Float32()}, check: n(r.Int()), resize: new(int), c: c(complex(1, r.Float32())),
				k: k(r.Int()), e: e{r.IntN(2) == 0}, E: E(r.Uint32()), block: block(r.Int32()), size: size(r.Int64()),
				row: "row", next: r.IntN(2) == 0, zero: zero(r.Float64()), column: column{s(r.Float32())}, i: new(i),
			}
		},
		Columns: func(t *testing.T, c *iSoA, want []i) {
			require.Len(t, c.countPadded(), c.PaddedLen())
			for _, pad := range c.checkPadded()[len(want):] {
				require.Equal(t, n(7), pad)
			}
			for j, w := range want {
				require.Equal(t, w, i{
					count: c.count()[j], cols: c.cols()[j], check: c.check()[j], resize: c.resize()[j], c: c.c()[j],
					k: c.k()[j], e: c.e()[j], E: c.E()[j], block: c.block()[j], size: c.size()[j],
					row: c.row()[j], next: c.next()[j], zero: c.zero()[j], column: c.column()[j], i: c.i()[j],
				})
			}
		},
	}.Test(t)
}

func TestPackageNames(t *testing.T) {
	model.Shape[Shadow, ShadowSoA, *ShadowSoA]{
		New: NewShadowSoA, Align: 64,
		Value: func(r *rand.Rand) Shadow { return Shadow{mem.Mem{P: new(int)}, r.Float32()} },
	}.Test(t)
}

func TestTypeParameterNames(t *testing.T) {
	type box = Box[int, string, bool]
	model.Shape[box, BoxSoA[int, string, bool], *BoxSoA[int, string, bool]]{
		New: NewBoxSoA[int, string, bool], Align: 1, Pad: 2, Pads: map[string]any{"N": float32(1)},
		Value: func(r *rand.Rand) box { return box{r.Int(), "s", true, r.Float32(), mem.Mem{}} },
	}.Test(t)
}
