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

// countingHittable counts the tests of what it holds.
type countingHittable struct {
	step01.Hittable
	tests *int
}

func (c countingHittable) Hit(r *step01.Ray, tMin, tMax float32, rec *step01.HitRecord) bool {
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
	t := newTracker(sc)
	camera := step01.NewCamera(&sc.Camera, float32(width)/float32(height))
	rng := step01.RNG(x + y*width + 1)
	ray := camera.Ray((float32(x)+0.5)/float32(width), 1-(float32(y)+0.5)/float32(height), &rng)
	for range common.Default().Bounces {
		s, hit := t.segment(&ray)
		path = append(path, s)
		if s.Sphere < 0 {
			break
		}
		scattered, _, ok := hit.Material.Scatter(&ray, &hit, &rng)
		if !ok {
			break
		}
		ray = scattered
	}
	return sc, path, nil
}

// tracker has a scene in the forms of the steps that are asked.
type tracker struct {
	scene   *scene.Scene
	world   step01.List
	tests   int // of the world, so far
	passes  step06.World
	tree    *tree.Tracer
	numbers map[step01.Material]int // of the spheres in the scene

	discriminants []float32 // of the latest ray
}

func newTracker(sc *scene.Scene) *tracker {
	t := &tracker{
		scene: sc, tree: tree.New(sc), numbers: map[step01.Material]int{},
		discriminants: make([]float32, len(sc.Spheres)),
	}
	for i, s := range sc.Spheres {
		center := step01.Vec3{X: s.Center[0], Y: s.Center[1], Z: s.Center[2]}
		material := materialOf(&s.Material)
		t.numbers[material] = i
		sphere := &step01.Sphere{Center: center, Radius: s.Radius, Material: material}
		t.world.Items = append(t.world.Items, countingHittable{sphere, &t.tests})
		t.passes.Spheres.Append(step06.Sphere{Center: step06.Vec3(center), Radius: s.Radius})
	}
	return t
}

// segment returns what a ray meets, and what the steps do to find it.
func (t *tracker) segment(ray *step01.Ray) (s Segment, hit step01.HitRecord) {
	const tMin = 0.001 // as all steps have it
	origin, direction := ray.Origin(), ray.Direction()
	before := t.tests
	met := t.world.Hit(ray, tMin, math.MaxFloat32, &hit)
	s = Segment{From: array(origin), Hit: "sky", Sphere: -1, Tests: t.tests - before}
	r := &step06.Ray{Origin: step06.Vec3(origin), Direction: step06.Vec3(direction)}
	t.passes.Hit(r, tMin, math.MaxFloat32, new(step06.HitRecord), t.discriminants)
	for _, d := range t.discriminants {
		if d > 0 {
			s.Positive++
		}
	}
	s.Nodes, s.Groups = t.tree.Visits(array(origin), array(direction))
	if !met {
		s.To = array(origin.Add(direction.Unit().Scale(skyDistance)))
		return s, hit
	}
	s.To, s.Sphere = array(hit.P), t.numbers[hit.Material]
	s.Hit = t.scene.Spheres[s.Sphere].Material.Kind.String()
	return s, hit
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
