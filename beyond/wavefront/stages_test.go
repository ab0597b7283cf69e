package wavefront

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"raysteps/common/scene"
)

// checkColumns compares what means something in two fronts, to the bit.
func checkColumns(t testing.TB, want, got *front, stage string) {
	t.Helper()
	require.Equal(t, want.n, got.n, "rays after %s", stage)
	for name, columns := range map[string][2]*floats{
		"ox": {&want.ox, &got.ox}, "oy": {&want.oy, &got.oy}, "oz": {&want.oz, &got.oz},
		"dx": {&want.dx, &got.dx}, "dy": {&want.dy, &got.dy}, "dz": {&want.dz, &got.dz},
		"r": {&want.r, &got.r}, "g": {&want.g, &got.g}, "b": {&want.b, &got.b},
	} {
		for i := range want.n {
			if a, b := columns[0][i], columns[1][i]; math.Float32bits(a) != math.Float32bits(b) {
				t.Fatalf("after %s: %s of ray %d of %d is %v (%#x); want %v (%#x)", stage, name, i, want.n,
					b, math.Float32bits(b), a, math.Float32bits(a))
			}
		}
	}
	require.Equal(t, want.state[:want.n], got.state[:want.n], "states after %s", stage)
	require.Equal(t, want.path[:want.n], got.path[:want.n], "paths after %s", stage)
	if stage == "part" {
		require.Equal(t, want.hit[:want.n], got.hit[:want.n])
		require.Equal(t, want.ended, got.ended)
		for name, columns := range map[string][2]*ints{"r": {&want.endR, &got.endR}, "g": {&want.endG, &got.endG}, "b": {&want.endB, &got.endB}} {
			require.Equal(t, columns[0][:want.ended], columns[1][:want.ended], name)
		}
		require.Equal(t, want.endPixel[:want.ended], got.endPixel[:want.ended])
	}
}

// materials is a scene of every material, and of glass that is less dense than
// what is around it.
func materials() *scene.Scene {
	s := scene.Medium()
	s.Name = "materials"
	s.Camera.Aperture = 0.3
	kinds := []scene.Material{
		{Kind: scene.Metal, Albedo: [3]float32{0.9, 0.9, 0.9}, Fuzz: 1},
		{Kind: scene.Lambertian, Albedo: [3]float32{0.9, 0.5, 0.1}},
		{Kind: scene.Metal, Albedo: [3]float32{0.7, 0.8, 0.9}},
		{Kind: scene.Dielectric, Index: 1.5},
		{Kind: scene.Dielectric, Index: 0.7},
		{Kind: scene.Dielectric, Index: 2.4},
	}
	for i := range s.Spheres {
		s.Spheres[i].Material = kinds[i%len(kinds)]
		if i%7 == 3 {
			s.Spheres[i].Radius = -s.Spheres[i].Radius
		}
	}
	return s
}

// twins are two fronts: the stages of plain Go change the one, those of a form the other.
type twins struct {
	form              *form
	scene             *scene.Scene
	tracer            *Tracer
	camera            *Camera
	search            *search
	rng               *rand.Rand
	want, got         *front
	wantSums, gotSums *sums
	kinds             map[string]int // rays that hit, by what they hit
	absorbed          int
}

func newTwins(s *scene.Scene, form *form) *twins {
	tracer := New(s)
	return &twins{
		form: form, scene: s, tracer: tracer, camera: NewCamera(&s.Camera, 320, 180),
		search: newSearch(&tracer.spheres), rng: rand.New(rand.NewPCG(14, 6)),
		wantSums: new(sums), gotSums: new(sums), kinds: map[string]int{},
	}
}

// begin puts camera rays of random blocks into empty fronts.
func (w *twins) begin(t *testing.T, rays int) {
	w.want, w.got = newFront(), newFront()
	for w.want.n < rays {
		b := &block{
			x: w.rng.IntN(300), y: w.rng.IntN(180),
			width: 1 + w.rng.IntN(blockSide), height: 1 + w.rng.IntN(blockSide),
			stride: w.rng.IntN(5000), sample: w.rng.IntN(100), n: 1, seed: w.rng.Uint32(),
			number: w.rng.Uint32(), path: w.rng.Uint32N(4096) << depthBits,
		}
		if w.want.n+b.width*b.height > rays {
			b.width, b.height = min(blockSide, rays-w.want.n), 1
		}
		b.n = max(1, min(w.rng.IntN(4), (rays-w.want.n)/(b.width*b.height)))
		w.draw(t, b)
		require.Equal(t, w.want.n, w.got.n)
	}
	w.aim(t, 0)
}

func (w *twins) draw(t *testing.T, b *block) {
	drawPlain(w.want, b)
	checkUppers(t, "draw", func() { w.form.draw(w.got, b) })
}

func (w *twins) aim(t *testing.T, from int) {
	aimPlain(w.want, w.camera, from)
	checkUppers(t, "aim", func() { w.form.aim(w.got, w.camera, from) })
	checkColumns(t, w.want, w.got, "aim")
}

// bounce takes all rays to what they hit, and on.
func (w *twins) bounce(t *testing.T, bounces int) {
	want, got := w.want, w.got
	hitPlain(w.search, want)
	got.t, got.hit = want.t, want.hit
	for _, hit := range want.hit[:want.n] {
		if hit == 0 {
			w.kinds["sky"]++
		} else {
			m := &w.scene.Spheres[hit-1].Material
			w.kinds[fmt.Sprint(m.Kind, m.Fuzz)]++
		}
	}
	partPlain(want, bounces)
	checkUppers(t, "part", func() { w.form.part(got, bounces) })
	checkColumns(t, want, got, "part")
	plain.collect(want, w.wantSums)
	checkUppers(t, "collect", func() { w.form.collect(got, w.gotSums) })
	before := want.n
	scatterPlain(want, &w.tracer.surfaces)
	checkUppers(t, "scatter", func() { w.form.scatter(got, &w.tracer.surfaces) })
	checkColumns(t, want, got, "scatter")
	w.absorbed += before - want.n
}

// Every stage of every form does what the plain stage does, to the bit: for
// rows and fronts of every length around a group, for every material, and for
// paths at their last bounce. This would notice an instruction that the
// compiler gets wrong. And every stage leaves the registers clean.
func TestStages(t *testing.T) {
	forEachKernel(t, func(t *testing.T, form *form) {
		scenes := append(builtin(), materials())
		for _, n := range []int{7, 8, 15, 16} { // as many surfaces as lanes, with the sky, and one more
			s := materials()
			s.Name, s.Spheres = fmt.Sprint(n), s.Spheres[:n]
			scenes = append(scenes, s)
		}
		for _, s := range scenes {
			t.Run("scene="+s.Name, func(t *testing.T) {
				w := newTwins(s, form)
				for rays := 1; rays <= 3*group+1; rays++ {
					w.begin(t, rays)
					for bounce := 1; w.want.n > 0 && bounce < 8; bounce++ {
						bounces := 50
						if bounce == 7 {
							bounces = 3 // the last for some, beyond it for none
						}
						w.bounce(t, bounces)
						if bounce == 3 { // rays that are added while others are under way
							from := w.want.n
							w.draw(t, &block{x: 5, y: 7, width: 1 + rays%blockSide,
								height: 1 + rays/blockSide%blockSide, stride: 320, n: 1, seed: 9, number: 11})
							w.aim(t, from)
						}
					}
				}
				for i := range w.wantSums {
					require.Equal(t, w.wantSums[i][:3], w.gotSums[i][:3], "sums of pixel %d", i)
				}
				if s.Name == "materials" {
					for _, kind := range []string{"sky", "lambertian 0", "metal 0", "metal 1", "dielectric 0"} {
						assert.Greater(t, w.kinds[kind], 50, "rays that hit: %s", kind)
					}
					assert.Greater(t, w.absorbed, 50)
				}
			})
		}
	})
}

func TestDirection(t *testing.T) {
	for i := range uint32(1 << 16) {
		x := i << 16
		cos, sin := direction(x)
		wantSin, wantCos := math.Sincos(float64(int32(x)) / (1 << 31) * math.Pi / 2)
		require.InDelta(t, wantCos, cos, 1e-6)
		require.InDelta(t, wantSin, sin, 1e-6)
		left, same := direction(x | 1)
		require.InDelta(t, -cos, left, 1e-6)
		require.InDelta(t, sin, same, 1e-6)
	}
}

func TestGeneratedIsCurrent(t *testing.T) {
	if _, err := exec.LookPath("sed"); err != nil {
		t.Skip("not tested: there is no sed")
	}
	want, err := exec.Command("sed", "-f", "narrow.sed", "stages_avx512.go").Output()
	require.NoError(t, err)
	got, err := os.ReadFile("stages_avx2.go")
	require.NoError(t, err)
	assert.Equal(t, string(want), string(got), "stages_avx2.go is stale; run go generate ./beyond/wavefront")
}
