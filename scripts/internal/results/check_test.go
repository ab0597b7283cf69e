package results

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"raysteps/common/scene"
	"raysteps/scripts/internal/estimate"
	"raysteps/scripts/internal/steps"
)

// TestPublished holds the files of the folder results to the bar.
func TestPublished(t *testing.T) {
	machines, err := published()
	require.NoError(t, err)
	require.NotEmpty(t, machines)
	assert.Equal(t, Reference, machines[0].Name)
	for _, set := range machines {
		assert.NoError(t, check(set))
	}
}

// The bar that published measurements of the steps in the three scenes meet. Both
// limits are on the far end of an interval, so that a wider one never helps.
const (
	minOrders  = 16
	noiseLimit = 0.02 // of the noise row, from 1
	widthLimit = 0.05 // of a rate, from its center
)

// check says, in a line for each reason, why a file cannot be published: benchmarks
// of no step of this version, steps that are missing or were not measured in the
// same launches, noise, or figures that are too wide. A file without renders of the
// steps meets the bar.
func check(s *Set) error {
	var reasons []error
	fail := func(format string, args ...any) {
		reasons = append(reasons, fmt.Errorf("results %q: "+format, append([]any{s.Name}, args...)...))
	}
	all := steps.All()
	for _, b := range s.benchmarks {
		if strings.HasPrefix(b.name, "Render/scene=") && b.pkg != Again && !slices.ContainsFunc(all, func(step steps.Step) bool { return step.Package() == b.pkg }) {
			fail("%s is no step of this version", b.pkg)
		}
	}
	sameLaunch := func(a, b launch) bool { return a.order == b.order && a.GetConfig("launch") == b.GetConfig("launch") }
	for _, name := range scene.Names() {
		render := func(pkg string) *benchmark { return s.index[id{pkg, "Render/scene=" + name, ""}] }
		base, noise := render(all[0].Package()), render(Again)
		if base == nil {
			continue
		}
		if orders := base.orders(); orders < minOrders {
			fail("the %s scene was measured in %d link orders; want %d or more", name, orders, minOrders)
		}
		for _, step := range all {
			b := render(step.Package())
			switch {
			case b == nil && step.Beyond: // the tables leave it out
			case b == nil:
				fail("%s is missing in the %s scene; want all steps", step.Title(), name)
			case !slices.EqualFunc(b.launches, base.launches, sameLaunch):
				fail("%s was not measured in the launches of %s in the %s scene; want all steps measured together", step.Title(), all[0].Title(), name)
			default:
				if v, _ := b.estimate("rays/s"); far(v, v.Center) > widthLimit {
					fail("%s is %s rays/s in the %s scene; want an interval within %.0f %%", step.Title(), Format(v.Center, "rays/s"), name, 100*widthLimit)
				}
			}
		}
		if noise == nil {
			fail("the noise row is missing in the %s scene; want what go run ./scripts/bench measures", name)
		} else if v := estimate.Ratio(noise.in("rays/s"), base.in("rays/s")); far(v, 1) > noiseLimit {
			fail("the same code at two places differs in the %s scene: %s; want it measured again, on a quiet machine or in more link orders, until it is within %.0f %% of 1", name, v, 100*noiseLimit)
		}
	}
	return errors.Join(reasons...)
}

// far returns how far the interval of v reaches from a value, as a share of it.
func far(v estimate.Estimate, from float64) float64 {
	return max(math.Abs(v.Hi/from-1), math.Abs(1-v.Lo/from))
}

// The bar finds each reason.
func TestCheck(t *testing.T) {
	for _, tt := range []struct {
		name    string
		orders  int
		scatter float64
		edit    string // of the text of a good file, a regular expression
		with    string
		want    string
	}{
		{"good", 16, 0.001, "$", "", ""},
		{"few orders", 15, 0.001, "$", "", "the large scene was measured in 15 link orders; want 16 or more"},
		{"noise off", 16, 0.001, `(step01/again\n[^B]*BenchmarkRender/scene=large-2 9) \S+`, "$1 520000", "the same code at two places differs in the large scene"},
		{"noise wide", 16, 0.02, "$", "", "the same code at two places differs in the large scene"}, // a wider interval does not help
		{"rates wide", 16, 0.03, "$", "", "step 1 is "},
		{"no noise", 16, 0.001, "step01/again", "other", "the noise row is missing in the large scene"},
		{"another step", 16, 0.001, "$", "pkg: raysteps/step99\nBenchmarkRender/scene=large 1 1 rays/s\n", "raysteps/step99 is no step of this version"},
		{"apart", 16, 0.001, "$", "\npkg: raysteps/step05\nlink-order: 17\n\nBenchmarkRender/scene=small-2 1 3.2e7 rays/s\n", "step 5 was not measured in the launches of step 1 in the small scene; want all steps measured together"},
		{"other launches of the same orders", 16, 0.001, `(pkg: raysteps/step05\nbuild: \nlink-order: \d+\nlaunch: )`, "${1}1", "step 5 was not measured in the launches of step 1 in the small scene"},
		{"missing", 16, 0.001, "step07(\n[^B]*BenchmarkRender/scene=medium)", "other$1", "step 7 is missing in the medium scene; want all steps"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			text := regexp.MustCompile(tt.edit).ReplaceAllString(textOf(abacus, tt.orders, tt.scatter, stepsOf(1)...), tt.with)
			if err := check(readText(t, text)); tt.want == "" {
				assert.NoError(t, err)
			} else {
				assert.ErrorContains(t, err, `results "abacus": `)
				assert.ErrorContains(t, err, tt.want)
			}
		})
	}
}
