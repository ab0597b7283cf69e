package scene_test

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"raysteps/common/scene"
)

var (
	nan = float32(math.NaN())
	inf = float32(math.Inf(1))
)

// ball is a scene of a matte, a metal and a glass sphere, and valid.
func ball() *scene.Scene {
	return &scene.Scene{
		Camera: scene.Camera{From: [3]float32{0, 0, 5}, Up: [3]float32{0, 1, 0}, FOV: 60, Focus: 5},
		Spheres: []scene.Sphere{
			{Radius: 1, Material: scene.Material{Kind: scene.Lambertian, Albedo: [3]float32{0.5, 0.5, 0.5}}},
			{Radius: 1, Material: scene.Material{Kind: scene.Metal, Albedo: [3]float32{0.5, 0.5, 0.5}, Fuzz: 0.1}},
			{Radius: 1, Material: scene.Material{Kind: scene.Dielectric, Index: 1.5}},
		},
	}
}

var changes = []struct {
	name   string
	change func(*scene.Scene)
	want   string // the whole error, or empty
}{
	{"name with a control character", func(s *scene.Scene) { s.Name = "a\x1b[1m" }, `name is "a\x1b[1m"; want at most 255 bytes of printable characters`},
	{"long name", func(s *scene.Scene) { s.Name = strings.Repeat("a", 256) }, `name is "` + strings.Repeat("a", 40) + `..."; want at most 255 bytes of printable characters`},

	{"at infinite", func(s *scene.Scene) { s.Camera.At[2] = inf }, `camera: at[2] is +Inf; want a number from -1e9 to 1e9`},
	{"fov 180", func(s *scene.Scene) { s.Camera.FOV = 180 }, `camera: fov is 180; want degrees from 1 to 179`},
	{"focus NaN", func(s *scene.Scene) { s.Camera.Focus = nan }, `camera: focus is NaN; want a distance from 1e-6 to 1e9`},
	{"from is at", func(s *scene.Scene) { s.Camera.From = [3]float32{} }, `camera: from and at are both (0, 0, 0); want two different points`},
	{"from is nearly at", func(s *scene.Scene) { s.Camera.From = [3]float32{0, 1e-30, 0} }, `camera: from and at are 1e-30 apart; want a distance from 1e-6 to 1e9`},
	{"up 0", func(s *scene.Scene) { s.Camera.Up = [3]float32{} }, `camera: up is (0, 0, 0); want a direction at least 1e-6 long`},
	{"up along the sight", func(s *scene.Scene) { s.Camera.Up = [3]float32{0, 0, -3} }, `camera: up is (0, 0, -3), along the line of sight; want a direction across it`},
	{"up nearly along the sight", func(s *scene.Scene) { s.Camera.Up = [3]float32{0, 0.9e-4, 1} }, `camera: up is (0, 9e-05, 1), along the line of sight; want a direction across it`},

	{"no spheres", func(s *scene.Scene) { s.Spheres = nil }, `no spheres; want at least one`},
	{"too many spheres", func(s *scene.Scene) { s.Spheres = make([]scene.Sphere, scene.MaxSpheres+1) }, `1048577 spheres; want at most 1048576`},
	{"radius NaN", func(s *scene.Scene) { s.Spheres[2].Radius = nan }, `sphere 2: radius is NaN; want a magnitude from 1e-6 to 1e9`},
	{"radius small", func(s *scene.Scene) { s.Spheres[0].Radius = -9e-7 }, `sphere 0: radius is -9e-07; want a magnitude from 1e-6 to 1e9`},
	{"unknown kind", func(s *scene.Scene) { s.Spheres[0].Material.Kind = 3 }, `sphere 0: material has the unknown kind 3; want lambertian, metal or dielectric`},
	{"albedo NaN", func(s *scene.Scene) { s.Spheres[0].Material.Albedo[0] = nan }, `sphere 0: albedo[0] is NaN; want a number from 0 to 1`},
	{"index 0", func(s *scene.Scene) { s.Spheres[2].Material.Index = 0 }, `sphere 2: index is 0; want a positive number, 1e-6 to 1e6`},
	{"fuzz of lambertian", func(s *scene.Scene) { s.Spheres[0].Material.Fuzz = nan }, `sphere 0: fuzz is NaN; want 0 for lambertian`},
	{"index of metal", func(s *scene.Scene) { s.Spheres[1].Material.Index = 1.5 }, `sphere 1: index is 1.5; want 0 for metal`},
	{"albedo of dielectric", func(s *scene.Scene) { s.Spheres[2].Material.Albedo[1] = 1 }, `sphere 2: albedo[1] is 1; want 0 for dielectric`},

	{"as it is", func(*scene.Scene) {}, ""},
	{"smallest lengths", func(s *scene.Scene) {
		s.Camera.From, s.Camera.Focus, s.Camera.Up = [3]float32{0, 0, 1.01e-6}, 1e-6, [3]float32{1.01e-6}
		s.Spheres[0].Radius, s.Camera.FOV = -1e-6, 1
	}, ""},
	{"largest lengths", func(s *scene.Scene) {
		s.Camera.From, s.Camera.Focus, s.Camera.Aperture = [3]float32{0, 0, 1e9}, 1e9, 1e9
		s.Spheres[0].Center, s.Spheres[0].Radius = [3]float32{1e9, -1e9, 1e9}, 1e9
		s.Camera.FOV = 179
	}, ""},
	{"up not quite along the sight", func(s *scene.Scene) { s.Camera.Up = [3]float32{0, 1.1e-4, 1} }, ""},
	{"index below 1", func(s *scene.Scene) { s.Spheres[2].Material.Index = 0.7 }, ""},
}

func TestValidate(t *testing.T) {
	for _, f := range changes {
		t.Run(f.name, func(t *testing.T) {
			s := ball()
			f.change(s)
			if f.want == "" {
				assert.NoError(t, s.Validate())
			} else {
				assert.EqualError(t, s.Validate(), f.want)
			}
		})
	}
}
