package wavefront

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"raysteps/common"
	"raysteps/common/film"
	"raysteps/common/scene"
	"raysteps/step12"
)

// blocks returns the mean colors of blocks of 16x16 pixels.
func blocks(f *film.Film) [][3]float64 {
	var means [][3]float64
	for y0 := 0; y0 < f.Height; y0 += 16 {
		for x0 := 0; x0 < f.Width; x0 += 16 {
			var sum [3]float64
			n := 0.0
			for y := y0; y < min(y0+16, f.Height); y++ {
				for x := x0; x < min(x0+16, f.Width); x++ {
					r, g, b := f.At(x, y)
					sum[0], sum[1], sum[2] = sum[0]+float64(r), sum[1]+float64(g), sum[2]+float64(b)
					n++
				}
			}
			means = append(means, [3]float64{sum[0] / n, sum[1] / n, sum[2] / n})
		}
	}
	return means
}

// one returns a scene of one sphere of a material over a gray ground.
func one(name string, m scene.Material) *scene.Scene {
	s := scene.Small()
	s.Name = name
	ground := s.Spheres[1]
	ground.Material = scene.Material{Kind: scene.Lambertian, Albedo: [3]float32{0.5, 0.5, 0.5}}
	s.Spheres = []scene.Sphere{ground, {Center: [3]float32{0, 0, -1}, Radius: 0.5, Material: m}}
	if m.Kind == scene.Dielectric && m.Index == 1.5 {
		s.Spheres = append(s.Spheres, scene.Sphere{Center: [3]float32{1.2, 0, -1}, Radius: 0.5, Material: m},
			scene.Sphere{Center: [3]float32{1.2, 0, -1}, Radius: -0.45, Material: m})
	}
	return s
}

const seeds = 16

// moments are the mean over the pictures of all seeds, and the sum of the squares of the
// differences from it: of each block, and of the number of rays.
type moments struct {
	mean, squares    [][3]float64
	rays, raySquares float64
}

// momentsOf renders the pictures, and takes in one after the other (Welford).
func momentsOf(s *scene.Scene, settings common.Settings) (all moments) {
	tracer := New(s)
	for i := range seeds {
		f := film.New(80, 60)
		tracer.seed = uint32(i)
		n := float64(tracer.Render(f, settings))
		d := n - all.rays
		all.rays += d / float64(i+1)
		all.raySquares += d * (n - all.rays)
		picture := blocks(f)
		if i == 0 {
			all.mean, all.squares = picture, make([][3]float64, len(picture))
			continue
		}
		for j := range picture {
			for c := range 3 {
				d := picture[j][c] - all.mean[j][c]
				all.mean[j][c] += d / float64(i+1)
				all.squares[j][c] += d * (picture[j][c] - all.mean[j][c])
			}
		}
	}
	return all
}

// deviation returns the mean of z² of a picture of step 12, no block of which may be far off.
func (all *moments) deviation(t *testing.T, f *film.Film) float64 {
	deviations, n := 0.0, 0.0
	for j, block := range blocks(f) {
		for c := range 3 {
			// What noise of a few samples cannot show has a floor: the steps
			// round otherwise, and blue of the sky alone has no noise.
			s := math.Sqrt(all.squares[j][c]/(seeds-1)) + 1e-5
			z := (block[c] - all.mean[j][c]) / s * math.Sqrt(seeds/2)
			require.Less(t, math.Abs(z), 7.0, "block %d, channel %d: mean %v; step 12 has %v", j, c, all.mean[j][c], block[c])
			deviations += z * z
			n++
		}
	}
	return deviations / n
}

// The pictures are those of step 12 but for noise. How much there is, the
// pictures of 16 seeds show: the mean of a block has so much standard deviation
// s between them. Step 12 with 16 times the samples has a quarter of it, and so
// has the mean of the 16; their difference has s/√8. In units of that it must
// be about 1 on average, and nowhere far from it.
func TestSameAsStep12(t *testing.T) {
	if testing.Short() {
		t.Skip("not tested with -short: renders many pictures")
	}
	white := [3]float32{0.9, 0.9, 0.9}
	scenes := append(builtin(),
		one("matte", scene.Material{Kind: scene.Lambertian, Albedo: white}),
		one("mirror", scene.Material{Kind: scene.Metal, Albedo: white}),
		one("fuzzy metal", scene.Material{Kind: scene.Metal, Albedo: white, Fuzz: 0.5}),
		one("glass", scene.Material{Kind: scene.Dielectric, Index: 1.5}),
		one("bubble of air", scene.Material{Kind: scene.Dielectric, Index: 0.8}))
	for _, s := range scenes {
		if len(vector) == 0 && len(s.Spheres) > 10 {
			continue // it takes long, and the forms are held to each other
		}
		t.Run("scene="+s.Name, func(t *testing.T) {
			settings := common.Settings{Samples: 16, Bounces: 50, Workers: 1}
			all := momentsOf(s, settings)

			f := film.New(80, 60)
			settings.Samples *= seeds
			want := float64(step12.New(s).Render(f, settings)) / seeds
			deviation := all.deviation(t, f)
			// By Student's distribution of 15 degrees of freedom, the mean of z² is
			// 15/13. The channels of a block depend on each other.
			t.Logf("mean z² %.2f, rays %.4f of step 12", deviation, all.rays/want)
			assert.Less(t, deviation, 1.8, "mean of z²")

			noise := math.Sqrt(all.raySquares/(seeds-1)) / want * math.Sqrt(2.0/seeds)
			assert.InDelta(t, 1, all.rays/want, max(0.003, 6*noise), "rays, of those of step 12")
			assert.Less(t, noise, 0.0015, "noise of the number of rays: too few samples to tell 0.3 %%")
		})
	}
}
