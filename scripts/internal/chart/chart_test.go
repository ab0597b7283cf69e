package chart

import (
	"bytes"
	"encoding/xml"
	"errors"
	"flag"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aymanbagabas/go-udiff"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/plot"

	"raysteps/scripts/internal/results"
	"raysteps/scripts/internal/resultstest"
	"raysteps/scripts/internal/steps"
)

var update = flag.Bool("update", false, "write the golden files")

// golden compares a text with a file of testdata, or writes it under -update.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	name = filepath.Join("testdata", strings.ReplaceAll(name, " ", "-"))
	if *update {
		require.NoError(t, os.WriteFile(name, got, 0o666))
	}
	want, err := os.ReadFile(name)
	require.NoError(t, err, "go test -update writes it")
	assert.Empty(t, udiff.Unified(name, "as drawn", string(want), string(got)))
}

// drawn holds a chart against its golden files, and returns its texts.
func drawn(t *testing.T, name string, c Chart) []string {
	t.Helper()
	golden(t, name+".md", []byte(c.Alt+"\n\n"+c.Note+"\n"))
	svg, err := c.SVG()
	require.NoError(t, err)
	golden(t, name+".svg", svg)
	assert.NotContains(t, string(svg), "Liberation", "readers have other typefaces")
	return texts(t, svg)
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

func set(t *testing.T, f resultstest.File, benchmarks ...resultstest.Benchmark) *results.Set {
	t.Helper()
	set, err := results.Read(strings.NewReader(f.Text(benchmarks...)), "m.txt")
	require.NoError(t, err)
	return set
}

func step(t *testing.T, name string) steps.Step {
	found, err := steps.Find(name)
	require.NoError(t, err)
	return found
}

// What is measured with a processor that has AVX2, with one that has not, and
// without assembly.
var (
	plainPeaks   = []resultstest.Benchmark{resultstest.Peak("add", 32, 7.3e9), resultstest.Peak("mul-add", 32, 14e9)}
	ssePeaks     = append(plainPeaks, resultstest.Peak("mul-add", 128, 55e9), resultstest.Peak("load", 128, 116e9))
	avxPeaks     = append(ssePeaks, resultstest.Peak("fma", 256, 117e9), resultstest.Peak("load", 256, 232e9))
	plainKernels = []resultstest.Benchmark{resultstest.Kernel("step10", "generic", 484, 8e9)}
	sseKernels   = append(plainKernels, resultstest.Kernel("step10", "sse", 484, 40e9), resultstest.Kernel("step11", "sse", 484, 41e9))
	avxKernels   = append(sseKernels, resultstest.Kernel("step12", "avx2", 484, 80e9))
	neonPeaks    = append(ssePeaks, resultstest.Peak("fma", 128, 108e9))
	neonKernels  = append(plainKernels, resultstest.Kernel("step10", "neon", 484, 39e9), resultstest.Kernel("step11", "neon", 484, 41e9), resultstest.Kernel("step12", "neon", 484, 72e9))
	// As wide as 512 bits, and no faster.
	widePeaks   = append(avxPeaks, resultstest.Peak("fma", 512, 116e9), resultstest.Peak("load", 512, 231e9))
	wideKernels = append(avxKernels, resultstest.Kernel("beyond/avx512", "avx512", 484, 84e9),
		resultstest.Kernel("beyond/archsimd", "archsimd256", 484, 50e9), resultstest.Kernel("beyond/archsimd", "archsimd512", 484, 66e9))
)

func TestCharts(t *testing.T) {
	all := resultstest.File{}
	// A few steps, so that the charts stay the same when one is added.
	few := resultstest.Only(resultstest.Steps(1), "step01", "step02", "step03", "step04", "step10", "step12")
	peaksAndKernels := func(peaks, kernels []resultstest.Benchmark) *results.Set {
		return set(t, all, append(peaks[:len(peaks):len(peaks)], kernels...)...)
	}
	tests := []struct {
		name string
		draw func() (Chart, error)
		text []string // in the chart
	}{
		{"rates", func() (Chart, error) { return Rates(set(t, all, few...)) },
			[]string{"small scene", "medium scene", "large scene", "million rays per second", "step", "4", "12", "50"}},
		{"speedups of one link order", func() (Chart, error) { return Speedups(set(t, resultstest.File{Orders: 1}, few...)) }, nil},
		{"speedups", func() (Chart, error) { return Speedups(set(t, all, few...)) }, []string{"times the speed of step 1", "large scene"}},
		{"workers", func() (Chart, error) { return Workers(set(t, all, resultstest.Sweep()...)) },
			[]string{"workers times one", "8", "times the speed of one worker"}},
		{"tiles", func() (Chart, error) { return Tiles(set(t, all, resultstest.Sweep()...)) },
			[]string{"128", "side of a tile (pixels)", "speed (% of that with tiles of 32x32)"}},
		{"schedule", func() (Chart, error) { return Schedule(set(t, all, resultstest.Schedules()...), "large") },
			[]string{"tiles of 8x8", "rows", "equal parts", "256", "efficiency (%)", "100"}},
		{"builds", func() (Chart, error) { return Builds(set(t, all, resultstest.Builds()...), "large") },
			[]string{"v1", "v3", "v1+pgo", "times the speed of v1"}},
		{"orders", func() (Chart, error) {
			return Orders(set(t, all, resultstest.Builds()...), "small", step(t, "4"), step(t, "12"))
		}, []string{"link order", "functions at multiples of 32 bytes", "of 64 bytes"}},
		{"spheres", func() (Chart, error) { return Spheres(set(t, all, resultstest.Spheres()...)) },
			[]string{"step 1", "step 12", "100k", "10M", "rays per second", "spheres"}},
		{"roofline avx2", func() (Chart, error) { return Roofline(peaksAndKernels(avxPeaks, avxKernels)) },
			[]string{"step 12, AVX2: 80 GFLOP/s, 69% of the 256-bit peak", "multiply and add, 128 bits: 55 GFLOP/s, loads 116 GB/s", "speed (GFLOP/s)", "1/4"}},
		{"roofline avx512", func() (Chart, error) { return Roofline(peaksAndKernels(widePeaks, wideKernels)) },
			[]string{"archsimd, 512 bits: 66 GFLOP/s, 57% of the 512-bit peak", "fused multiply-add, 512 bits: 116 GFLOP/s, loads 231 GB/s"}},
		{"roofline sse", func() (Chart, error) { return Roofline(peaksAndKernels(ssePeaks, sseKernels)) },
			[]string{"multiply and add, 128 bits: 55 GFLOP/s, loads 116 GB/s"}},
		{"roofline neon", func() (Chart, error) {
			return Roofline(set(t, resultstest.File{Machine: resultstest.Quipu}, append(neonPeaks, neonKernels...)...))
		}, []string{"step 12, NEON: 72 GFLOP/s, 67% of the 128-bit peak", "fused multiply-add, 128 bits: 108 GFLOP/s, loads 116 GB/s"}},
		{"roofline without kernels", func() (Chart, error) { return Roofline(peaksAndKernels(avxPeaks, nil)) }, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c, err := tt.draw()
			require.NoError(t, err)
			all := drawn(t, tt.name, c)
			for _, text := range tt.text {
				assert.Contains(t, all, text)
			}
		})
	}
	t.Run("roofline without assembly", func(t *testing.T) {
		c, err := Roofline(peaksAndKernels(plainPeaks, plainKernels))
		require.NoError(t, err)
		assert.Equal(t, Chart{Note: "No chart: the processor or the build has none of SSE, AVX2 and NEON."}, c)
		assert.True(t, c.Empty())
	})
}

func TestChartErrors(t *testing.T) {
	all := resultstest.File{}
	zero := resultstest.Kernel("step11", "sse", 484, 1e9)
	zero.Values["flop/s"] = 0
	short := resultstest.Kernel("step11", "sse", 484, 1e9)
	delete(short.Values, "ns/sphere")
	tests := []struct {
		name string
		draw func() (Chart, error)
		want string
	}{
		{"roofline without a peak", func() (Chart, error) { return Roofline(set(t, all, avxKernels...)) },
			`results "m.txt": no peak; go run ./scripts/bench -experiments measures it, and the kernels`},
		{"roofline of 0", func() (Chart, error) {
			return Roofline(set(t, all, append(avxPeaks[:len(avxPeaks):len(avxPeaks)], zero)...))
		},
			`raysteps/step11 Kernel/kernel=sse/n=484: 0 flop/s; want a number above 0`},
		{"roofline without spheres", func() (Chart, error) {
			return Roofline(set(t, all, append(avxPeaks[:len(avxPeaks):len(avxPeaks)], short)...))
		},
			`no values in sec/sphere`},
		{"roofline of an unknown peak", func() (Chart, error) {
			return Roofline(set(t, all, append(ssePeaks[:len(ssePeaks):len(ssePeaks)], avxKernels...)...))
		},
			`no benchmark "Peak/op=fma/bits=256" of package `},
		{"one number of workers", func() (Chart, error) { return Workers(set(t, all, resultstest.Sweep()[0])) },
			`results "m.txt": step 13 was measured with [1] workers; want 1 and more`},
		{"one size of tiles", func() (Chart, error) { return Tiles(set(t, all, resultstest.Sweep()[:4]...)) },
			`results "m.txt": step 13 was not measured with tiles of several sizes`},
		{"one number of processors", func() (Chart, error) { return Schedule(set(t, all, resultstest.Schedules()[0]), "small") },
			`results "m.txt": step 13 was simulated with one number of workers; want several`},
		{"one build", func() (Chart, error) { return Builds(set(t, all, resultstest.Builds()[:6]...), "large") },
			`results "m.txt": one build; want several`},
		{"orders of a step that was not measured", func() (Chart, error) {
			return Orders(set(t, all, resultstest.Builds()...), "large", step(t, "1"), step(t, "4"))
		}, `no benchmark "Render/scene=large/build=v1" of package raysteps/step01`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := tt.draw()
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
