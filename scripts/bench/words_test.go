package main

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/perf/benchfmt"

	"raysteps/common/scene"
	"raysteps/scripts/internal/cli"
	"raysteps/scripts/internal/measure"
	"raysteps/scripts/internal/results"
	"raysteps/scripts/internal/steps"
	"raysteps/scripts/internal/toolchain"
)

// rates are lines of a subject in so many link orders, whose rate lies around the center
// by the deviation, alike above and below.
func rates(pkg, sc, build string, center, deviation float64, orders int) (lines []*benchfmt.Result) {
	for i := range orders {
		rate := 1e6 * center * math.Exp(deviation*float64(2*(i%2)-1))
		lines = append(lines, result("raysteps/"+pkg, "Render/scene="+sc, build, fmt.Sprint(i+1), rate, 0))
	}
	return lines
}

func setOf(t *testing.T, lines []*benchfmt.Result) *results.Set {
	set, err := results.Of(lines, "made up")
	require.NoError(t, err)
	set.Partial = true
	return set
}

// What is said of a step in a run of made-up lines, each against the step before.
func TestWordsOfSteps(t *testing.T) {
	for _, tt := range []struct {
		name             string
		of               string // the step
		center, scatter  float64
		noise            float64 // by what the copy of the first step differs; 0 is not measured
		want, unexpected string
	}{
		{name: "faster", of: "4", center: 1.2, scatter: 0.001, want: "faster: 4 spheres in one array 1.20"},
		{name: "slower", of: "4", center: 0.8, scatter: 0.001, want: "slower: 4 spheres in one array 0.80"},
		{name: "slower, or not", of: "4", center: 0.97, scatter: 0.05, want: "not known from this run: 4 "},
		{name: "faster, or not", of: "4", center: 1.03, scatter: 0.05, want: "not known from this run: 4 "},
		{name: "wide around 1", of: "4", center: 1, scatter: 0.02, want: "not known from this run: 4 "},
		{name: "the same", of: "4", center: 1, scatter: 0.003, want: "the same within 0.3 %: 4 "},
		{name: "little faster", of: "4", center: 1.006, scatter: 0.0005, want: "faster by less than 1 %: 4 ", unexpected: "faster: "},
		{name: "less than noise", of: "4", center: 1.02, scatter: 0.001, noise: 1.03, want: "not known from this run: 4 "},
		{name: "more than noise", of: "4", center: 1.05, scatter: 0.001, noise: 1.03, want: "faster: 4 spheres in one array 1.05"},
		{name: "the largest gain", of: "12", center: 1.3, scatter: 0.001, want: "The largest gain on one core is step 12 ("},
		{name: "not on one core", of: "13", center: 1.5, scatter: 0.001, want: "faster: 13 goroutines over tiles 1.50", unexpected: "The largest gain"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			step, err := steps.Find(tt.of)
			require.NoError(t, err)
			before, err := steps.Find(step.Before)
			require.NoError(t, err)
			lines := append(rates(before.Folder(), "large", "", 1, 0, 8), rates(step.Folder(), "large", "", tt.center, tt.scatter, 8)...)
			first, err := steps.Find("1")
			require.NoError(t, err)
			if tt.noise > 0 {
				lines = append(append(lines, rates("step01", "large", "", 1, 0, 8)...), rates("step01/again", "large", "", tt.noise, 0.001, 8)...)
			}
			var printed strings.Builder
			m := &measurement{env: &cli.Env{Stdout: &printed}, set: setOf(t, lines)}
			(&renders{chosen: []steps.Step{first, step}}).findings(m)
			text := strings.ReplaceAll(printed.String(), "\n", " ")
			assert.Contains(t, text, tt.want)
			assert.Contains(t, text, "large scene, each against the step before:")
			if tt.unexpected != "" {
				assert.NotContains(t, text, tt.unexpected)
			}
		})
	}
}

// What is said of a change, in a run of made-up lines.
func TestWordsOfAgainst(t *testing.T) {
	for _, tt := range []struct {
		name                   string
		center, scatter, noise float64
		orders                 int
		want                   string
		narrow                 bool
	}{
		{"slower", 0.9, 0.001, 1, 8, "large slower, 0.900 (0.899 to 0.901) times", true},
		{"faster", 1.1, 0.001, 1, 8, "large faster, 1.100 (1.099 to 1.101) times", true},
		{"equal", 1, 0.003, 1, 8, "large the same within 0.3 %", true},
		{"by the far end", 1.01, 0.02, 1, 8, "large the same within 2.9 %", false},
		{"wide", 1, 0.05, 1, 8, "large not known from this run", false},
		{"slower in few orders", 0.9, 0.001, 1, 4, "large slower, 0.900 (0.898 to 0.902) times", false},
		{"too few", 0.9, 0.001, 1, 3, "large not known from this run", false},
		{"noise is larger", 1.012, 0.001, 1.014, 8, "large not known from this run", true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			k := &against{revision: "HEAD"}
			var err error
			k.step, err = steps.Find("6")
			require.NoError(t, err)
			u := &measure.Unit{}
			for _, sc := range scene.Names() {
				u.Groups = append(u.Groups, &measure.Group{
					Subjects: []*measure.Subject{{Name: "Render/step=6/scene=" + sc}},
					Lines: slices.Concat(
						rates("step06", sc, "HEAD", 1, 0, tt.orders),
						rates("step06", sc, workingTree, tt.center, tt.scatter, tt.orders),
						rates("step06", sc, "HEAD, linked again", tt.noise, 0.001, tt.orders)),
				})
			}
			m := &measurement{env: &cli.Env{}}
			m.Units = []*measure.Unit{u}
			m.set = setOf(t, m.Lines())
			assert.Contains(t, k.verdict(m), tt.want)
			for _, g := range u.Groups {
				assert.Equal(t, tt.narrow, k.narrow(g))
			}
			assert.Equal(t, !tt.narrow, strings.Contains(k.verdict(m), "The time was too short"))
		})
	}
}

// Counts of two builds that differ stand beside each other, and are divided.
func TestWordsOfCounts(t *testing.T) {
	var lines []*benchfmt.Result
	for _, sc := range scene.Names() {
		for build, n := range map[string]float64{"HEAD": 1000, workingTree: 800} {
			r := result("raysteps/step06", "Count/scene="+sc, build, "1", 0, 0)
			r.Values = nil
			for _, unit := range toolchain.CountUnits() {
				r.Values = append(r.Values, benchfmt.Value{Value: n, Unit: unit})
			}
			lines = append(lines, r)
		}
	}
	k := &against{revision: "HEAD"}
	k.step, _ = steps.Find("6")
	var printed strings.Builder
	k.printCounts(&measurement{env: &cli.Env{Stdout: &printed}, set: setOf(t, lines)})
	assert.Regexp(t, `large +800\.0 \(0\.800\) +800\.0 \(0\.800\)`, printed.String())
}
