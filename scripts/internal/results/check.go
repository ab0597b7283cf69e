package results

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"raysteps/common/scene"
	"raysteps/scripts/internal/estimate"
	"raysteps/scripts/internal/steps"
)

// The bar that published measurements of the steps in the three scenes meet. Both
// limits are on the far end of an interval, so that a wider one never helps.
const (
	minOrders  = 16
	noiseLimit = 0.02 // of the noise row, from 1
	widthLimit = 0.05 // of a rate, from its center
)

// Check says, in a line for each reason, why a file cannot be published: benchmarks
// of no step of this version, steps that are missing or were not measured in the
// same launches, noise, or figures that are too wide. A file without renders of the
// steps meets the bar.
func (s *Set) Check() error {
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
