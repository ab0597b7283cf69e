package estimate

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

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
		{name: "noise that contains 1", ratio: between(1.011, 1.013), noise: between(0.97, 1.09), want: "faster"},
		{name: "no larger than noise", ratio: between(1.011, 1.013), noise: between(1.006, 1.022), want: "not known"},
		{name: "no larger than noise of the other sign", ratio: between(1.011, 1.013), noise: between(0.97, 0.99), want: "not known"},
		{name: "larger than noise", ratio: between(1.03, 1.04), noise: between(1.006, 1.022), want: "faster"},
		{name: "the same, within less than noise", ratio: between(0.996, 1.003), noise: between(1.006, 1.022), limit: 0.01, want: "not known"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if tt.want == "not known" {
				tt.want += " from this run"
			}
			rule := Rule{tt.limit, max(1, tt.among)}
			words, differ := rule.Words(Row{Unit: "rays/s", Ratio: tt.ratio, Noise: tt.noise})
			assert.Equal(t, tt.want, words)
			assert.Equal(t, words != unknown && !strings.HasPrefix(words, same), differ)
			words, _ = rule.Words(Row{Unit: "sec/op", Ratio: tt.ratio, Noise: tt.noise})
			assert.Equal(t, strings.NewReplacer("faster", "slower", "slower", "faster").Replace(tt.want), words)
		})
	}
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
	for _, f := range (Rule{0.01, 1}).Find(rows) {
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
	}{{8, 0, 2000, 0}, {20, 0, 2000, 0}, {20, 12, 400, 0.85}} {
		t.Run(fmt.Sprint(tt), func(t *testing.T) {
			t.Parallel()
			rng := rand.New(rand.NewPCG(1, 2))
			wrong, found := 0., 0. // share of what is said, by run; and how many of those that differ
			for range tt.runs {
				var all []Row
				for i := range rows {
					var launches []Launch
					for order := range tt.orders {
						launches = append(launches, Launch{order, 0.01 * rng.NormFloat64(), Places([]bool{rng.IntN(2) == 0})})
						if i < tt.changed {
							launches[order].Log += 0.0088
						}
					}
					all = append(all, Row{Ratio: Of(launches)})
				}
				rule, right, chance := Together(0, all), 0., 0.
				for i, row := range all {
					switch _, differ := rule.Words(row); {
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
