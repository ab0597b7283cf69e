// Package rays lets the searches of packages find what the same recorded rays hit, each
// by a benchmark of its own, as programs beside ours do. scripts/peers calls them.
package rays

import (
	"bytes"
	"encoding/binary"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"raysteps/common/infile"
	"raysteps/common/scene"
)

// Vec is a point or a direction. It has the fields of the vectors of the packages, to which
// it converts in registers. An array of three would be copied by way of the stack, which
// reads eight bytes where four were written last: that waits for the search before, and
// took a quarter of the time of a ray.
type Vec struct{ X, Y, Z float32 }

// Ray is a ray of a path and what it hits, as a file has it.
type Ray struct {
	Origin, Direction Vec
	Depth             uint32 // scatterings before it
	Hit
}

// Hit is the number of the sphere that is hit first, or -1, and how far away it is.
type Hit struct {
	Sphere   int32
	Distance float32
}

var file = flag.String("recorded", "", "a `file` of scripts/peers with the rays of a scene, such as sphereflake=4.rays")

// Scene returns the scene that the flag names. A test without the flag has a file of its
// own, of a small scene; a benchmark is skipped.
func Scene(tb testing.TB) *scene.Scene {
	if _, test := tb.(*testing.T); *file == "" && test {
		*file = filepath.Join(tb.TempDir(), "sphereflake=2.rays")
		tb.Cleanup(func() { *file = "" })
	} else if *file == "" {
		tb.Skip("not measured: want -recorded with a file, as go run -C scripts/peers . gives it")
	}
	sc, err := scene.ByName(strings.TrimSuffix(filepath.Base(*file), ".rays"))
	if err != nil {
		tb.Fatal(err)
	}
	return sc
}

// sphere is what a file has of one.
type sphere struct {
	Center      [3]float32
	Radius      float32
	Kind        uint32
	Albedo      [3]float32
	Fuzz, Index float32
}

// Write writes the file of the flag, little-endian: the camera, and behind their numbers
// the spheres and the rays.
func Write(sc *scene.Scene, rays []Ray) error {
	var spheres []sphere
	for _, s := range sc.Spheres {
		m := s.Material
		spheres = append(spheres, sphere{s.Center, s.Radius, uint32(m.Kind), m.Albedo, m.Fuzz, m.Index})
	}
	var b bytes.Buffer
	for _, data := range []any{sc.Camera, uint32(len(spheres)), spheres, uint32(len(rays)), rays} {
		binary.Write(&b, binary.LittleEndian, data) // which a bytes.Buffer takes
	}
	return os.WriteFile(*file, b.Bytes(), 0o644)
}

// Read returns the rays of the file of the flag.
func Read(sc *scene.Scene) ([]Ray, error) {
	text, err := infile.Read("rays", *file, 1<<32)
	if err != nil {
		return nil, err
	}
	begin := binary.Size(sc.Camera) + 4 + len(sc.Spheres)*binary.Size(sphere{}) + 4
	all := make([]Ray, max(0, len(text)-begin)/binary.Size(Ray{}))
	if begin+len(all)*binary.Size(Ray{}) != len(text) {
		return nil, fmt.Errorf("rays %q: %d bytes are no rays of the scene %s; want a file of scripts/peers", *file, len(text), sc.Name)
	}
	_, err = binary.Decode(text[begin:], binary.LittleEndian, all)
	return all, err
}

// agrees reports whether a hit is the recorded one: of the same sphere, or as far away but
// for a thousandth.
func (h Hit) agrees(recorded Hit) bool {
	off := math.Abs(float64(h.Distance - recorded.Distance))
	return h.Sphere == recorded.Sphere || off <= 1e-3*float64(recorded.Distance)
}

// Bench measures a search in the order in which the rays were traced, and sorted by
// depth: the least time of some passes. A ray is put into the search's form inside. For
// one ray in fifty it may find another sphere, as its arithmetic is not the tree's.
func Bench(b *testing.B, newSearch func(*scene.Scene) func([]Ray, []Hit)) {
	sc := Scene(b)
	all, err := Read(sc)
	if err != nil {
		b.Fatal(err)
	}
	search, hits := newSearch(sc), make([]Hit, len(all))
	for _, order := range []string{"traced", "sorted"} {
		if order == "sorted" {
			slices.SortStableFunc(all, func(a, b Ray) int { return int(a.Depth) - int(b.Depth) })
		}
		b.Run(fmt.Sprintf("scene=%s/spheres=%d/order=%s", sc.Name, len(sc.Spheres), order), func(b *testing.B) {
			least := math.Inf(1)
			for b.Loop() {
				start := time.Now()
				search(all, hits)
				least = min(least, time.Since(start).Seconds()/float64(len(all)))
			}
			others := 0.
			for i, h := range hits {
				if !h.agrees(all[i].Hit) {
					others++
				}
			}
			for unit, value := range map[string]float64{"ns/ray": 1e9 * least, "rays/s": 1 / least, "others/op": others, "ns/op": 0} {
				b.ReportMetric(value, unit)
			}
		})
	}
}
