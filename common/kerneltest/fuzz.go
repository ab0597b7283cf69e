package kerneltest

import (
	"embed"
	"encoding/binary"
	"math"
	"path"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// seeds are inputs for fuzzing, files as go test -fuzz writes them: what it
// finds in a step belongs here, under a name that says what it is.
//
//go:embed seeds
var seeds embed.FS

// Seed is a ray and spheres, as [Input] reads them.
type Seed struct {
	Name string
	Data []byte
}

// Seeds returns all seeds, by name.
func Seeds(t testing.TB) []Seed {
	t.Helper()
	files, err := seeds.ReadDir("seeds")
	require.NoError(t, err)
	var all []Seed
	for _, f := range files {
		text, err := seeds.ReadFile(path.Join("seeds", f.Name()))
		require.NoError(t, err)
		quoted, ok := strings.CutPrefix(string(text), "go test fuzz v1\n[]byte(")
		require.True(t, ok, "seed %s: want the header of a fuzz file and a []byte", f.Name())
		data, err := strconv.Unquote(strings.TrimSuffix(strings.TrimSpace(quoted), ")"))
		require.NoError(t, err, "seed %s", f.Name())
		all = append(all, Seed{f.Name(), []byte(data)})
	}
	return all
}

// Input takes rays and spheres from bytes that a fuzzer makes up: any bits.
// Where the bytes end, numbers are 0.
type Input struct{ Data []byte }

// Number takes four bytes.
func (in *Input) Number() float32 {
	if len(in.Data) < 4 {
		in.Data = nil
		return 0
	}
	x := math.Float32frombits(binary.LittleEndian.Uint32(in.Data))
	in.Data = in.Data[4:]
	return x
}

func (in *Input) vec() Vec { return Vec{in.Number(), in.Number(), in.Number()} }

// Ray takes 24 bytes.
func (in *Input) Ray() Ray { return Ray{in.vec(), in.vec()} }

// Spheres takes 16 bytes for each sphere, center and squared radius, until
// there are no bytes left or 200 spheres.
func (in *Input) Spheres() []Sphere {
	var spheres []Sphere
	for len(in.Data) > 0 && len(spheres) < maxCount {
		spheres = append(spheres, Sphere{Center: in.vec(), RadiusSq: in.Number()})
	}
	return spheres
}

// Fuzz compares the kernels that can run here with the twin and the oracle.
func (s *Suite) Fuzz(f *testing.F) {
	for _, seed := range Seeds(f) {
		f.Add(seed.Data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		in := Input{data}
		r := in.Ray()
		p := s.Columns(in.Spheres())
		for i := range s.Kernels {
			if k := &s.Kernels[i]; !k.Missing {
				s.check(t, k, &p, &r, len(data)%16*4)
			}
		}
	})
}
