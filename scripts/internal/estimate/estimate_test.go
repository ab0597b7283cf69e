package estimate

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
)

// launches makes them of quantities, one a link order.
func launches(quantities ...float64) []Launch {
	var all []Launch
	for i, q := range quantities {
		all = append(all, Launch{Order: i, Log: math.Log(q)})
	}
	return all
}

func TestOf(t *testing.T) {
	e := Of(launches(2, 2, 2, 2))
	assert.InDelta(t, 2, e.Center, 1e-12)
	assert.InDelta(t, 2, e.Lo, 1e-12)
	assert.Equal(t, 4, e.Orders)
	assert.False(t, e.Excludes(e.Center))

	// Student's t for three samples is 4.303; the logarithms are -1, 0 and 1.
	e = Of(launches(1/math.E, 1, math.E))
	assert.InEpsilon(t, 1, e.Center, 1e-9)
	assert.InEpsilon(t, math.Exp(4.30265/math.Sqrt(3)), e.Hi, 1e-4)
	assert.InEpsilon(t, 1/e.Hi, e.Lo, 1e-9)

	one := Of(launches(3))
	assert.Equal(t, 0., one.Lo)
	assert.True(t, math.IsInf(one.Hi, 1))
	assert.True(t, math.IsInf(one.HalfWidth(), 1))
	assert.Zero(t, Of(nil).Center)
	assert.Equal(t, math.E, Of([]Launch{{Log: math.NaN()}, {Order: 1, Log: math.Inf(-1)}, {Order: 2, Log: 1}}).Center, "what is no quantity is left out")
}

// The launches of one link order are one sample.
func TestRepeatedOrders(t *testing.T) {
	e := Of([]Launch{{Order: 1, Log: 0}, {Order: 1, Log: 2}, {Order: 2, Log: 1}})
	assert.Equal(t, 2, e.Orders)
	assert.InDelta(t, math.E, Of([]Launch{{Log: math.NaN()}, {Order: 1, Log: math.Inf(-1)}, {Order: 2, Log: 1}}).Center, 1e-9, "what is no quantity is left out")
	assert.InEpsilon(t, math.E, e.Lo, 1e-9)
	assert.InEpsilon(t, math.E, e.Hi, 1e-9)
}

// What the place of code does is taken out, however often each place came up.
func TestPlaces(t *testing.T) {
	const worth = 0.08
	var of, over []Launch
	for order := range 16 {
		odd := order%4 != 0 // three of four
		other := order%3 == 0
		l := Launch{Order: order, Log: 0.5, Places: Places([]bool{odd})}
		if odd {
			l.Log += worth / 2
		} else {
			l.Log -= worth / 2
		}
		of = append(of, l)
		over = append(over, Launch{Order: order, Log: 0.2, Places: Places([]bool{other})})
	}
	e := Ratio(of, over, false)
	assert.InEpsilon(t, math.Exp(0.3), e.Center, 1e-9)
	assert.Less(t, e.HalfWidth(), 1e-9)
	assert.InEpsilon(t, math.Expm1(worth), Of(of).Place, 1e-9)
	assert.Zero(t, Of(over).Place, "nothing hangs on it")

	plain := make([]Launch, len(of))
	for i, l := range of {
		plain[i] = Launch{Order: l.Order, Log: l.Log}
	}
	assert.Greater(t, Of(plain).HalfWidth(), 0.01, "without the bit the same launches scatter")
	assert.Greater(t, Of(plain).Center, Of(of).Center, "and are biased by the place that came up more often")

	// The same function on both sides, and one place throughout.
	assert.InEpsilon(t, 1, Ratio(of, of, true).Center, 1e-9)
	for i := range of {
		of[i].Places = Places([]bool{true})
	}
	assert.Zero(t, Of(of).Place)
	// Too few link orders for a fit.
	assert.Zero(t, Of(launchesOdd(1, 2, 1)).Place)
}

// Step 1 is slow where both of its functions begin at an even place.
func TestPlacesOfTwoFunctions(t *testing.T) {
	var of, over []Launch
	slow := func(odd ...bool) float64 {
		if slices.Contains(odd, true) {
			return 0
		}
		return -0.06
	}
	for order := range 12 {
		a, b := order%2 == 0, order%3 == 0
		c, d := order%5 < 2, order%7 < 3
		of = append(of, Launch{order, 0.5 + slow(a, b), Places([]bool{a, b})})
		over = append(over, Launch{order, slow(c, d), Places([]bool{c, d})})
	}
	for _, same := range []bool{false, true} {
		e := Ratio(of, over, same)
		assert.InEpsilon(t, math.Exp(0.5), e.Center, 1e-9)
		assert.Less(t, e.HalfWidth(), 1e-9)
	}
	e := Of(of)
	assert.InEpsilon(t, math.Exp(0.5-0.06/4), e.Center, 1e-9, "the mean of four pairs of places")
	assert.InEpsilon(t, math.Expm1(0.06), e.Place, 1e-9)

	// One pair of places did not come up: what it is worth is not known, but for the
	// same code at the places that the other has.
	of = slices.DeleteFunc(of, func(l Launch) bool { return l.Order%6 == 3 })
	assert.Greater(t, Of(of).HalfWidth(), 0.01)
	assert.Zero(t, Of(of).Place)
	assert.Greater(t, Ratio(of, over, false).HalfWidth(), 0.01)
	e = Ratio(of, over, true)
	assert.InEpsilon(t, math.Exp(0.5), e.Center, 1e-9)
	assert.Less(t, e.HalfWidth(), 1e-9)
}

func launchesOdd(quantities ...float64) []Launch {
	all := launches(quantities...)
	for i := range all {
		all[i].Places = Places([]bool{i%2 == 0})
	}
	return all
}

func TestRatioOfOrdersThatBothHave(t *testing.T) {
	e := Ratio([]Launch{{Order: 1, Log: 1}, {Order: 2, Log: 9}}, []Launch{{Order: 1, Log: 0}, {Order: 3}}, false)
	assert.Equal(t, 1, e.Orders)
	assert.InEpsilon(t, math.E, e.Center, 1e-9)
}

func TestFormat(t *testing.T) {
	for _, tt := range []struct {
		center, lo, hi float64
		text, ratio    string
	}{
		{1.2391, 1.2331, 1.2452, "1.239 (1.233 to 1.245)", "1.239 (1.233 to 1.245)"},
		{34.2, 30.4, 37.1, "34 (30 to 37)", "34 (30 to 37)"},
		{0.998, 0.991, 1.004, "0.998 (0.991 to 1.004)", "~ (0.991 to 1.004)"},
		{0.82, 0.752, 0.858, "0.82 (0.75 to 0.86)", "0.82 (0.75 to 0.86)"},
		{2, 0, math.Inf(1), "2.00", "~"},
		{2, 2, 2, "2.00", "2.00"},
	} {
		e := Estimate{Center: tt.center, Lo: tt.lo, Hi: tt.hi}
		assert.Equal(t, tt.text, e.String())
		assert.Equal(t, tt.ratio, FormatRatio(e))
	}
	assert.Equal(t, "713k (708 to 718)", Estimate{Center: 713e3, Lo: 708e3, Hi: 718e3}.Scale(1e3, "k"))
}

// A link order that is far off moves an estimate as one would that is a little off.
func TestFarOff(t *testing.T) {
	values := []float64{1, 1.01, 0.99, 1.005, 0.995, 1.002, 0.998, 1.004, 0.997, 1.3}
	e := Of(launches(values...))
	assert.InDelta(t, 1, e.Center, 0.01)
	assert.Less(t, e.HalfWidth(), 0.02)
}

// Of simulated runs, the intervals cover the true ratio in 95 of 100 or about as
// many: with places that come up unevenly, noise of launches and slices, and a
// neighbor that halves the speed for 5 to 500 ms at a time.
func TestCoverage(t *testing.T) {
	const runs = 600
	for _, tt := range []struct {
		name              string
		orders, functions int
		bursts            bool
		ratio             float64
	}{{"16 link orders", 16, 1, false, 1.05}, {"8 with bursts", 8, 1, true, 1}, {"12 with bursts", 12, 1, true, 1}, {"96 with bursts", 96, 1, true, 0.97},
		{"14 of two functions", 14, 2, true, 1}, {"96 of two functions", 96, 2, true, 1.1}} {
		t.Run(tt.name, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(1, uint64(tt.orders)))
			covered, width := 0, 0.
			for range runs {
				e := simulate(rng, tt.orders, tt.functions, tt.bursts, tt.ratio)
				if !e.Excludes(tt.ratio) {
					covered++
				}
				width += e.HalfWidth() / runs
			}
			share := float64(covered) / runs
			t.Logf("covers %.1f %%, half-width %.2f %%", 100*share, 100*width)
			// Three standard errors of the share.
			assert.InDelta(t, 0.95, share, 0.03)
		})
	}
}

// simulate measures two of four variants, as scripts/bench does.
func simulate(rng *rand.Rand, orders, functions int, bursts bool, ratio float64) Estimate {
	const variants, cycles = 4, 30
	const slice = 0.003 // seconds
	var levels [variants][]Launch
	for order := range orders {
		var odd [variants][]bool
		var speed [variants]float64 // logarithms
		for v := range variants {
			for range functions {
				odd[v] = append(odd[v], rng.IntN(2) == 0)
			}
			if !slices.Contains(odd[v], true) {
				speed[v] -= 0.06
			}
			speed[v] += 0.008 * rng.NormFloat64() // what else a link order does
			if rng.IntN(33) == 0 {
				speed[v] -= 0.1 + 0.8*rng.Float64() // to three of a hundred
			}
		}
		speed[1] += math.Log(ratio)
		now, busyUntil, nextBurst := 0., 0., rng.ExpFloat64()*0.3
		all := make([][]Figures, cycles)
		for c := range all {
			all[c] = make([]Figures, variants)
			for _, v := range rng.Perm(variants) {
				log := speed[v] + 0.01*rng.NormFloat64()
				if bursts && now > nextBurst {
					busyUntil = now + 0.005*math.Pow(100, rng.Float64())
					nextBurst = busyUntil + rng.ExpFloat64()*0.5
				}
				if now < busyUntil {
					log -= math.Ln2
				}
				all[c][v] = Figures{"x": math.Exp(log)}
				now += slice
			}
		}
		for v, level := range Levels(all) {
			levels[v] = append(levels[v], Launch{Order: order, Log: math.Log(level["x"]), Places: Places(odd[v])})
		}
	}
	return Ratio(levels[1], levels[0], false)
}
