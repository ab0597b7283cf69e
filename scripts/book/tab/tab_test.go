package tab

import (
	"bytes"
	"image"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"raysteps/common"
	"raysteps/common/answers"
	"raysteps/common/film"
	"raysteps/common/scene"
)

// A race gives each step the bytes and the rays that are known, and its frames the
// same picture. When the first is done, the others are on their way.
func TestRace(t *testing.T) {
	for _, name := range scene.Names() {
		for at, steps := 0, Steps(); at < len(steps); at += 4 {
			steps := steps[at:min(at+4, len(steps))]
			pictures, done := make([]*image.NRGBA, len(steps)), make([]*Picture, len(steps))
			for i := range pictures {
				pictures[i] = image.NewNRGBA(image.Rect(0, 0, 80, 60))
			}
			shares := make([]float64, len(steps))
			require.NoError(t, Race(name, "quick", steps, clock(), func(f Frame) {
				copy(pictures[f.Lane].Pix[f.Row*80*4:], f.Pixels)
				assert.GreaterOrEqual(t, f.Share, shares[f.Lane])
				shares[f.Lane] = f.Share
				assert.Nil(t, done[f.Lane], "nothing comes after the end")
				done[f.Lane] = f.Done
				assert.True(t, f.Done == nil || slices.Min(shares) > 0, "%s: %v", steps, shares)
			}))
			for i, p := range done {
				require.NotNil(t, p, steps[i])
				known, ok := answers.Of(steps[i], name+" quick")
				require.True(t, ok)
				assert.Equal(t, Picture{known.MD5, known.Rays}, *p)
				assert.EqualValues(t, 1, shares[i])
				if name != "small" {
					continue
				}
				back := film.New(80, 60)
				constructors[steps[i]](scene.Small()).Render(back, common.Quick())
				assert.True(t, bytes.Equal(back.Image().Pix, pictures[i].Pix), "%s: the frames are the picture", steps[i])
			}
		}
	}
}

// The pictures of the page are known, too: of a step of each group that renders the same,
// but for the slow ones.
func TestKnown(t *testing.T) {
	for _, step := range []string{"step08", "step09", "step10", "step11", "tree"} {
		for _, name := range scene.Names() {
			if name == "large" && step < "step10" || name != "small" && testing.Short() {
				continue
			}
			tracers, err := newTracers(name, []string{step})
			require.NoError(t, err)
			s, err := settings("race")
			require.NoError(t, err)
			f := film.New(s.Width, s.Height)
			known, ok := answers.Of(step, name+" race")
			require.True(t, ok)
			assert.Equal(t, &Picture{known.MD5, known.Rays}, pictureOf(f, tracers[0].Render(f, s)), "%s of %s", name, step)
		}
	}
}

func TestRefused(t *testing.T) {
	assert.ErrorContains(t, Race("cornell", "quick", nil, clock(), nil), `unknown scene`)
	assert.ErrorContains(t, Race("small", "huge", nil, clock(), nil), `unknown size "huge"; want one of full, quick, race`)
	assert.ErrorContains(t, Race("small", "quick", []string{"step12"}, clock(), nil), `step "step12" does not run in a tab; want one of step01, `)
	_, _, err := Path("small", 80, 0, 80, 60)
	assert.ErrorContains(t, err, "no pixel (80, 0) in 80x60")
}

// clock goes a millisecond each time that it is read, so that the turns of all steps are
// of the same length.
func clock() func() time.Duration {
	now := time.Duration(0)
	return func() time.Duration { now += time.Millisecond; return now }
}

func TestMeasure(t *testing.T) {
	var shares []float64
	all, err := Measure("small", []string{"step01", "step06", "tree"}, 2*time.Second, clock(), func(share float64) { shares = append(shares, share) })
	require.NoError(t, err)
	require.Len(t, all, 3)
	assert.Greater(t, len(shares), 200)
	assert.IsNonDecreasing(t, shares)
	for i, m := range all {
		assert.Equal(t, []string{"step01", "step06", "tree"}[i], m.Step)
		assert.Equal(t, groups, m.Ratio.Orders, "all groups count")
		assert.InDelta(t, 1, m.Ratio.Center, 0.05, "the same blocks have about as many rays in each step")
		assert.InEpsilon(t, m.Rate/all[0].Rate, m.Ratio.Center, 0.01)
	}
	assert.Equal(t, 0., all[0].Ratio.HalfWidth())
	assert.Greater(t, all[0].Rate, 5_000_000., "8,000 rays in a millisecond")
}

// On a slow machine there is no ratio.
func TestTooFewTurns(t *testing.T) {
	_, err := Measure("small", []string{"step01", "step06"}, 5*time.Millisecond, clock(), func(float64) {})
	assert.ErrorIs(t, err, ErrFew)
}

// Each block lies in its cell, and the next cycle has others.
func TestBlocks(t *testing.T) {
	list := blocks(1280, 720, 7)
	assert.Len(t, list, 24)
	assert.Equal(t, list, blocks(1280, 720, 7))
	assert.NotEqual(t, list, blocks(1280, 720, 8))
	for i, r := range list {
		assert.Equal(t, image.Pt(16, 8), r.Size())
		assert.True(t, r.In(image.Rect(i%6*213, i/6*180, i%6*213+213, i/6*180+180)), r)
	}
}

func TestPath(t *testing.T) {
	lengths := map[string]bool{}
	for y := 5; y < 360; y += 50 {
		for x := 5; x < 640; x += 50 {
			sc, path, err := Path("large", x, y, 640, 360)
			require.NoError(t, err)
			for i, s := range path {
				assert.Equal(t, len(sc.Spheres), s.Tests, "step 1 tests every sphere")
				if s.Sphere >= 0 {
					assert.Equal(t, sc.Spheres[s.Sphere].Material.Kind.String(), s.Hit)
					assert.Positive(t, s.Positive)
					if i+1 < len(path) {
						assert.Equal(t, s.To, path[i+1].From)
					}
				} else {
					assert.Equal(t, "sky", s.Hit)
					assert.Equal(t, len(path)-1, i, "nothing comes after the sky")
				}
				assert.Positive(t, s.Nodes)
				assert.Less(t, 16*(s.Nodes+s.Groups), len(sc.Spheres))
				lengths[s.Hit] = true
			}
			again, same, err := Path("large", x, y, 640, 360)
			require.NoError(t, err)
			assert.Equal(t, sc, again)
			assert.Equal(t, path, same)
		}
	}
	assert.Len(t, lengths, 4, "all materials, and the sky")
	_, up, err := Path("small", 0, 0, 640, 360)
	require.NoError(t, err)
	require.Len(t, up, 1)
	assert.Greater(t, up[0].To[1], up[0].From[1], "the first row is the upper one")
}
