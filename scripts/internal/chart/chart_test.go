package chart

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/aymanbagabas/go-udiff"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/plot"

	"raysteps/scripts/internal/results"
)

// chartBenchmark is a line of a results file but for the noise.
type chartBenchmark struct {
	pkg, name string
	metrics   map[string]float64 // by unit
}

func peak(op string, bits int, speed float64) chartBenchmark {
	unit := "flop/s"
	if op == "load" {
		unit = "B/s"
	}
	return chartBenchmark{"common/peak", fmt.Sprintf("Peak/op=%s/bits=%d", op, bits), map[string]float64{unit: speed}}
}

// speed is a benchmark of a kernel with 16 operations a sphere.
func speed(step int, name string, n int, speed float64) chartBenchmark {
	return speedOf(fmt.Sprintf("step%02d", step), name, n, speed)
}

func speedOf(pkg, name string, n int, speed float64) chartBenchmark {
	seconds := 16 / speed
	return chartBenchmark{pkg, fmt.Sprintf("Kernel/kernel=%s/n=%d", name, n), map[string]float64{
		"ns/op": seconds * 1e9 * float64(n), "ns/sphere": seconds * 1e9, "flop/s": speed,
	}}
}

// What is measured with a processor that has AVX2, with one that has not, and
// without assembly.
var (
	plainPeaks   = []chartBenchmark{peak("add", 32, 7.3e9), peak("mul-add", 32, 14e9)}
	ssePeaks     = append(plainPeaks, peak("add", 128, 29e9), peak("mul-add", 128, 55e9), peak("load", 128, 116e9))
	avxPeaks     = append(ssePeaks, peak("fma", 256, 117e9), peak("load", 256, 232e9))
	plainKernels = []chartBenchmark{speed(10, "generic", 484, 8e9), speed(11, "generic", 484, 8e9), speed(12, "generic", 484, 4e9)}
	sseKernels   = append(plainKernels,
		speed(10, "sse", 8, 12e9), speed(10, "sse", 484, 40e9), speed(10, "sse", 4096, 42e9), speed(11, "sse", 484, 41e9))
	avxKernels = append(sseKernels, speed(12, "avx2", 8, 20e9), speed(12, "avx2", 484, 80e9))
	// As wide as 512 bits, and no faster.
	widePeaks   = append(avxPeaks, peak("mul-add", 512, 113e9), peak("fma", 512, 116e9), peak("load", 512, 231e9))
	wideKernels = append(avxKernels, speedOf("beyond/avx512", "avx512", 484, 84e9),
		speedOf("beyond/archsimd", "archsimd256", 484, 50e9), speedOf("beyond/archsimd", "archsimd512", 484, 66e9))
)

// chartData is the text of a results file.
func chartData(rounds int, lists ...[]chartBenchmark) string {
	var b strings.Builder
	b.WriteString(abacus)
	for round := range rounds {
		n := 0
		for _, list := range lists {
			for _, bench := range list {
				fmt.Fprintf(&b, "\npkg: raysteps/%s\n\nBenchmark%s-2 100", bench.pkg, bench.name)
				for _, unit := range []string{"ns/op", "ns/sphere", "flop/s", "B/s"} {
					if value, ok := bench.metrics[unit]; ok {
						noise := jitter(n, round)
						if strings.HasPrefix(unit, "ns") {
							noise = 1 / noise
						}
						fmt.Fprintf(&b, " %.5g %s", value*noise, unit)
					}
				}
				b.WriteString("\n")
				n++
			}
		}
	}
	return b.String()
}

// fillMeasured fills a directive from measurements, and returns the site for
// its assets.
func fillMeasured(t *testing.T, call, text string) (string, *site, error) {
	t.Helper()
	set, err := results.Read(strings.NewReader(text), "m.txt")
	require.NoError(t, err)
	root := module(t, map[string]string{
		"results/published": string(set.Kind()) + ": m.txt\n",
		"results/m.txt":     text,
	})
	marker := "<!-- raysteps:" + call + " -->"
	require.NoError(t, os.MkdirAll(filepath.Join(root, "docs"), 0o777))
	require.NoError(t, os.WriteFile(filepath.Join(root, "docs", "a.md"), []byte(marker+"\n<!-- /raysteps -->\n"), 0o666))
	s := newSite(root, false)
	r, errs := s.fillPage("docs/a.md")
	page := strings.TrimSuffix(strings.TrimPrefix(string(r.want), marker+"\n\n"), "\n\n<!-- /raysteps -->\n")
	return page, s, errors.Join(errs...)
}

// texts returns what is written in an SVG, which must be well-formed.
func texts(t *testing.T, svg []byte) []string {
	t.Helper()
	var all []string
	inside := false
	for d := xml.NewDecoder(bytes.NewReader(svg)); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return all
		}
		require.NoError(t, err)
		switch token := token.(type) {
		case xml.StartElement:
			inside = token.Name.Local == "text"
		case xml.EndElement:
			inside = false
		case xml.CharData:
			if inside {
				all = append(all, string(token))
			}
		}
	}
}

const roofSVG = "docs/charts/roofline.svg"

func TestRoofline(t *testing.T) {
	dir := testdata(t)
	tests := []struct {
		name, text      string
		shown, notShown []string // in the chart
	}{
		{"avx2", chartData(6, avxPeaks, avxKernels), []string{
			"step 10, SSE: 39.8 GFLOP/s, 73% of the 128-bit peak", "step 12, AVX2: 79.2 GFLOP/s, 68% of the 256-bit peak",
			"fused multiply-add, 256 bits: 116 GFLOP/s", "loads, 128 bits: 115 GB/s", "speed (GFLOP/s)", "1/4",
		}, []string{"plain"}},
		{"avx512", chartData(6, widePeaks, wideKernels), []string{
			"avx512: 83.6 GFLOP/s, 74% of the 512-bit peak", "archsimd, 256 bits: 49.5 GFLOP/s, 43% of the 256-bit peak", "archsimd256", "archsimd512",
			"fused multiply-add, 512 bits: 115 GFLOP/s", "loads, 512 bits: 230 GB/s",
		}, nil},
		{"sse", chartData(6, ssePeaks, sseKernels), []string{"multiply and add, 128 bits: 54.5 GFLOP/s"}, []string{"AVX2", "256"}},
		{"without kernels", chartData(6, avxPeaks), nil, []string{"step"}},
		{"two rounds", chartData(2, avxPeaks, avxKernels), nil, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			page, s, err := fillMeasured(t, "chart kind=roofline", tt.text)
			require.NoError(t, err)
			name := strings.ReplaceAll("roofline "+tt.name, " ", "-")
			golden(t, dir, name, page+"\n")
			svg := s.assets[roofSVG].want
			if strings.HasPrefix(tt.name, "avx") {
				file := filepath.Join(dir, name+".svg")
				if *update {
					require.NoError(t, os.WriteFile(file, svg, 0o666))
				}
				want, err := os.ReadFile(file)
				require.NoError(t, err, "go test -update writes it")
				assert.Empty(t, udiff.Unified(file, "as drawn", string(want), string(svg)))
			}
			all := strings.Join(texts(t, svg), "\n")
			for _, text := range tt.shown {
				assert.Contains(t, all, text)
			}
			for _, text := range tt.notShown {
				assert.NotContains(t, all, text)
			}
			assert.Equal(t, strings.Count(string(svg), "<text"), strings.Count(string(svg), "font-family:Helvetica,Arial,sans-serif;"))
			assert.NotContains(t, string(svg), "Liberation")
		})
	}
}

// fewSteps is a file of some of the steps, so that the charts stay the same
// when one is added.
func fewSteps(rounds int) string {
	few := regexp.MustCompile(`step(0[1-4]|1[0-2])`)
	return measurement{rounds: rounds, skip: func(pkg, _ string, _ int) bool { return !few.MatchString(pkg) }}.steps()
}

func TestCharts(t *testing.T) {
	dir := testdata(t)
	tests := []struct {
		name, call, text string
		file             string   // in docs/charts
		shown            []string // in the chart
	}{
		{"rates", "chart kind=rates", fewSteps(6), "rates",
			[]string{"small scene", "medium scene", "large scene", "million rays per second", "step", "4", "12", "50"}},
		{"rates of two rounds", "chart kind=rates", fewSteps(2), "rates", nil},
		{"speedups", "chart kind=speedups", fewSteps(6), "speedups", []string{"times the speed of step 1", "large scene"}},
		{"workers", "chart kind=workers", measurement{}.sweeps(), "workers", []string{"workers times one", "8", "times the speed of one worker"}},
		{"workers with small tiles", "chart kind=workers step=13 tile=8", measurement{}.sweeps(), "workers-step-13-tile-8", nil},
		{"tiles", "chart kind=tiles", measurement{}.sweeps(), "tiles", []string{"128", "side of a tile (pixels)", "speed (% of that with tiles of 32x32)"}},
		{"tiles of one worker", "chart kind=tiles workers=1", measurement{}.sweeps(), "tiles-workers-1", nil},
		{"schedule", "chart kind=schedule", measurement{}.schedules(), "schedule", []string{"tiles of 8x8", "rows", "equal parts", "256", "efficiency (%)", "100"}},
		{"schedule small", "chart kind=schedule scene=small step=13", measurement{}.schedules(), "schedule-scene-small-step-13", nil},
		{"builds", "chart kind=builds", measurement{}.builds(), "builds", []string{"v1", "v3", "v1+pgo", "v3+pgo+nobounds", "times the speed of v1"}},
		{"builds small", "chart kind=builds scene=small", measurement{}.builds(), "builds-scene-small", nil},
		{"spheres", "chart kind=spheres", measurement{}.spheres(), "spheres", []string{"step 1", "step 12", "100k", "10M", "rays per second", "spheres"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			page, s, err := fillMeasured(t, tt.call, tt.text)
			require.NoError(t, err)
			name := strings.ReplaceAll("chart "+tt.name, " ", "-")
			golden(t, dir, name, page+"\n")
			svg := s.assets["docs/charts/"+tt.file+".svg"].want
			require.NotEmpty(t, svg)
			if tt.shown == nil {
				return
			}
			file := filepath.Join(dir, name+".svg")
			if *update {
				require.NoError(t, os.WriteFile(file, svg, 0o666))
			}
			want, err := os.ReadFile(file)
			require.NoError(t, err, "go test -update writes it")
			assert.Empty(t, udiff.Unified(file, "as drawn", string(want), string(svg)))
			all := texts(t, svg)
			for _, text := range tt.shown {
				assert.Contains(t, all, text)
			}
			assert.NotContains(t, string(svg), "Liberation")
		})
	}
}

func TestRooflineOfNothing(t *testing.T) {
	dir := testdata(t)
	page, s, err := fillMeasured(t, "chart kind=roofline", chartData(6, plainPeaks, plainKernels))
	require.NoError(t, err)
	golden(t, dir, "roofline plain", page+"\n")
	assert.Empty(t, s.assets)
}

func TestShare(t *testing.T) {
	dir := testdata(t)
	all := chartData(6, avxPeaks, avxKernels)
	tests := []struct{ name, call, text string }{
		{"share", "share pkg=step10 kernel=sse op=mul-add bits=128", all},
		{"share of some", "share pkg=step10 kernel=sse op=mul-add bits=128 n=484,8", all},
		{"share of one round", "share pkg=step12 kernel=avx2 op=fma bits=256", chartData(1, avxPeaks, avxKernels)},
		{"share of 512 bits", "share pkg=beyond/avx512 kernel=avx512 op=fma bits=512", chartData(6, widePeaks, wideKernels)},
		{"share not measured", "share pkg=step12 kernel=avx2 op=fma bits=256", chartData(6, ssePeaks, sseKernels)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			page, _, err := fillMeasured(t, tt.call, tt.text)
			require.NoError(t, err)
			golden(t, dir, tt.name, page+"\n")
		})
	}
}

func TestChartErrors(t *testing.T) {
	all := chartData(6, avxPeaks, avxKernels)
	tests := []struct{ name, call, text, want string }{
		{"kind", "chart kind=pie", all, `chart: kind is "pie"; want builds or rates or roofline or schedule or speedups or spheres or tiles or timeline or workers`},
		{"roofline without a peak", "chart kind=roofline", chartData(6, avxKernels), `results "results/m.txt": no peak; go run ./scripts/bench -experiments measures it, and the kernels`},
		{"roofline of 0", "chart kind=roofline", chartData(6, avxPeaks, []chartBenchmark{speed(10, "sse", 484, 1e9), {"step11", "Kernel/kernel=sse/n=484", map[string]float64{"flop/s": 0, "ns/sphere": 1}}}), `raysteps/step11 Kernel/kernel=sse/n=484: 0 flop/s; want a number above 0`},
		{"roofline without spheres", "chart kind=roofline", chartData(6, avxPeaks, []chartBenchmark{{"step11", "Kernel/kernel=sse/n=484", map[string]float64{"flop/s": 1}}}), `no values in sec/sphere`},
		{"roofline of an unknown peak", "chart kind=roofline", chartData(6, ssePeaks, avxKernels), `no benchmark "Peak/op=fma/bits=256" of package raysteps/common/peak`},
		{"share without a peak", "share pkg=step10 kernel=sse op=mul-add bits=128", chartData(6, avxKernels), "no peak; go run ./scripts/bench -experiments measures it"},
		{"share of no kernel", "share pkg=step09 kernel=sse op=mul-add bits=128", all, `no benchmark "Kernel/..." of package raysteps/step09; go run ./scripts/bench -experiments measures it`},
		{"share of an unknown kernel", "share pkg=step10 kernel=mmx op=mul-add bits=128", all, `kernel is "mmx"; want sse or avx2 or avx512 or archsimd256 or archsimd512 or generic`},
		{"share of an unknown peak", "share pkg=step10 kernel=sse op=div bits=128", all, `no benchmark "Peak/op=div/bits=128" of package raysteps/common/peak`},
		{"share of bits", "share pkg=step10 kernel=sse op=mul-add bits=all", all, `bits is "all"; want a whole number of at least 1`},
		{"share of n", "share pkg=step10 kernel=sse op=mul-add bits=128 n=8,x", all, `n is "8,x"; want numbers of spheres, such as 8,484`},
		{"share of another n", "share pkg=step10 kernel=sse op=mul-add bits=128 n=9", all, `no benchmark "Kernel/kernel=sse/n=9" of package raysteps/step10`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, _, err := fillMeasured(t, tt.call, tt.text)
			assert.ErrorContains(t, err, tt.want)
		})
	}
}

func TestTicks(t *testing.T) {
	labels := func(ticks []plot.Tick) string {
		var all []string
		for _, tick := range ticks {
			all = append(all, tick.Label)
		}
		return strings.Join(all, " ")
	}
	assert.Equal(t, "5 10 20 50 100", labels(ticks125(7, 51)))
	assert.Equal(t, "5 10 20 50 100", labels(ticks125(5, 100)))
	assert.Equal(t, "0.05 0.1 0.2", labels(ticks125(0.06, 0.11)))
	assert.Equal(t, "2 5", labels(ticks125(3, 3)))
	assert.Equal(t, "1/8 1/4 1/2 1 2", labels(ticksOfTwo(0.2, 1.5)))
	assert.Equal(t, "1/2 1 2 4", labels(ticksOfTwo(0.5, 4)))
	assert.Equal(t, "4 8", labels(ticksOfTwo(5, 5)))
}
