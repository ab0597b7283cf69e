package scene_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"raysteps/common/scene"
)

func ExampleReadFile() {
	s, err := scene.ReadFile("example.json")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(s.Name, len(s.Spheres), s.Spheres[1].Material.Kind, s.Camera.Focus)
	// Output: example 11 dielectric 5.6
}

// short is the example of common/scene/README.md.
const short = `{
  "camera": {"from": [0, 1.5, 5], "at": [0, 0.8, 0], "aperture": 0.1},
  "spheres": [
    {"center": [0, -1000, 0], "radius": 1000, "material": "lambertian", "albedo": [0.6, 0.5, 0.4]},
    {"center": [-1.1, 1, 0], "radius": 1, "material": "metal", "albedo": [0.9, 0.8, 0.6], "fuzz": 0.1},
    {"center": [1.1, 1, 0], "radius": 1, "material": "dielectric", "index": 1.5}
  ]
}
`

// badFile is the example with the first old replaced by new. Where old is
// empty, new is the whole file. The error begins with want, in which ... stands
// for anything.
type badFile struct{ name, old, new, want string }

var badFiles = []badFile{
	{"empty", "", "", `1:1: unexpected end of JSON input; want one value in plain JSON: no comments, no trailing commas`},
	{"no object", "", "[]", `1:1: the file is []; want an object with camera and spheres`},
	{"comma too many in object", "1.5}", "1.5, }", `6:82: invalid character '}' looking for beginning of object key string; want one value`},
	{"no comma", `0.1},`, `0.1}`, `3:3: invalid character '"' after object key:value pair; want one value`},
	{"column after letters of two bytes", "{\n", `{"name": "Übergrößenträger" 1`, `1:29: `},
	{"byte order mark", "{\n", "\ufeff{\n", `1:1: a byte order mark; want a file in UTF-8 without one`},
	{"not UTF-8", `"metal"`, "\"m\xE9tal\"", `5:57: invalid UTF-8; want a file in UTF-8`},

	{"unknown field", `"radius": 1000`, `"size": 1000`, `4:31: sphere 0: unknown field "size"; want one of center, radius, material, albedo`},
	{"field of another material", `"index"`, `"fuzz"`, `6:68: sphere 2: unknown field "fuzz"; want one of center, radius, material, index`},
	{"control characters in a field", `"radius": 1000`, `"\r\n\u001b[31m": 1`, `4:31: sphere 0: unknown field "\r\n\x1b[31m"`},
	{"long field", "{\n", `{"` + strings.Repeat("ä", 1<<16) + `": 1,`, `1:2: unknown field "ääääääääääääääääääää..."`},
	{"first field twice", "{\n", `{"name": "a", "name": "b",`, `1:15: duplicate field "name"; want it once`},
	{"field twice, once in disguise", `"radius": 1000`, `"radius": 1, "rad\u0069us": 2`, `4:44: sphere 0: duplicate field "radius"; want it once`},

	{"no camera", "", "\n{}", `2:1: camera is missing; want an object with from and at`},
	{"no spheres", "", `{"spheres": []}`, `1:13: spheres is []; want an array of 1 to 1048576 objects`},
	{"no center", `"center": [-1.1, 1, 0], `, ``, `5:5: sphere 1: center is missing; want an array of three numbers from -1e12 to 1e12`},
	{"no albedo", `, "albedo": [0.6, 0.5, 0.4]`, ``, `4:5: sphere 0: albedo is missing; want an array of three numbers from 0 to 1`},
	{"no index", `, "index": 1.5`, ``, `6:5: sphere 2: index is missing; want a number from 1e-6 to 1e6`},

	{"no camera to speak of", `{"from"`, `null, "camera2": {"from"`, `2:13: camera is null; want an object with from and at`},
	{"no sphere", `"spheres": [`, `"spheres": [null,`, `3:15: sphere 0 is null; want an object with center, radius and material`},
	{"null vector", `[0, 1.5, 5]`, `null`, `2:22: camera: from is null; want an array of three numbers`},
	{"null where there is a default", "{\n", `{"name": null,`, `1:10: name is null; want a string of at most 255 bytes, all printable`},
	{"control character in the name", "{\n", `{"name": "a\u001b[1m",`, `1:10: name is "a\u001b[1m"; want a string`},
	{"long name", "{\n", `{"name": "` + strings.Repeat("a", 256) + `",`, `1:10: name is "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa...; want a string`},
	{"null for a number", `1000, "m`, `null, "m`, `4:41: sphere 0: radius is null; want a number from 1e-9 to 1e12 in magnitude`},
	{"array of lines", `[0, -1000, 0]`, "[[0,\n1]]", `4:16: sphere 0: center is "[[0,\n1]]"; want an array of three numbers`},
	{"unknown material", `"metal"`, `"mirror"`, `5:55: sphere 1: material is "mirror"; want "lambertian", "metal" or "dielectric"`},
	{"vector of two", `[0, 1.5, 5]`, `[0, 1.5]`, `2:22: camera: from is [0, 1.5]; want an array of three numbers`},
	{"no 32-bit number", `"radius": 1000`, `"radius": -1e39`, `4:41: sphere 0: radius is -1e39; want a number`},
	{"long number", `[0, 1.5, 5]`, `1` + strings.Repeat("0", 1<<16), `2:22: camera: from is 1000000000000000000000000000000000000000...; want an array`},

	{"vector of four", `1.5, 5]`, `1.5, 5, 0]`, `2:22: camera: from is [0, 1.5, 5, 0]; want an array of three numbers`},
	{"null in vector", `1.5, 5]`, `null, 5]`, `2:22: camera: from is [0, null, 5]; want an array of three numbers`},
	{"coordinate", `1.5, 5]`, `1.5, -1.1e12]`, `2:22: camera: from is [0, 1.5, -1.1e12]; want an array of three numbers from -1e12 to 1e12`},
	{"fov", `"aperture": 0.1`, `"fov": 180`, `2:61: camera: fov is 180; want a number of degrees from 1 to 179`},
	{"aperture", `0.1}`, `-0.1}`, `2:66: camera: aperture is -0.1; want a number from 0 to 1e12`},
	{"focus", `"aperture": 0.1`, `"focus": 0`, `2:63: camera: focus is 0; want a number from 1e-9 to 1e12`},
	{"radius", `"radius": 1000`, `"radius": -9e-10`, `4:41: sphere 0: radius is -9e-10; want a number from 1e-9 to 1e12 in magnitude`},
	{"albedo", `0.9, 0.8`, `0.9, 1.2`, `5:74: sphere 1: albedo is [0.9, 1.2, 0.6]; want an array of three numbers from 0 to 1`},
	{"fuzz", `"fuzz": 0.1`, `"fuzz": -0.1`, `5:99: sphere 1: fuzz is -0.1; want a number of 0 or more`},
	{"index", `"index": 1.5`, `"index": 0`, `6:77: sphere 2: index is 0; want a number from 1e-6 to 1e6`},

	{"camera in one point", `[0, 0.8, 0]`, `[0, 1.5, 5]`, `2:13: camera: from and at are 0 apart; want a distance from 1e-9 to 1e12`},
	{"up 0", `"aperture": 0.1`, `"up": [0, 0, 0]`, `2:13: camera: up is [0 0 0]; want a direction at least 1e-6 long, and not along the line of sight`},
	{"up along the sight", `"aperture": 0.1`, `"up": [0, -1.4, -10]`, `2:13: camera: up is [0 -1.4 -10]; want a direction`},
	{"up nearly along the sight", `"aperture": 0.1`, `"up": [0, -0.1401, -1]`, `2:13: camera: up is [0 -0.1401 -1]; want a direction`},
}

func (f *badFile) text(t testing.TB) string {
	if f.old == "" {
		return f.new
	}
	require.Contains(t, short, f.old)
	return strings.Replace(short, f.old, f.new, 1)
}

func TestReadBad(t *testing.T) {
	for _, f := range badFiles {
		t.Run(f.name, func(t *testing.T) {
			s, err := scene.Read([]byte(f.text(t)), "my.json")
			want := strings.ReplaceAll(regexp.QuoteMeta(f.want), `\.\.\.`, `.*`)
			assert.Regexp(t, `^scene "my\.json": `+want, err)
			assert.Nil(t, s)
		})
	}
}

func TestReadDefaults(t *testing.T) {
	s, err := scene.Read([]byte(`{
		"name": "Ü/ 1", "camera": {"from": [0, 3, 4], "at": [0, 0, 0]},
		"spheres": [{"material": "metal", "albedo": [0, 0.5, 1], "radius": -2, "center": [1, 2, 3]}]
	}`), "my.json")
	require.NoError(t, err)
	assert.Equal(t, &scene.Scene{
		Name:   "Ü/ 1",
		Camera: scene.Camera{From: [3]float32{0, 3, 4}, Up: [3]float32{0, 1, 0}, FOV: 60, Focus: 5},
		Spheres: []scene.Sphere{{Center: [3]float32{1, 2, 3}, Radius: -2,
			Material: scene.Material{Kind: scene.Metal, Albedo: [3]float32{0, 0.5, 1}}}},
	}, s)
}

// What is just within the limits, and just beyond.
func TestReadExtremes(t *testing.T) {
	for old, new := range map[string]string{
		`"from": [0, 1.5, 5], "at": [0, 0.8, 0]`: `"from": [0, 0, 1.01e-9], "at": [0, 0, 0], "focus": 1e-9, "fov": 1, "up": [1.01e-6, 0, 0]`,
		`"from": [0, 1.5, 5]`:                    `"from": [0, 0.8, 1e12], "fov": 179, "focus": 1e12`,
		`"aperture": 0.1`:                        `"up": [0, -0.1402, -1], "aperture": 1e12`,
		`"radius": 1000`:                         `"radius": -1e-9`,
		`"radius": 1,`:                           `"radius": 1e12,`,
		`"index": 1.5`:                           `"index": 0.7`,
		`"fuzz": 0.1`:                            `"fuzz": 3e38`,
		`{
  "camera"`: `{"name": "` + strings.Repeat("a", 255) + `", "camera"`,
		`[0.9, 0.8, 0.6]`: `[0, 1, 0]`,
		`"index": 1.5}`:   `"index": 1e-6}`,
		`1.5}`:            `1e6}`,
		`0.1},`:           `0.1, "up": [-1e9, 1e9, -1e9]},`,
	} {
		f := badFile{old: old, new: new}
		_, err := scene.Read([]byte(f.text(t)), "my.json")
		assert.NoError(t, err, new)
	}
	for _, beyond := range [][2]string{
		{`"aperture": 0.1`, `"aperture": 1.1e12`}, {`"aperture": 0.1`, `"focus": 1.1e12`}, {`"aperture": 0.1`, `"fov": 0.9`}, {`"aperture": 0.1`, `"up": [0, 1.1e9, 0]`},
		{`5], "at": [0, 0.8, 0]`, `1e12], "at": [0, 0, -1e12]`}, {`"radius": 1000`, `"radius": 1.1e12`}, {`[0.6, 0.5`, `[0.6, -0.1`}, {`"index": 1.5`, `"index": 1.1e6`},
	} {
		f := badFile{old: beyond[0], new: beyond[1]}
		_, err := scene.Read([]byte(f.text(t)), "my.json")
		assert.ErrorContains(t, err, "; want ", beyond[1])
	}
}

func TestReadFile(t *testing.T) {
	for file, want := range map[string]string{"my": "my", filepath.Join("folder", "my.scene.json"): "my.scene", ".json": ".json"} {
		s, err := scene.Read([]byte(short), file)
		require.NoError(t, err, file)
		assert.Equal(t, want, s.Name)
	}
	dir := t.TempDir()
	for _, name := range []string{dir, filepath.Join(dir, "none.json"), "a\x00b"} {
		_, err := scene.ReadFile(name)
		assert.ErrorContains(t, err, fmt.Sprintf("scene %q: ", name))
		assert.ErrorContains(t, err, "; want a ")
		assert.Equal(t, strings.HasSuffix(name, "none.json"), errors.Is(err, fs.ErrNotExist))
	}
}

// The document's first JSON is a scene, and every error that it shows is one of
// the table above.
func TestDocument(t *testing.T) {
	doc, err := os.ReadFile("README.md")
	require.NoError(t, err)
	text := strings.ReplaceAll(string(doc), "\r\n", "\n")
	example := regexp.MustCompile("(?s)```json\n(.*?)```").FindStringSubmatch(text)
	require.NotNil(t, example)
	assert.Equal(t, short, example[1])

	var known []string
	for _, f := range badFiles {
		_, err := scene.Read([]byte(f.text(t)), "my.json")
		known = append(known, err.Error())
	}
	shown := regexp.MustCompile(`(?m)^scene ".*`).FindAllString(text, -1)
	assert.Greater(t, len(shown), 4)
	assert.Subset(t, known, shown)
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(short))
	for _, bad := range badFiles {
		// Long ones hold the fuzzer up, which tries to shorten them.
		if text := bad.text(f); len(text) < 1<<12 {
			f.Add([]byte(text))
		}
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		s, err := scene.Read(text, "my.json")
		if err == nil {
			require.NotEmpty(t, s.Spheres)
			for _, sphere := range s.Spheres { // a hit is computed from these
				require.InDelta(t, 0, sphere.Center[0], 1e9)
				require.Greater(t, sphere.Radius*sphere.Radius, float32(0))
			}
			return
		}
		line := err.Error()
		assert.Regexp(t, `^scene "my.json": .+; want .+`, line)
		assert.Less(t, len(line), 400)
		assert.Equal(t, -1, strings.IndexFunc(line, func(r rune) bool { return !unicode.IsPrint(r) }), "%q", line)
	})
}
