package results

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"raysteps/common/scene"
	"raysteps/scripts/internal/estimate"
	"raysteps/scripts/internal/steps"
)

// TestPublished holds the files of the folder results to the bar: renders of the steps of this
// version, all of them, taken in the same launches of 16 link orders or more; noise and rates
// within a tenth. That limit is on the far end of an interval, so that a wider one never
// helps.
func TestPublished(t *testing.T) {
	machines, err := published()
	require.NoError(t, err)
	require.NotEmpty(t, machines)
	assert.Equal(t, Reference, machines[0].Name)
	for _, set := range machines {
		bar(t, set)
	}
}

func bar(t *testing.T, set *Set) {
	far := func(v estimate.Estimate, from float64) float64 {
		return max(math.Abs(v.Hi/from-1), math.Abs(1-v.Lo/from))
	}
	launched := func(b *benchmark) (all []string) {
		for _, l := range b.launches {
			all = append(all, fmt.Sprint(l.order, " ", l.line.GetConfig("launch")))
		}
		return all
	}
	all := steps.All()
	for _, b := range set.benchmarks {
		if strings.HasPrefix(b.name, "Render/scene=") && b.pkg != NoisePackage {
			assert.Contains(t, steps.Packages(all), b.pkg, "%s: a step of this version", set.Name)
		}
	}
	for _, name := range scene.Names() {
		render := func(pkg string) *benchmark { return set.index[id{pkg, "Render/scene=" + name, ""}] }
		base, noise := render(all[0].Package()), render(NoisePackage)
		if base == nil {
			continue
		}
		if assert.NotNil(t, noise, "%s: the noise row in the %s scene", set.Name, name) {
			assert.LessOrEqual(t, far(estimate.Ratio(noise.values("rays/s"), base.values("rays/s")), 1), 0.1, "%s: the same code at two places, %s", set.Name, name)
		}
		for _, step := range all {
			b, v := render(step.Package()), estimate.Estimate{}
			if b != nil {
				v, _ = b.estimate("rays/s")
			}
			if v.Orders < 16 { // the tables leave out what is beyond the steps
				assert.True(t, step.Beyond, "%s: %s has %d link orders in the %s scene", set.Name, step.Title(), v.Orders, name)
				continue
			}
			assert.Subset(t, launched(base), launched(b), "%s: %s was measured in the launches of step 1, %s", set.Name, step.Title(), name)
			assert.LessOrEqual(t, far(v, v.Center), 0.1, "%s: %s rays/s, %s", set.Name, step.Title(), name)
		}
	}
}
