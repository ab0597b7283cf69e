package tab

import (
	"fmt"
	"math"

	"raysteps/beyond/tree"
	"raysteps/common"
	"raysteps/common/scene"
	"raysteps/step01"
	"raysteps/step06"
)

// Segment is a ray of a path, and what it takes to find out where it ends.
type Segment struct {
	From, To [3]float32
	Hit      string // the material that it meets, or sky
	Sphere   int    // index in the scene, or -1
	// Tests is how often step 1 calls Sphere.Hit, and Positive how many discriminants the
	// second pass of step 6 looks at.
	Tests, Positive int
	// Nodes are those of the tree that the search visits, of sixteen boxes each, and
	// Groups those of up to sixteen spheres.
	Nodes, Groups int
}

// counted counts the tests of what it holds.
type counted struct {
	step01.Hittable
	tests *int
}

func (c counted) Hit(r *step01.Ray, tMin, tMax float32, rec *step01.HitRecord) bool {
	*c.tests++
	return c.Hittable.Hit(r, tMin, tMax, rec)
}

// skyDistance is how far a ray is drawn that meets nothing.
const skyDistance = 12

// Path follows a ray through the middle of a pixel, by the code of step 1, and asks the
// others for each of its segments. The picture has its pixel (0, 0) at the upper left.
func Path(sceneName string, x, y, width, height int) (sc *scene.Scene, path []Segment, err error) {
	if sc, err = scene.ByName(sceneName); err != nil {
		return nil, nil, err
	}
	if x < 0 || y < 0 || x >= width || y >= height {
		return nil, nil, fmt.Errorf("no pixel (%d, %d) in %dx%d", x, y, width, height)
	}
	tests := 0
	world, passes, searches := new(step01.List), new(step06.World), tree.New(sc)
	spheres := map[step01.Material]int{}
	for i, s := range sc.Spheres {
		center := step01.Vec3{X: s.Center[0], Y: s.Center[1], Z: s.Center[2]}
		material := materialOf(&s.Material)
		spheres[material] = i
		sphere := &step01.Sphere{Center: center, Radius: s.Radius, Material: material}
		world.Items = append(world.Items, counted{sphere, &tests})
		passes.Spheres.Append(step06.Sphere{Center: step06.Vec3(center), Radius: s.Radius})
	}
	discriminants := make([]float32, len(sc.Spheres))

	camera, rng := step01.NewCamera(&sc.Camera, float32(width)/float32(height)), step01.RNG(x+y*width+1)
	ray := camera.Ray((float32(x)+0.5)/float32(width), 1-(float32(y)+0.5)/float32(height), &rng)
	for range common.Default().Bounces {
		const tMin = 0.001 // as all steps have it
		origin, direction := ray.Origin(), ray.Direction()
		s := Segment{From: array(origin), Hit: "sky", Sphere: -1}
		tests = 0
		var hit step01.HitRecord
		met := world.Hit(&ray, tMin, math.MaxFloat32, &hit)
		s.Tests = tests
		r := &step06.Ray{Origin: step06.Vec3(origin), Direction: step06.Vec3(direction)}
		passes.Hit(r, tMin, math.MaxFloat32, new(step06.HitRecord), discriminants)
		for _, d := range discriminants {
			if d > 0 {
				s.Positive++
			}
		}
		s.Nodes, s.Groups = searches.Visits(array(origin), array(direction))
		if !met {
			s.To = array(origin.Add(direction.Unit().Scale(skyDistance)))
			return sc, append(path, s), nil
		}
		s.To, s.Sphere = array(hit.P), spheres[hit.Material]
		s.Hit = sc.Spheres[s.Sphere].Material.Kind.String()
		path = append(path, s)
		scattered, _, ok := hit.Material.Scatter(&ray, &hit, &rng)
		if !ok {
			break
		}
		ray = scattered
	}
	return sc, path, nil
}

// materialOf is step 1's form of a material, of which each sphere has its own.
func materialOf(m *scene.Material) step01.Material {
	albedo := step01.Vec3{X: m.Albedo[0], Y: m.Albedo[1], Z: m.Albedo[2]}
	switch m.Kind {
	case scene.Metal:
		return &step01.Metal{Albedo: albedo, Fuzz: min(m.Fuzz, 1)}
	case scene.Dielectric:
		return &step01.Dielectric{Index: m.Index}
	}
	return &step01.Lambertian{Albedo: albedo}
}

func array(v step01.Vec3) [3]float32 { return [3]float32{v.X, v.Y, v.Z} }
