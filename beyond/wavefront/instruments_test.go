//go:build instrument

package wavefront

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"raysteps/common/film"
	"raysteps/common/instrument"
	"raysteps/common/scene"
	"raysteps/common/stats"
)

func TestInstruments(t *testing.T) {
	for _, form := range forms() {
		t.Run(form.name, func(t *testing.T) {
			set := &instrument.Set{Stats: instrument.NewRun()}
			f := film.New(80, 60)
			rays, err := newTracer(scene.Medium(), form).RenderContext(instrument.NewContext(t.Context(), set), f, settings(3))
			require.NoError(t, err)
			report := set.Stats.Report()
			assert.Zero(t, report.OpenShards)
			assert.Zero(t, report.LostUpdates)
			share := func(title string) stats.Share { return report.Value("Wavefront/" + title).(stats.Share) }
			assert.Equal(t, rays, share("Front in use").Part)
			if form == &plain {
				return // searches ray by ray
			}
			assert.Equal(t, stats.Share{Part: 80 * 60 * 4, Whole: rays}, share("Rays in bundles"))
			assert.Equal(t, rays-80*60*4, share("Lanes with a scattered ray").Part)
			first, second := share("Spheres left for a group by the first sieve"), share("Spheres left for a group by both")
			assert.Equal(t, share("Lanes with a scattered ray").Whole/group*46, first.Whole)
			assert.Equal(t, first.Whole, second.Whole)
			assert.Less(t, second.Part, first.Part)
			assert.Less(t, first.Part, first.Whole)
		})
	}
}
