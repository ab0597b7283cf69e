package estimate

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
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
	e := Mean(launches(2, 2, 2, 2))
	assert.InDelta(t, 2, e.Center, 1e-12)
	assert.InDelta(t, 0, e.HalfWidth(), 1e-12)
	assert.Equal(t, 4, e.Orders)

	// Student's t for five samples is 2.776; the deviation of the logarithms is 1.581.
	e = Mean(launches(math.Exp(-2), math.Exp(-1), 1, math.E, math.Exp(2)))
	assert.InEpsilon(t, 1, e.Center, 1e-9)
	assert.InEpsilon(t, math.Exp(2.77645*math.Sqrt(2.5/5)), e.Hi, 1e-4)
	assert.InEpsilon(t, 1/e.Hi, e.Lo, 1e-9)

	few := Mean(launches(3, 3, 3.1))
	assert.Equal(t, 3, few.Orders)
	assert.Equal(t, 0., few.Lo)
	assert.True(t, math.IsInf(few.HalfWidth(), 1), "three do not tell how they scatter")
	assert.InDelta(t, 0, Mean(launches(3, 3)).HalfWidth(), 1e-12, "a count")
	assert.Zero(t, Mean(nil).Center)
	assert.InDelta(t, math.E, Mean([]Launch{{Log: math.NaN()}, {Order: 1, Log: math.Inf(-1)}, {Order: 2, Log: 1}}).Center, 1e-9, "what is no quantity is left out")
}

// A ratio is of the link orders that both have.
func TestRatio(t *testing.T) {
	e := Ratio([]Launch{{Order: 1, Log: 1}, {Order: 2, Log: 9}}, []Launch{{Order: 1, Log: 0}, {Order: 3}})
	assert.Equal(t, 1, e.Orders)
	assert.InEpsilon(t, math.E, e.Center, 1e-9)
}

// What the place of code does is taken out, however often each place came up.
func TestPlaces(t *testing.T) {
	var of, over, plain []Launch
	for order := range 16 {
		worth := 0.04 // in three of four
		if order%4 == 0 {
			worth = -worth
		}
		of = append(of, Launch{order, 0.5 + worth, PlaceEffects([]bool{worth > 0})})
		over = append(over, Launch{order, 0.2, PlaceEffects([]bool{order%3 == 0})})
		plain = append(plain, Launch{order, 0.5 + worth, nil})
	}
	e := Ratio(of, over)
	assert.InEpsilon(t, math.Exp(0.3), e.Center, 1e-9)
	assert.Less(t, e.HalfWidth(), 1e-9)
	assert.InEpsilon(t, math.Expm1(0.08), Mean(of).Place, 1e-9)
	assert.Zero(t, Mean(over).Place, "nothing hangs on it")
	assert.Zero(t, Mean(over[:4]).Place, "too few link orders for a fit")

	assert.Greater(t, Mean(plain).HalfWidth(), 0.01, "without the bit the same launches scatter")
	assert.Greater(t, Mean(plain).Center, Mean(of).Center, "and are biased by the place that came up more often")
	assert.Greater(t, Mean(append(plain[:1:1], of[1:]...)).HalfWidth(), 0.01, "as if one place is not known")
	for i := range of {
		of[i].Places = PlaceEffects([]bool{true})
	}
	assert.Zero(t, Mean(of).Place, "one place throughout")
}

// What a place is worth is said if it is there, and not where it may be chance, however much
// the machine wavers.
func TestPlacesByChance(t *testing.T) {
	for _, tt := range []struct{ worth, scatter, atLeast, atMost float64 }{
		{0, 0.01, 0, 0.005}, {0, 0.15, 0, 0.005}, {0.04, 0.01, 0.95, 1}, {0.08, 0.01, 1, 1},
	} {
		rng := rand.New(rand.NewPCG(3, 4))
		said := 0
		for range 1000 {
			var of []Launch
			for order := range 12 {
				places := PlaceEffects([]bool{order%2 == 0})
				of = append(of, Launch{order, tt.worth*places[0] + tt.scatter*rng.NormFloat64(), places})
			}
			if Mean(of).Place > 0 {
				said++
			}
		}
		share := float64(said) / 1000
		assert.True(t, tt.atLeast <= share && share <= tt.atMost, "%+v: %v", tt, share)
	}
}

// One of ten link orders has the other place, and is slow: that one tells half of the
// center, so the interval is as wide as if little more than one were known. Of five of them
// no place is fitted.
func TestInfluence(t *testing.T) {
	var of []Launch
	for order := range 10 {
		of = append(of, Launch{order, 0.001 * float64(order%3), PlaceEffects([]bool{order == 5})})
	}
	of[5].Log -= 0.05
	assert.Greater(t, Mean(of).HalfWidth(), 0.004)
	assert.InDelta(t, 0.05, Mean(of).Place, 0.005)
	assert.Zero(t, Mean(of[3:8]).Place)
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
	for order := range 18 {
		a, b := order%2 == 0, order%3 == 0
		c, d := order%5 < 2, order%7 < 3
		of = append(of, Launch{order, 0.5 + slow(a, b), PlaceEffects([]bool{a, b})})
		over = append(over, Launch{order, slow(c, d), PlaceEffects([]bool{c, d})})
	}
	e := Ratio(of, over)
	assert.InEpsilon(t, math.Exp(0.5), e.Center, 1e-9)
	assert.Less(t, e.HalfWidth(), 1e-9)
	e = Mean(of)
	assert.InEpsilon(t, math.Exp(0.5-0.06/4), e.Center, 1e-9, "the mean of four pairs of places")
	assert.InEpsilon(t, math.Expm1(0.06), e.Place, 1e-9)

	// One pair of places did not come up: what it is worth is not known.
	of = slices.DeleteFunc(of, func(l Launch) bool { return l.Order%6 == 3 })
	assert.Greater(t, Mean(of).HalfWidth(), 0.01)
	assert.Zero(t, Mean(of).Place)
	assert.Greater(t, Ratio(of, over).HalfWidth(), 0.01)
}

// Link orders of many kinds: the interval holds the true ratio, and is narrower than that of the
// means where orders make two groups or a few are far off.
func TestBetween(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, tt := range []struct {
		name     string
		place    func() float64
		machine  float64 // what a launch has in common
		narrower float64 // by what factor than that of Ratio, at least
	}{
		{"normal", func() float64 { return 0.02 * rng.NormFloat64() }, 0, 0.9},
		{"a machine that drifts", func() float64 { return 0.02 * rng.NormFloat64() }, 0.2, 0.8},
		{"two groups", func() float64 { return 0.05*float64(rng.IntN(4)/3) + 0.01*rng.NormFloat64() }, 0.01, 1},
		{"some far off", func() float64 { return 0.02 * rng.NormFloat64() / (0.1 + rng.Float64()) }, 0.01, 1.2},
		{"skewed", func() float64 { return 0.02 * rng.ExpFloat64() }, 0.01, 1},
	} {
		for _, orders := range []int{4, 12, 40} {
			const runs = 800
			covered, width, mean := 0., 0., 0.
			for range runs {
				var old, now []float64
				for range orders {
					common := tt.machine * rng.NormFloat64()
					old = append(old, math.Exp(common+tt.place()))
					now = append(now, math.Exp(common+tt.place())*1.1)
				}
				e, r := MedianRatio(now, old), Ratio(launches(now...), launches(old...))
				if !e.Excludes(1.1) {
					covered++
				}
				width, mean = width+math.Log(e.Hi/e.Lo), mean+math.Log(r.Hi/r.Lo)
				inverse := MedianRatio(old, now)
				assert.InDelta(t, 1, e.Center*inverse.Center, 1e-9)
				assert.InDelta(t, 1, e.Lo*inverse.Hi, 1e-9)
			}
			t.Logf("%s, %d orders: %.1f %% covered, %.2f times narrower", tt.name, orders, covered/runs*100, mean/width)
			assert.InDelta(t, 0.95, covered/runs, 0.03, "%s, %d orders", tt.name, orders)
			if orders == 40 {
				assert.Greater(t, mean/width, tt.narrower, tt.name)
			}
		}
	}
	assert.Equal(t, math.Inf(1), MedianRatio(nil, nil).Hi)
	assert.Equal(t, math.Inf(1), MedianRatio([]float64{2, 3}, []float64{1, 1}).Hi, "too few")
	assert.InDelta(t, 3, MedianRatio([]float64{3, 3}, []float64{1, 1}).Hi, 1e-9, "which agree")
	assert.Equal(t, 1, MedianRatio([]float64{3, 0, 3}, []float64{1, 1, 0}).Orders, "in which both are numbers above 0")
}

func TestFormat(t *testing.T) {
	for _, tt := range []struct {
		e    Estimate
		want string
	}{
		{Estimate{Center: 1.2391, Lo: 1.2331, Hi: 1.2452}, "1.239 (1.233 to 1.245)"},
		{Estimate{Center: 34.2, Lo: 30.4, Hi: 37.1}, "34 (30 to 37)"},
		{Estimate{Center: 0.998, Lo: 0.991, Hi: 1.004}, "~ (0.991 to 1.004)"},
		{Estimate{Center: 1.03, Lo: 1.002, Hi: 1.06}, "1.03 (1.002 to 1.060)"},
		{Estimate{Center: 0.97, Lo: 0.94, Hi: 0.9997}, "0.97 (0.940 to 1.000)"},
		{Estimate{Center: 2, Hi: math.Inf(1), Orders: 2}, "needs 4 orders, has 2"},
		{Estimate{Center: 1, Lo: 1, Hi: 1}, "~"},
		{Estimate{Center: 3, Lo: 3 - 1e-10, Hi: 3 + 1e-10}, "3.00"},
		{Estimate{Center: 3, Lo: 3 - 1e-8, Hi: 3 + 1e-8}, "3.000 (3.000 to 3.000)"},
	} {
		assert.Equal(t, tt.want, FormatRatio(tt.e))
	}
}

// Of simulated runs, the intervals cover the true ratio in 92 to 97 of 100.
func TestCoverage(t *testing.T) {
	for _, orders := range []int{8, 14, 100} {
		for _, s := range []simulation{
			{functions: 1, even: 0.008, odd: 0.008},
			{functions: 1, even: 0.005, odd: 0.030},
			{functions: 1, even: 0.005, odd: 0.030, same: true},
			{functions: 2, even: 0.005, odd: 0.030},
			{functions: 2, even: 0.005, odd: 0.030, same: true},
		} {
			s.orders = orders
			t.Run(fmt.Sprintf("%+v", s), func(t *testing.T) {
				t.Parallel()
				runs := 90000 / (20 + orders)
				rng := rand.New(rand.NewPCG(1, uint64(orders)))
				covered := 0
				var widths []float64
				for run := range runs {
					dividend, divisor, ratio := s.measure(rng)
					e := Ratio(dividend, divisor)
					if !e.Excludes(ratio) {
						covered++
					}
					widths = append(widths, e.HalfWidth())
					if run < 20 {
						inverse := Ratio(divisor, dividend)
						assert.InEpsilon(t, 1/e.Lo, inverse.Hi, 1e-9)
						assert.InEpsilon(t, 1/e.Hi, inverse.Lo, 1e-9)
					}
				}
				share := float64(covered) / float64(runs)
				t.Logf("covers %.1f %%, half-width %.2f %%", 100*share, 100*Median(widths))
				assert.InDelta(t, 0.945, share, 0.025+math.Sqrt(0.05*0.95/float64(runs))) // a standard error
			})
		}
	}
}

// simulation is of two subjects, and of what was seen beyond what is fitted: places with a
// scatter of their own, link orders that are far off, and drift.
type simulation struct {
	orders, functions int
	even, odd         float64 // scatter by the place of the first function
	same              bool    // code of both subjects
}

// measure returns launches and the ratio of the means of all places.
func (s simulation) measure(rng *rand.Rand) (dividend, divisor []Launch, ratio float64) {
	worth := [2]float64{0.06, 0.03} // of the places
	log := 0.05
	if s.same {
		worth[1], log = worth[0], 0
	}
	mean := -(worth[0] - worth[1]) / math.Pow(2, float64(s.functions))
	level := 0. // of the machine, which drifts from launch to launch
	for order := range s.orders {
		level = 0.35*level + 0.02*rng.NormFloat64()
		speeds, odd := [2]float64{log, 0}, [2][]bool{}
		for i := range speeds {
			for range s.functions {
				odd[i] = append(odd[i], rng.IntN(2) == 0)
			}
			if !slices.Contains(odd[i], true) {
				speeds[i] -= worth[i]
			}
			scatter := s.even
			if odd[i][0] {
				scatter = s.odd
			}
			speeds[i] += scatter * rng.NormFloat64()
			if rng.IntN(33) == 0 {
				// 10 to 60 % slower, or as many times as fast.
				speeds[i] += (0.105 + 0.81*rng.Float64()) * float64(2*rng.IntN(2)-1)
			}
		}
		dividend = append(dividend, Launch{order, speeds[0] + level, PlaceEffects(odd[0])})
		divisor = append(divisor, Launch{order, speeds[1] + level, PlaceEffects(odd[1])})
	}
	return dividend, divisor, math.Exp(log + mean)
}

func TestLevels(t *testing.T) {
	// cycles makes them of one unit, by subject; 0 is no slice.
	cycles := func(rows ...[]float64) [][]map[string]float64 {
		var all [][]map[string]float64
		for _, row := range rows {
			cycle := make([]map[string]float64, len(row))
			for i, v := range row {
				if v != 0 {
					cycle[i] = map[string]float64{"x": v}
				}
			}
			all = append(all, cycle)
		}
		return all
	}
	for _, tt := range []struct {
		name   string
		cycles [][]map[string]float64
		ratio  float64 // of the second subject to the first
	}{
		{"drift that both share", cycles([]float64{10, 20}, []float64{20, 40}, []float64{5, 10}, []float64{1, 2}), 2},
		{"a slice that is disturbed", cycles([]float64{10, 20}, []float64{20, 40}, []float64{5, 10}, []float64{10, 0.1}, []float64{7, 14}), 2},
		{"a number below 0", cycles([]float64{4, 6}, []float64{-1, 5}, []float64{2, 5}), 2.5},
		{"a third one", cycles([]float64{10, 20, 7}, []float64{20, 40, 14}, []float64{5, 10, 3.5}), 2},
		{"a third one with a slice now and then", cycles([]float64{10, 20, 0}, []float64{20, 40, 900}, []float64{5, 10, 0}, []float64{8, 16, 1}), 2},
		{"a cycle that only one has", cycles([]float64{10, 20}, []float64{10, 0}, []float64{50, 30}), 2.5},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := Levels(tt.cycles)
			assert.InEpsilon(t, tt.ratio, got[1]["x"]/got[0]["x"], 1e-9)
		})
	}
	assert.Equal(t, map[string]float64{"x": 3}, Levels(cycles([]float64{2, 0}, []float64{8, 4}, []float64{3, 2}))[1], "the median of its own slices")
	assert.Equal(t, []map[string]float64{{"x": 2}, {"y": 1}, {}}, Levels([][]map[string]float64{{{"x": 2}, {"y": 1}, nil}}), "units apart, and no slice at all")
	assert.Nil(t, Levels(nil))
	assert.True(t, math.IsNaN(Median(nil)))
	assert.Equal(t, 3.5, center([]float64{9, 1, 2}), "of 1, 1.5, 2, 5, 5.5 and 9")
	assert.Equal(t, 2.5, Median([]float64{9, 3, 1, 2}))
}

// between is an estimate in the middle of an interval.
func between(lo, hi float64) Estimate {
	return Estimate{Center: math.Sqrt(lo * hi), Lo: lo, Hi: hi, Orders: 12}
}

func TestVerdict(t *testing.T) {
	none := Estimate{Center: 1.2, Hi: math.Inf(1), Orders: 3}
	for _, tt := range []struct {
		name         string
		ratio, noise Estimate
		limit        float64
		among        int
		want         string // the words for rays/s; for sec/op they are the other way round
	}{
		{name: "far more", ratio: between(1.19, 1.21), want: "faster"},
		{name: "far less", ratio: between(0.79, 0.81), want: "slower"},
		{name: "more than 1 %", ratio: between(1.01, 1.014), limit: 1, want: "faster"},
		{name: "less than 1 % more", ratio: between(1.002, 1.014), limit: 1, want: "faster by less than 1 %"},
		{name: "less than 1 % less", ratio: between(0.988, 0.999), limit: 1, want: "slower by less than 1 %"},
		{name: "an interval that contains 1, and goes far below", ratio: between(0.8, 1.001), limit: 0.01, want: "not known"},
		{name: "an interval that contains 1, and goes far above", ratio: between(0.999, 1.3), limit: 0.01, want: "not known"},
		{name: "the same", ratio: between(0.996, 1.003), limit: 0.01, want: "the same within 0.4 %"},
		{name: "the same by the far end above", ratio: between(0.99, 1.03), limit: 0.031, want: "the same within 3.0 %"},
		{name: "the far end is rounded up", ratio: between(0.9996, 1.00911), limit: 0.01, want: "the same within 1.0 %"},
		{name: "half of the width would do", ratio: between(0.99, 1.03), limit: 0.025, want: "not known"},
		{name: "few orders", ratio: none, limit: 1, want: "not known"},
		{name: "exactly 1", ratio: Estimate{Center: 1, Lo: 1, Hi: 1, Orders: 12}, want: "the same within 0.0 %"},
		{name: "beyond chance for one", ratio: between(1.01, 1.05), among: 1, want: "faster"},
		{name: "chance among a hundred", ratio: between(1.01, 1.05), among: 100, want: "not known"},
		{name: "chance among a hundred, and within the limit", ratio: between(1.001, 1.007), among: 100, limit: 0.01, want: "the same within 0.7 %"},
		{name: "noise that contains 1, and is more", ratio: between(1.011, 1.013), noise: between(0.97, 1.09), want: "not known"},
		{name: "noise that contains 1, and is less", ratio: between(1.011, 1.013), noise: between(0.97, 1.04), want: "faster"},
		{name: "no larger than noise", ratio: between(1.011, 1.013), noise: between(1.006, 1.022), want: "not known"},
		{name: "no larger than noise of the other sign", ratio: between(1.011, 1.013), noise: between(0.97, 0.99), want: "not known"},
		{name: "larger than noise", ratio: between(1.03, 1.04), noise: between(1.006, 1.022), want: "faster"},
		{name: "the same, within less than noise", ratio: between(0.996, 1.003), noise: between(1.006, 1.022), limit: 0.01, want: "not known"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if tt.want == "not known" {
				tt.want += " from this run"
			}
			rule := Rule{tt.limit, 0.05 / float64(max(1, tt.among))}
			words, differ := rule.Verdict(Row{Unit: "rays/s", Ratio: tt.ratio, Noise: tt.noise})
			assert.Equal(t, tt.want, words)
			assert.Equal(t, words != unknown && !strings.HasPrefix(words, same), differ)
			words, _ = rule.Verdict(Row{Unit: "sec/op", Ratio: tt.ratio, Noise: tt.noise})
			assert.Equal(t, strings.NewReplacer("faster", "slower", "slower", "faster").Replace(tt.want), words)
		})
	}
}

// A minute in which the machine wavers: in half of the launches the second process has a slower
// processor, by a few percent. Two steps of one process are known to a percent all the same, but no
// verdict is finer than what the row of noise is off by, and a gain that is larger is called.
func TestWavering(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 8))
	called := map[string]int{}
	for range 200 {
		var first, second, small, large []Launch
		for order := range 12 {
			machine := 0.02 * rng.NormFloat64()
			launch := func(gain, slower float64) Launch {
				return Launch{Order: order, Log: machine + gain - slower + 0.003*rng.NormFloat64()}
			}
			slower := float64(rng.IntN(2)) * 0.05 * rng.Float64()
			first, second = append(first, launch(0, 0)), append(second, launch(0, slower))
			small, large = append(small, launch(0.008, 0)), append(large, launch(0.06, 0))
		}
		noise := Ratio(second, first)
		rows := []Row{{Name: "small", Unit: "rays/s", Ratio: Ratio(small, first), Noise: noise},
			{Name: "large", Unit: "rays/s", Ratio: Ratio(large, first), Noise: noise}}
		for _, row := range rows {
			words, differ := NewRule(0.01, rows).Verdict(row)
			if differ {
				called[row.Name]++
				off := math.Abs(math.Log(noise.Center))
				assert.Greater(t, math.Abs(math.Log(row.Ratio.Center)), off, "%s: %s", row.Name, words)
			}
		}
	}
	assert.Equal(t, 200, called["large"])
	assert.Less(t, called["small"], 100)
	assert.Positive(t, called["small"])
}

func TestFind(t *testing.T) {
	rows := []Row{
		{"a", "sec/op", between(0.79, 0.81), Estimate{}},
		{"b", "sec/op", between(1.1, 1.3), Estimate{}},
		{"c", "sec/op", between(0.995, 1.008), Estimate{}},
		{"d", "sec/op", between(0.9, 1.1), Estimate{}},
		{"e", "sec/op", between(0.999, 1.001), Estimate{}},
		{"f", "sec/op", between(1.002, 1.004), Estimate{}},
		{"g", "sec/op", between(0.49, 0.51), Estimate{}},
		{"h", "hits", between(1.9, 2.1), Estimate{}},
		{"i", "hits", between(0.992, 0.994), Estimate{}},
	}
	text := ""
	for _, f := range (Rule{0.01, 0.05}).Findings(rows) {
		text += f.Words + ": " + strings.Join(f.Names, ", ") + "\n"
	}
	assert.Equal(t, `faster: a 0.80, g 0.50
slower: b 1.2
slower by less than 1 %: f
higher: h 2.0
lower by less than 1 %: i
the same within 0.8 %: c, e
not known from this run: d
`, text)
}

// Of runs with sixteen rows that are equal, one in twenty says that some differ; and if others do,
// one in twenty that are said to differ do not.
func TestAmong(t *testing.T) {
	const rows = 16
	for _, tt := range []struct {
		orders, changed, runs int
		found                 float64 // of those that differ, at least
	}{{SignOrders, 0, 800, 0}, {20, 0, 800, 0}, {20, 3, 200, 0.73}, {20, 12, 200, 0.93}} {
		t.Run(fmt.Sprint(tt), func(t *testing.T) {
			t.Parallel()
			rng := rand.New(rand.NewPCG(1, 2))
			wrong, found := 0., 0. // share of what is said, by run; and how many of those that differ
			for range tt.runs {
				var all []Row
				for i := range rows {
					var launches []Launch
					for order := range tt.orders {
						places := PlaceEffects([]bool{rng.IntN(2) == 0})
						launches = append(launches, Launch{order, 0.01 * rng.NormFloat64(), places})
						if i < tt.changed {
							launches[order].Log += 0.0088
						}
					}
					all = append(all, Row{Ratio: Mean(launches)})
				}
				rule, right, chance := NewRule(0, all), 0., 0.
				for i, row := range all {
					switch _, differ := rule.Verdict(row); {
					case !differ:
					case i < tt.changed:
						right++
					default:
						chance++
					}
				}
				found += right
				wrong += chance / max(1, right+chance)
			}
			wrong, found = wrong/float64(tt.runs), found/float64(max(1, tt.runs*tt.changed))
			t.Logf("%.3f wrong, %.3f found", wrong, found)
			assert.LessOrEqual(t, wrong, 0.06)
			assert.GreaterOrEqual(t, wrong, 0.006, "nor is the rule too strict to find anything")
			assert.GreaterOrEqual(t, found, tt.found)
		})
	}
}

// The last value that a limit lets through, and the next.
func TestLimits(t *testing.T) {
	// from eight on, what lies far off does not count
	for orders, far := range map[int]bool{7: true, 8: false} {
		launches := []Launch{{Order: 0, Log: 3}}
		for order := range orders - 1 {
			launches = append(launches, Launch{Order: order + 1, Log: 0.001 * float64(order%3)})
		}
		assert.Equal(t, far, Mean(launches).Center > 1.1, orders)
	}
	for had, want := range map[float64]bool{0: false, 0.1: true, math.Nextafter(19, 0): true,
		19: false, 20: false} {
		assert.Equal(t, want, ProcessorsTaken(had, 20), "%v of 20: more than a twentieth lacks", had)
	}
}
