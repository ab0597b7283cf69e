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
	fmt.Println(s.Name, len(s.Spheres), s.Spheres[1].Material.Kind)
	// Output: example 11 dielectric
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
	{"empty", "", "", `1:1: unexpected end of the file; want one value in plain JSON`},
	{"UTF-8 mark", "", "\xEF\xBB\xBF" + short, `1:1: unexpected '\ufeff'; want one value`},
	{"deep array", "", strings.Repeat("[", 1<<20), `1:1: the file is [[[...; want an object with camera and spheres`},
	{"two scenes", "", short + short, `9:1: unexpected '{' after the scene; want one value`},
	{"truncated", "1.5}\n  ]\n}\n", "", `6:77: sphere 2: index: unexpected end of the file`},

	{"comma too many in object", "1.5}", "1.5, }", `6:82: sphere 2: unexpected '}'; want one value in plain JSON: no comments, no trailing commas`},
	{"no comma", `0.1},`, `0.1}`, `3:3: unexpected '"'; want one value`},
	{"comment", "0.1},", "0.1}, // lens", `2:72: unexpected '/'...no comments`},
	{"NaN", `"radius": 1000`, `"radius": NaN`, `4:41: sphere 0: radius is NaN, which is no number of JSON; want a 32-bit number`},
	{"bad escape", `"metal"`, `"me\tal\q"`, `5:55: sphere 1: material: a string with an escape or a character that JSON does not have`},
	{"not UTF-8", `"metal"`, "\"m\xE9tal\"", `5:57: invalid UTF-8; want a file in UTF-8`},
	{"column after letters of two bytes", "{\n", `{"name": "Übergrößenträger" 1`, `1:29: `},

	{"unknown field", "{\n", "{\n\"lights\": 1,\n", `2:1: unknown field "lights"; want name, camera or spheres`},
	{"unknown field of a sphere", `"radius": 1000`, `"size": 1000`, `4:31: sphere 0: unknown field "size"; want center, radius, material, albedo, fuzz or index`},
	{"control characters in a field", `"radius": 1000`, `"\r\n\u001b[31m": 1`, `4:31: sphere 0: unknown field "\r\n\x1b[31m"`},
	{"long field", "{\n", `{"` + strings.Repeat("ä", 1<<16) + `": 1`, `1:2: unknown field "ääääääääääääääääääää..."`},
	{"first field twice", "{\n", `{"name": "a", "name": "b",`, `1:15: duplicate field "name"; want it once`},
	{"field twice, once in disguise", `"radius": 1000`, `"radius": 1, "rad\u0069us": 2`, `4:44: sphere 0: duplicate field "radius"; want it once`},

	{"no camera", "", `{"spheres": []}`, `camera: from is missing; want an array of three numbers`},
	{"no spheres", "", `{"camera": {"from": [0, 1, 5], "at": [0, 0, 0]}}`, `spheres is missing; want an array of objects`},
	{"no center", `"center": [-1.1, 1, 0], `, ``, `sphere 1: center is missing; want an array of three numbers`},
	{"no material", `"material": "metal", `, ``, `sphere 1: material is missing; want "lambertian", "metal" or "dielectric"`},
	{"no index", `, "index": 1.5`, ``, `sphere 2: index is missing; want a 32-bit number`},
	{"fuzz of lambertian", `0.4]`, `0.4], "fuzz": 1`, `sphere 0: fuzz is 1; want 0 for lambertian`},

	{"null vector", `[0, 1.5, 5]`, `null`, `2:22: camera: from is null; want an array of three numbers`},
	{"null in vector", `1.5, 5]`, `null, 5]`, `2:26: camera: from[1] is null; want a 32-bit number`},
	{"null where there is a default", "{\n", `{"name": null,`, `1:10: name is null; want a string`},
	{"array in vector", `[0, -1000, 0]`, `[[0, -1000, 0]]`, `4:17: sphere 0: center[0] is [0, -1000, 0]; want a 32-bit number`},
	{"array of lines", `[0, -1000, 0]`, "[[0,\n1]]", `4:17: sphere 0: center[0] is "[0,\n1]"; want a 32-bit number`},
	{"unknown material", `"metal"`, `"mirror"`, `5:55: sphere 1: material is "mirror"; want "lambertian", "metal" or "dielectric"`},
	{"vector of two", `[0, 1.5, 5]`, `[0, 1.5]`, `2:29: camera: from has too few elements; want an array of three numbers`},
	{"no 32-bit number", `"radius": 1000`, `"radius": -1e39`, `4:41: sphere 0: radius is -1e39; want a 32-bit number`},
	{"long number", `[0, 1.5, 5]`, `[0, 1.5, 1` + strings.Repeat("0", 1<<16) + `]`, `2:31: camera: from[2] is 1000000000000000000000000000000000000000...; want a 32-bit number`},

	// What Validate finds has no line; more of it is in validate_test.go.
	{"camera in one point", `[0, 0.8, 0]`, `[0, 1.5, 5]`, `camera: from and at are both (0, 1.5, 5); want two different points`},
	{"albedo", `0.9, 0.8`, `0.9, 1.2`, `sphere 1: albedo[1] is 1.2; want a number from 0 to 1`},
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
		"camera": {"from": [0, 3, 4], "at": [0, 0, 0]},
		"spheres": [{"material": "metal", "albedo": [0, 0.5, 1], "radius": -2, "center": [1, 2, 3]}]
	}`), filepath.Join("folder", "my.scene.json"))
	require.NoError(t, err)
	assert.Equal(t, &scene.Scene{
		Name:   "my.scene",
		Camera: scene.Camera{From: [3]float32{0, 3, 4}, Up: [3]float32{0, 1, 0}, FOV: 60, Focus: 5},
		Spheres: []scene.Sphere{{Center: [3]float32{1, 2, 3}, Radius: -2,
			Material: scene.Material{Kind: scene.Metal, Albedo: [3]float32{0, 0.5, 1}}}},
	}, s)
}

func TestReadName(t *testing.T) {
	for file, want := range map[string]string{"my.json": "my", "my": "my", ".json": ".json"} {
		s, err := scene.Read([]byte(short), file)
		require.NoError(t, err, file)
		assert.Equal(t, want, s.Name)
	}
	s, err := scene.Read([]byte(strings.Replace(short, "{", `{"name": "Ü/ 1",`, 1)), "my.json")
	require.NoError(t, err)
	assert.Equal(t, "Ü/ 1", s.Name)
}

func TestReadFileBad(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{dir, filepath.Join(dir, "none.json"), "a\x00b"} {
		_, err := scene.ReadFile(name)
		assert.ErrorContains(t, err, fmt.Sprintf("scene %q: ", name))
		assert.ErrorContains(t, err, "; want a JSON file that can be read")
		assert.Equal(t, strings.HasSuffix(name, "none.json"), errors.Is(err, fs.ErrNotExist))
	}
	large := filepath.Join(dir, "large.json")
	require.NoError(t, os.WriteFile(large, nil, 0o600))
	require.NoError(t, os.Truncate(large, 64<<20+1))
	_, err := scene.ReadFile(large)
	assert.EqualError(t, err, fmt.Sprintf("scene %q: larger than the size limit; want at most 64 MiB", large))
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
			require.NoError(t, s.Validate())
			return
		}
		line := err.Error()
		assert.Regexp(t, `^scene "my.json": .+; want .+`, line)
		assert.Less(t, len(line), 400)
		assert.Equal(t, -1, strings.IndexFunc(line, func(r rune) bool { return !unicode.IsPrint(r) }), "%q", line)
	})
}
