package main

import (
	"bytes"
	"flag"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"raysteps/common/film"
	"raysteps/common/scene"
	"raysteps/scripts/internal/results"
	"raysteps/scripts/internal/resultstest"
	"raysteps/scripts/internal/steps"
)

var update = flag.Bool("update", false, "write the golden files")

// golden compares with a file of testdata, or writes it under -update. The
// tests are elsewhere by then, so it takes the folder that they started in.
func golden(t *testing.T, testdata, name, got string) {
	t.Helper()
	name = filepath.Join(testdata, strings.ReplaceAll(name, " ", "-")+".md")
	if *update {
		require.NoError(t, os.WriteFile(name, []byte(got), 0o666))
	}
	want, err := os.ReadFile(name)
	require.NoError(t, err, "go test -update writes it")
	assert.Equal(t, string(want), got)
}

// flat makes every picture one of width x 2 pixels in one gray, so that no
// test waits for the real ones.
func flat(t *testing.T, width int, gray float32) {
	before := pictures
	t.Cleanup(func() { pictures = before })
	pictures = map[string]func() *film.Film{}
	for _, name := range scene.Names() {
		pictures[name] = func() *film.Film {
			f := film.New(width, 2)
			for i := range 2 * width {
				f.Set(i%width, i/width, gray, gray, gray, 1)
			}
			return f
		}
	}
}

func write(t *testing.T, root string, files map[string]string) {
	for name, text := range files {
		file := filepath.Join(root, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o777))
		require.NoError(t, os.WriteFile(file, []byte(text), 0o666))
	}
}

// tree returns the files under root, by path with slashes.
func tree(t *testing.T, root string) map[string]string {
	all := map[string]string{}
	require.NoError(t, fs.WalkDir(os.DirFS(root), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		all[name] = read(t, root, name)
		return nil
	}))
	return all
}

func region(call string) string { return "<!-- raysteps:" + call + " -->\n<!-- /raysteps -->\n" }

// few are some of the steps, so that the tables stay the same when one is added.
func few() []resultstest.Benchmark {
	again := results.Again(steps.All()[0])
	return resultstest.Only(resultstest.Steps(1), again, "step01", "step02", "step03", "step04", "step12")
}

// kernels are two kernels and what one core can do at most.
func kernels() []resultstest.Benchmark {
	return []resultstest.Benchmark{
		resultstest.Peak("mul-add", 128, 55e9), resultstest.Peak("fma", 256, 117e9),
		resultstest.Kernel("step10", "sse", 8, 12e9), resultstest.Kernel("step10", "sse", 484, 40e9), resultstest.Kernel("step12", "generic", 484, 8e9),
	}
}

// peers are whole pictures of three steps, of the article's program by two compilers,
// and of Toy Path Tracer.
func peers() []resultstest.Benchmark {
	var all []resultstest.Benchmark
	for i, pkg := range []string{"raysteps/step12", "raysteps/step13", "raysteps/beyond/avx512",
		results.PeerPackage("clang", "step12"), results.PeerPackage("g++", "step12"), results.PeerPackage("g++", "step13"), results.PeerPackage("toy0", "")} {
		for j, scene := range []string{"small", "medium", "large"} {
			if i < 6 || scene == "medium" {
				all = append(all, resultstest.Benchmark{Package: pkg, Name: "Full/scene=" + scene, Values: map[string]float64{"rays/s": 1e6 * float64(10+i) / float64(j+1)}})
			}
		}
	}
	return all
}

// measured is a module with measurements of all kinds and without pages.
func measured(t *testing.T) (root string) {
	flat(t, 3, 0.5)
	all := resultstest.File{}
	return module(t, map[string]string{
		"results/published": "steps: a.txt\nexperiments: b.txt\nsweeps: c.txt\nschedules: d.txt\nspheres: e.txt\nbuilds: f.txt\nfull: g.txt\npeers: i.txt\n",
		"results/a.txt":     all.Text(few()...),
		"results/b.txt":     all.Text(append(resultstest.Experiments(), kernels()...)...),
		"results/c.txt":     all.Text(resultstest.Sweep()...),
		"results/d.txt":     all.Text(resultstest.Schedules()...),
		"results/e.txt":     all.Text(resultstest.Spheres()...),
		"results/f.txt":     all.Text(resultstest.Builds()...),
		"results/g.txt":     all.Text(resultstest.Full()...),
		"results/i.txt":     all.Text(peers()...),
	})
}

func TestMeasuredDirectives(t *testing.T) {
	dir, err := filepath.Abs("testdata")
	require.NoError(t, err)
	root := measured(t)
	for _, tt := range []struct{ name, call string }{
		{"steps", "steps"},
		{"step without its neighbors", "steps steps=3"},
		{"summary", "summary"},
		{"compare", "compare from=3 to=4"},
		{"compare backward", "compare from=step04 to=step01"},
		{"experiment", "experiment pkg=step01 bench=HitLoop units=sec/op,B/op"},
		{"experiment without ratio", "experiment pkg=step01 bench=HitLoop units=B/op,sec/op ratio=no"},
		{"experiment in another unit", "experiment pkg=step04 bench=Layout units=sec/sphere"},
		{"experiment by group", "experiment pkg=step01 bench=HitLoop units=sec/op per=ray"},
		{"share", "share pkg=step10 kernel=sse op=mul-add bits=128"},
		{"share of some", "share pkg=step10 kernel=sse op=mul-add bits=128 n=484"},
		{"share not measured", "share pkg=step12 kernel=avx2 op=fma bits=256"},
		{"sweep", "sweep scene=small tile=32"},
		{"schedule", "schedule scene=large"},
		{"spheres", "spheres"},
		{"builds", "builds scene=small"},
		{"full", "full"},
		{"peers", "peers"},
		{"one machine", "machines scene=medium"},
		{"chart", "chart kind=builds scene=small"},
		{"chart of nothing", "chart kind=roofline"},
		{"pictures", "pictures"},
		{"picture", "picture scene=medium"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if tt.name == "chart of nothing" {
				write(t, root, map[string]string{"results/b.txt": resultstest.File{}.Text(resultstest.Peak("mul-add", 32, 14e9))})
			}
			got, err := fill(t, root, tt.call)
			require.NoError(t, err)
			golden(t, dir, tt.name, got+"\n")
		})
	}
	t.Run("two machines", func(t *testing.T) {
		write(t, root, map[string]string{
			"results/published": "steps: a.txt\nsecond-machine: h.txt\n",
			"results/h.txt":     resultstest.File{Machine: resultstest.Quipu}.Text(resultstest.Only(few(), "step01", "step02", "step12")...),
		})
		got, err := fill(t, root, "machines scene=medium")
		require.NoError(t, err)
		golden(t, dir, "two machines", got+"\n")
	})
	t.Run("more experiments", func(t *testing.T) {
		const call = "experiment pkg=step04 bench=Layout units=sec/op"
		write(t, root, map[string]string{
			"results/published": "steps: a.txt\nexperiments: m.txt\n",
			"results/p.txt":     resultstest.File{}.Text(resultstest.Peak("mul-add", 32, 14e9)),
			"results/m.txt":     resultstest.File{}.Text(resultstest.Experiments()...),
		})
		want, err := fill(t, root, call)
		require.NoError(t, err)
		write(t, root, map[string]string{"results/published": "steps: a.txt\nexperiments: p.txt\nmore-experiments: m.txt\n"})
		got, err := fill(t, root, call)
		require.NoError(t, err)
		assert.Equal(t, want, got)
	})
	t.Run("another machine than the steps", func(t *testing.T) {
		write(t, root, map[string]string{
			"results/published": "steps: a.txt\nexperiments: h.txt\n",
			"results/h.txt":     resultstest.File{Machine: resultstest.Quipu}.Text(resultstest.Experiments()...),
		})
		got, err := fill(t, root, "experiment pkg=step04 bench=Layout units=sec/op")
		require.NoError(t, err)
		assert.Contains(t, got, "\n*On another machine than the steps: Quipu (R) 3, 7 cores, linux/arm64, go1.26.9, 32 launches of 16 link orders*")
	})
}

func TestInlineFigures(t *testing.T) {
	dir, err := filepath.Abs("testdata")
	require.NoError(t, err)
	root := measured(t)
	var page strings.Builder
	for _, call := range []string{
		"ratio from=1 to=4 scene=large", "ratio from=4 to=1 scene=large", "rate step=4 scene=large",
		"perray step=step04 scene=medium", "persphere step=4 scene=large", "picture scene=small",
		"value pkg=step01 bench=HitLoop/ray=value/record=pointer unit=sec/op", "crossing step=tree over=12",
		"limit from=1 to=4 scene=large", "limit from=4 to=1 scene=large",
	} {
		fmt.Fprintf(&page, "It is <!-- raysteps:%s --><!-- /raysteps -->, or so.\n", call)
	}
	write(t, root, map[string]string{"docs/a.md": page.String()})
	status, stdout, stderr := execute(t)
	require.Zero(t, status, stderr)
	assert.Equal(t, "docs/a.md\ndocs/pictures/small.png\n", stdout)
	golden(t, dir, "inline", read(t, root, "docs/a.md"))

	status, stdout, stderr = execute(t, "-check")
	assert.Zero(t, status)
	assert.Empty(t, stdout+stderr)
}

func TestMeasuredDirectiveErrors(t *testing.T) {
	root := measured(t)
	const scenes = `unknown scene "tiny"; want small, medium, large`
	number := "want " + steps.Choices()
	tests := []struct{ call, want string }{
		{"steps steps=2-99", `unknown step "99"; ` + number},
		{"steps steps=4-2", `range "4-2" runs backward; want the lower step first`},
		{"steps step=4", `unknown key "step"; want steps`},
		{"compare from=0 to=2", `from: unknown step "0"; ` + number},
		{"compare from=1 to=step99", `to: unknown step "step99"; ` + number},
		{"compare from=2 to=step02", "from and to are both step02; want two steps"},
		{"compare to=2", "from is missing; want compare from=3 to=4"},
		{"value pkg=step01 bench=HitLoop unit=sec/op", `results "results/b.txt": no benchmark "HitLoop" of package raysteps/step01`},
		{"experiment pkg=step02 bench=HitLoop units=sec/op", `results "results/b.txt": no benchmark "HitLoop/..." of package raysteps/step02`},
		{"experiment pkg=step01 bench=HitLoop units=ns/op", `results "results/b.txt": raysteps/step01 HitLoop/ray=pointer/record=pointer: no values in ns/op`},
		{"experiment pkg=step01 bench=HitLoop units=,", `units is ","; want one or more, such as sec/op`},
		{"experiment pkg=step01 bench=HitLoop units=sec/op ratio=off", `ratio is "off"; want yes or no`},
		{"experiment pkg=step01 bench=HitLoop units=sec/op per=n", `per is "n"; want one of ray, record`},
		{"ratio from=1 to=2 scene=tiny", scenes},
		{"limit from=1 to=2 scene=tiny", scenes},
		{"limit from=2 to=2 scene=large", "from and to are both step02; want two steps"},
		{"rate step=99 scene=large", `step: unknown step "99"; ` + number},
		{"perray step=4 scene=tiny", scenes},
		{"picture scene=tiny", scenes},
		{"picture", "scene is missing; want picture scene=large"},
		{"share pkg=step09 kernel=sse op=mul-add bits=128", `results "results/b.txt": no benchmark "Kernel/..." of package raysteps/step09; go run ./scripts/bench -experiments measures it`},
		{"share pkg=step10 kernel=sse op=div bits=128", `results "results/b.txt": no benchmark "Peak/op=div/bits=128" of package ` + results.PeakKey("div", 128).Package},
		{"share pkg=step10 kernel=sse op=mul-add bits=all", `bits is "all"; want a whole number of at least 1`},
		{"crossing step=tree over=bush", `over: unknown step "bush"; ` + number},
		{"crossing step=1 over=4", `results "results/e.txt": there is no number of spheres from which on step 1 is faster than step 4`},
		{"share pkg=step10 kernel=sse op=mul-add bits=128 n=8,x", `n is "8,x"; want numbers of spheres, such as 8,484`},
		{"share pkg=step10 kernel=sse op=mul-add bits=128 n=9", `results "results/b.txt": no benchmark "Kernel/kernel=sse/n=9" of package raysteps/step10`},
		{"sweep scene=tiny tile=32", scenes},
		{"sweep scene=small tile=x", `tile is "x"; want a whole number of at least 1`},
		{"sweep scene=small tile=7", `results "results/c.txt": no such point of step 13 in scene "small"`},
		{"schedule scene=tiny", scenes},
		{"builds scene=tiny", scenes},
		{"machines scene=tiny", scenes},
		{"chart kind=pie", `kind is "pie"; want builds or orders or rates or roofline or schedule or speedups or spheres or tiles or workers`},
		{"chart kind=builds scene=tiny", scenes},
		{"chart kind=builds", "a chart of builds needs a scene"},
		{"chart kind=rates scene=large", "a chart of rates takes no scene"},
		{"chart kind=orders scene=large from=4 to=4", "from and to are both step04; want two steps"},
	}
	for _, tt := range tests {
		t.Run(tt.call, func(t *testing.T) {
			_, err := fill(t, root, tt.call)
			name, _, _ := strings.Cut(tt.call, " ")
			assert.EqualError(t, err, "docs/a.md:1: "+name+": "+tt.want)
		})
	}
	t.Run("a table in a sentence", func(t *testing.T) {
		write(t, root, map[string]string{"docs/a.md": "One\n\nIt is <!-- raysteps:compare from=1 to=2 --><!-- /raysteps -->.\n"})
		status, _, stderr := execute(t)
		assert.Equal(t, 1, status)
		assert.Equal(t, "readme: docs/a.md:3: compare: its content has several lines; want both markers alone on their lines, not indented\n", stderr)
	})
	t.Run("said once", func(t *testing.T) {
		write(t, root, map[string]string{"docs/a.md": region("steps") + region("compare from=1 to=2"), "results/a.txt": "# A heading\n"})
		before := tree(t, root)
		status, stdout, stderr := execute(t)
		assert.Equal(t, 1, status)
		assert.Empty(t, stdout)
		assert.Equal(t, `readme: docs/a.md:1: steps: results "results/a.txt": no measurements; want a file in the Go benchmark format, as scripts/bench writes it`+"\n", stderr)
		assert.Equal(t, before, tree(t, root))
	})
}

// A region keeps what it holds while nothing of its kind is published.
func TestKept(t *testing.T) {
	none := func(kind string) string {
		return "results/published names no file of " + kind + "; go run ./scripts/publish FILE publishes one"
	}
	for _, tt := range []struct{ name, call, content, list, kept string }{
		{"steps", "steps", "1.2 times", "", none("steps")},
		{"experiments", "experiment pkg=step01 bench=HitLoop units=sec/op", "5 ns", "steps: a.txt\n", none("experiments")},
		{"a chart", "chart kind=spheres", "", "", none("spheres")},
	} {
		t.Run(tt.name, func(t *testing.T) {
			root := measured(t)
			page := region(tt.call)
			if tt.content != "" {
				page = "<!-- raysteps:" + tt.call + " -->\n\n" + tt.content + "\n\n<!-- /raysteps -->\n"
			}
			page += "\n" + page
			write(t, root, map[string]string{"results/published": tt.list, "docs/a.md": page})
			for _, args := range [][]string{{}, {"-check"}} {
				status, stdout, stderr := execute(t, args...)
				assert.Zero(t, status, stderr)
				assert.Equal(t, "2 regions not checked: "+tt.kept+"\n", stdout)
				assert.Equal(t, page, read(t, root, "docs/a.md"))
			}
		})
	}
}

// Figures of a benchmark that does not run on another machine do not stay, and the
// kernel of arm64 stands for the one that the page is about.
func TestOtherProcessor(t *testing.T) {
	root := measured(t)
	neon := strings.ReplaceAll(resultstest.File{}.Text(append(resultstest.Experiments(), kernels()...)...), "kernel=sse/", "kernel=neon/")
	write(t, root, map[string]string{
		"results/b.txt":    neon,
		"step03/a_test.go": "package step03\n\nfunc BenchmarkNew(b *testing.B) {}\n",
		"docs/a.md":        "<!-- raysteps:experiment pkg=step03 bench=New units=sec/op -->\n\n5 ns\n\n<!-- /raysteps -->\n",
	})
	status, _, stderr := execute(t)
	require.Zero(t, status, stderr)
	assert.Contains(t, read(t, root, "docs/a.md"), "-->\n\n(not measured)\n\n<!--")
	got, err := fill(t, root, "share pkg=step10 kernel=sse op=mul-add bits=128")
	require.NoError(t, err)
	want, err := fill(t, root, "share pkg=step10 kernel=neon op=mul-add bits=128")
	require.NoError(t, err)
	assert.Equal(t, want, got)
	assert.Contains(t, got, "time a ray, NEON")
}

// Measurements of all steps that a reader has made since make the pages the
// reader's own.
func TestLocalMeasurements(t *testing.T) {
	root := measured(t)
	const file = "results/local/2026-01-31T120000.txt"
	write(t, root, map[string]string{"README.md": region("steps steps=1")})
	status, _, stderr := execute(t)
	require.Zero(t, status, stderr)
	write(t, root, map[string]string{file: resultstest.File{Machine: resultstest.Quipu}.Text(resultstest.Steps(2)...)})
	before := tree(t, root)
	assert.Contains(t, before["README.md"], "\n*Abacus 9 (family 25")
	later := time.Now().Add(time.Hour)
	require.NoError(t, os.Chtimes(filepath.Join(root, filepath.FromSlash(file)), later, later))
	status, stdout, stderr := execute(t, "-check")
	assert.Zero(t, status)
	assert.Empty(t, stdout+stderr, "a check does not look at them")
	assert.Equal(t, before, tree(t, root))

	status, stdout, stderr = execute(t)
	require.Zero(t, status, stderr)
	assert.Equal(t, "Publishing "+file+", which is newer than what the pages show\nresults/quipu-r-3-linux.txt\nresults/published\nREADME.md\n", stdout)
	assert.Contains(t, read(t, root, "README.md"), "\n*Quipu (R) 3, 7 cores, linux/arm64, go1.26.9, 32 launches of 16 link orders*")

	write(t, root, map[string]string{"results/local/few.txt": resultstest.File{Orders: 4}.Text(resultstest.Steps(1)...)})
	later = later.Add(time.Hour)
	require.NoError(t, os.Chtimes(filepath.Join(root, "results", "local", "few.txt"), later, later))
	require.NoError(t, os.Chtimes(filepath.Join(root, "results", "published"), later.Add(-time.Minute), later.Add(-time.Minute)))
	status, stdout, stderr = execute(t)
	assert.Zero(t, status, stderr)
	assert.Equal(t, `Passing over results "results/local/few.txt": too few link orders, 4 in 4 launches; want 16 or more`+"\n", stdout)
}

func TestPictures(t *testing.T) {
	flat(t, 3, 0.5)
	root := module(t, map[string]string{
		"README.md": region("pictures"),
		"docs/a.md": region("picture scene=large"),
	})
	names := "docs/pictures/large.png, docs/pictures/medium.png, docs/pictures/small.png"
	status, stdout, stderr := execute(t, "-check")
	assert.Equal(t, 1, status)
	assert.Contains(t, stdout, "docs/pictures/medium.png differs\n")
	assert.Equal(t, "readme: stale: README.md, docs/a.md, "+names+"; want what go run ./scripts/readme writes\n", stderr)
	assert.NoDirExists(t, filepath.Join(root, "docs", "pictures"))

	status, stdout, stderr = execute(t)
	require.Zero(t, status, stderr)
	assert.Equal(t, "README.md\ndocs/a.md\n"+strings.ReplaceAll(names, ", ", "\n")+"\n", stdout)
	assert.Contains(t, read(t, root, "README.md"), "![The large scene](docs/pictures/large.png)")
	assert.Contains(t, read(t, root, "docs/a.md"), "![The large scene](../docs/pictures/large.png)")
	good := read(t, root, "docs/pictures/large.png")

	gray := func(width int, level color.Gray, at image.Point, other color.Gray) *image.Paletted {
		img := image.NewPaletted(image.Rect(0, 0, width, 2), color.Palette{level, other})
		img.Set(at.X, at.Y, other)
		return img
	}
	pixel, err := png.Decode(strings.NewReader(good))
	require.NoError(t, err)
	require.Equal(t, image.Rect(0, 0, 3, 2), pixel.Bounds())
	level := color.GrayModel.Convert(pixel.At(1, 1)).(color.Gray)
	encode := func(img image.Image) string {
		var b bytes.Buffer
		require.NoError(t, (&png.Encoder{CompressionLevel: png.NoCompression}).Encode(&b, img))
		return b.String()
	}
	packed := encode(gray(3, level, image.Pt(1, 1), level))
	require.NotEqual(t, good, packed)

	for _, tt := range []struct {
		name, text string
		same       bool
	}{
		{"in other bytes", packed, true},
		{"another pixel", encode(gray(3, level, image.Pt(2, 1), color.Gray{level.Y + 1})), false},
		{"another size", encode(gray(4, level, image.Pt(0, 0), level)), false},
		{"no picture", "GIF89a", false},
		{"empty", "", false},
		{"cut short", good[:len(good)-20], false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			write(t, root, map[string]string{"docs/pictures/large.png": tt.text})
			status, stdout, stderr := execute(t, "-check")
			if tt.same {
				assert.Zero(t, status, stderr)
				status, stdout, _ = execute(t)
				assert.Zero(t, status)
				assert.Empty(t, stdout)
				assert.Equal(t, tt.text, read(t, root, "docs/pictures/large.png"), "what shows the same stays")
				return
			}
			assert.Equal(t, 1, status)
			assert.NotEmpty(t, stdout)
			assert.Equal(t, "readme: stale: docs/pictures/large.png; want what go run ./scripts/readme writes\n", stderr)
			assert.Equal(t, tt.text, read(t, root, "docs/pictures/large.png"))
			status, stdout, stderr = execute(t)
			assert.Zero(t, status, stderr)
			assert.Equal(t, "docs/pictures/large.png\n", stdout)
			assert.Equal(t, good, read(t, root, "docs/pictures/large.png"))
		})
	}

	// The same when it is the program that draws something else.
	flat(t, 5, 0.5)
	status, _, stderr = execute(t, "-check")
	assert.Equal(t, 1, status)
	assert.Equal(t, "readme: stale: "+names+"; want what go run ./scripts/readme writes\n", stderr)
	status, _, stderr = execute(t)
	assert.Zero(t, status, stderr)
	status, _, stderr = execute(t, "-check")
	assert.Zero(t, status, stderr)
	assert.NotEqual(t, good, read(t, root, "docs/pictures/large.png"))
}
