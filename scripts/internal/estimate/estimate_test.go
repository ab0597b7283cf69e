package estimate

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// of returns the estimate of link orders with these logarithms.
func of(orders ...[]float64) Estimate {
	var launches []Launch
	for order, logs := range orders {
		for _, log := range logs {
			launches = append(launches, Launch{order, log, nil})
		}
	}
	return Of(launches)
}

func TestEqualLaunches(t *testing.T) {
	log := math.Log(1.1)
	e := of([]float64{log, log}, []float64{log}, []float64{log, log, log})
	center := math.Exp(log)
	assert.Equal(t, Estimate{Center: center, Lo: center, Hi: center, Orders: 3, Launches: 6, Repeated: 2}, e)
	assert.Zero(t, e.HalfWidth())
	assert.True(t, e.Excludes(1))
	assert.False(t, e.Excludes(center))
	assert.False(t, e.Undecided())
	assert.False(t, e.Disturbed())
}

func TestOneOrder(t *testing.T) {
	for name, logs := range map[string][]float64{"a launch": {0}, "three launches": {-0.01, 0, 0.02}} {
		e := of(logs)
		assert.Equal(t, 1.0, e.Center, name)
		assert.Zero(t, e.Lo, name)
		assert.Equal(t, math.Inf(1), e.Hi, name)
		assert.Equal(t, math.Inf(1), e.HalfWidth(), name)
		assert.True(t, e.Undecided(), name)
		assert.False(t, e.Excludes(1), name)
		assert.False(t, e.Disturbed(), name)
		assert.Zero(t, e.Within, name)
		assert.Zero(t, e.Between, name)
	}
}

func TestNoLaunches(t *testing.T) {
	e := Of(nil)
	assert.Equal(t, Estimate{Hi: math.Inf(1)}, e)
	assert.True(t, e.Undecided())
}

// TestInterval computes an interval by hand: of five orders the first and the
// last are trimmed; the winsorized deviations are -2, -2, 0, 2, 2 percent; and
// Student's t with two degrees of freedom is 4.303.
func TestInterval(t *testing.T) {
	e := of([]float64{0.9}, []float64{0.02}, []float64{-0.02}, []float64{0}, []float64{-0.05})
	assert.Equal(t, 1.0, e.Center)
	half := 4.302653 * math.Sqrt(4*0.02*0.02/(3*2))
	assert.InDelta(t, math.Exp(half), e.Hi, 1e-6)
	assert.InDelta(t, math.Exp(-half), e.Lo, 1e-6)
	assert.InDelta(t, math.Exp(half)-1, e.HalfWidth(), 1e-6)
	assert.True(t, e.Undecided())
}

// TestCenterOfOrder tells how an order's launches make its value. The orders of
// a case are launched alike, so that their values are -0.01, 0 and 0.01.
func TestCenterOfOrder(t *testing.T) {
	for name, launches := range map[string][]float64{
		"one":             {0},
		"mean of two":     {-0.001, 0.001},
		"median of three": {-0.001, 0, 0.002},
	} {
		var orders [][]float64
		for _, order := range []float64{-0.01, 0, 0.01} {
			var logs []float64
			for _, log := range launches {
				logs = append(logs, order+log)
			}
			orders = append(orders, logs)
		}
		e := of(orders...)
		assert.InDelta(t, 1, e.Center, 1e-12, name)
		assert.InDelta(t, math.Exp(4.302653*0.01/math.Sqrt(3)), e.Hi, 1e-6, name)
		assert.Equal(t, 3*len(launches), e.Launches, name)
	}
}

// TestContradiction has one launch that lies apart in one order of six.
func TestContradiction(t *testing.T) {
	noise := []float64{-0.012, 0.011, -0.013, 0.012, -0.011, 0.013}
	two, three := [][]float64{}, [][]float64{}
	for _, d := range noise {
		two = append(two, []float64{d - 0.001, d + 0.001})
		three = append(three, []float64{d - 0.001, d, d + 0.001})
	}
	two[3][1] += 0.1
	three[3][2] += 0.1

	e := of(two...)
	assert.Equal(t, 1, e.Apart)
	assert.Equal(t, 6, e.Repeated)
	assert.Equal(t, 6, e.Orders)
	assert.True(t, e.Disturbed(), "one of six orders is more than an eighth")
	without := of(slices.Delete(slices.Clone(two), 3, 4)...)
	assert.Equal(t, without.Center, e.Center, "two launches that contradict each other count")
	assert.Equal(t, without.Hi, e.Hi)
	assert.InDelta(t, without.Between, e.Between, 1e-9)

	e = of(three...)
	assert.Equal(t, 1, e.Apart)
	three[3][2] -= 0.1
	assert.Equal(t, of(three...).Center, e.Center, "the median of three follows the one apart")
}

// TestOrderOfLaunches also tells that an estimate is the same each time, and
// that the launches are left as they are.
func TestOrderOfLaunches(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	var launches []Launch
	for order := range 16 {
		for range 1 + order%4 {
			launches = append(launches, Launch{order - 5, r.NormFloat64() / 100, nil})
		}
	}
	want := Of(launches)
	for range 20 {
		r.Shuffle(len(launches), func(i, j int) { launches[i], launches[j] = launches[j], launches[i] })
		before := slices.Clone(launches)
		assert.Equal(t, want, Of(launches))
		assert.Equal(t, before, launches)
	}
}

func TestNoNaN(t *testing.T) {
	values := []float64{0, 1, -1, 709, -745, 1e9, math.Inf(1), math.Inf(-1), math.NaN(), math.SmallestNonzeroFloat64}
	r := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		var launches []Launch
		for range r.IntN(8) {
			launches = append(launches, Launch{r.IntN(3), values[r.IntN(len(values))], nil})
		}
		e := Of(launches)
		for _, v := range []float64{e.Center, e.Lo, e.Hi, e.Within, e.Between, e.HalfWidth()} {
			require.False(t, math.IsNaN(v), "%v: %+v", launches, e)
			require.GreaterOrEqual(t, v, 0.0, "%v: %+v", launches, e)
		}
		require.False(t, math.IsInf(e.Center, 0), "%v: %+v", launches, e)
		require.LessOrEqual(t, e.Lo, e.Center, "%v: %+v", launches, e)
		require.GreaterOrEqual(t, e.Hi, e.Center, "%v: %+v", launches, e)
	}
	e := of([]float64{math.NaN()}, []float64{0, math.NaN()}, []float64{0}, []float64{math.Inf(1)})
	assert.Equal(t, Estimate{Center: 1, Lo: 1, Hi: 1, Orders: 2, Launches: 2}, e)
}

func TestLevels(t *testing.T) {
	nan := math.NaN()
	for _, test := range []struct {
		name   string
		slices [][]float64
		want   []float64
	}{
		{"no cycle", nil, []float64{}},
		{"one variant", [][]float64{{3}, {1}, {nan}, {9}}, []float64{3}},
		{"drift", [][]float64{{1, 2, 4}, {2, 3, 5}, {7, 8, 10}}, []float64{2, 3, 5}},
		{"a burst", [][]float64{{1, 2, 4}, {2, 3, 5}, {2, 3, 5}, {7, 99, 10}, {3, 4, 6}}, []float64{2, 3, 5}},
		{"missing slices", [][]float64{{1, nan, 4}, {nan, 3, 5}, {2, 3, nan}, {2, 3, 5}}, []float64{2, 3, 5}},
		{"a slice alone in its cycle", [][]float64{{1, 2}, {nan, 2}, {3, 4}}, []float64{1.5, 2.5}},
		{"a variant without a slice", [][]float64{{1, nan, 2}, {2, nan, 3}}, []float64{1.5, nan, 2.5}},
		{"short cycles", [][]float64{{1}, {1, 2, 4}, {1, 2}}, []float64{1, 2, 4}},
		{"nothing to compare", [][]float64{{1, nan, 3}, {nan, 2, 5}}, []float64{nan, nan, 4}},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := Levels(test.slices)
			require.Len(t, got, len(test.want))
			for i, want := range test.want {
				if math.IsNaN(want) {
					assert.True(t, math.IsNaN(got[i]), "%v", got)
				} else {
					assert.InDelta(t, want, got[i], 1e-9, "%v", got)
				}
			}
		})
	}
}

// madeSlices are the slices of variants that differ by nothing but noise.
func madeSlices(r *rand.Rand, cycles, variants int) [][]float64 {
	logs := make([][]float64, cycles)
	for c := range logs {
		for range variants {
			logs[c] = append(logs[c], float64(c%7)/10+r.NormFloat64())
		}
	}
	return logs
}

func TestLevelsOfTwoVariants(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 1))
	for cycles := 1; cycles < 40; cycles++ {
		logs := madeSlices(r, cycles, 2)
		var paired []float64
		for _, cycle := range logs {
			if r.IntN(5) == 0 {
				cycle[r.IntN(2)] = math.NaN()
			} else {
				paired = append(paired, cycle[1]-cycle[0])
			}
		}
		levels := Levels(logs)
		if len(paired) == 0 {
			assert.True(t, math.IsNaN(levels[1]-levels[0]))
			continue
		}
		assert.InDelta(t, median(paired), levels[1]-levels[0], 1e-9)
	}
}

// TestLevelsOfFasterVariant tells that a constant factor changes the level of
// its own variant and no other, and that the slices are left as they are.
func TestLevelsOfFasterVariant(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	for range 50 {
		logs := madeSlices(r, 20, 5)
		want := Levels(logs)
		for _, cycle := range logs {
			cycle[3] += 2.5
		}
		want[3] += 2.5
		before := make([][]float64, len(logs))
		for i := range logs {
			before[i] = slices.Clone(logs[i])
		}
		assert.InDeltaSlice(t, want, Levels(logs), 1e-9)
		assert.Equal(t, before, logs)
	}
}

func BenchmarkOf(b *testing.B) {
	r := rand.New(rand.NewPCG(3, 1))
	var launches []Launch
	for i := range 96 {
		launches = append(launches, Launch{i / 2, r.NormFloat64() / 100, nil})
	}
	for b.Loop() {
		Of(launches)
	}
}

func BenchmarkLevels(b *testing.B) {
	logs := madeSlices(rand.New(rand.NewPCG(3, 2)), 60, 14)
	for b.Loop() {
		Levels(logs)
	}
}
