package main

import (
	"bytes"
	"os"
	"path/filepath"
	"raysteps/scripts/internal/cli"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// One version in many link orders.
func TestPlaces(t *testing.T) {
	repository := repositoryOf(t, "\n-- go.mod --\nmodule example.com/a\n\ngo 1.24\n-- a_test.go --\npackage a\n\nimport \"testing\"\n\nvar sink int\n\n//go:noinline\nfunc hot(n int) (sum int) {\n\tfor i := range n {\n\t\tsum += i * i\n\t}\n\treturn sum\n}\n\nfunc BenchmarkHot(b *testing.B) {\n\tb.Run(\"a b\", func(b *testing.B) {\n\t\tfor b.Loop() {\n\t\t\tsink = hot(10000)\n\t\t}\n\t})\n}")
	out := filepath.Join(t.TempDir(), "ab.txt")
	status, stdout, stderr := executeIn(t, t.Context(), 2, "-C", repository, "-time", "10m", "-places", "-o", out)
	require.Equal(t, 0, status, stderr)
	assert.Regexp(t, `^the folder as it is, in 2 link orders\n\n benchmark +time +-\d+ % +\+\d+ % +spread +place +aligned +no change\n Hot/a_b +[\d.]+µs +[.▁▂▃▄▅▆▇█]{25}( +\d+\.\d %){4}\n\n`, stdout)
	text, err := os.ReadFile(out)
	require.NoError(t, err)
	for _, side := range sides {
		assert.Contains(t, string(text), "side: "+side+"\n")
	}
}

// What a link order does to a benchmark, where the place of a function decides.
func TestPlacesSaid(t *testing.T) {
	var moved, still, both [][]float64 // by link order: one program, aligned, the same again, others
	var places []map[string]uint64
	for order := range 16 {
		places = append(places, map[string]uint64{"a.hot": map[bool]uint64{true: 32}[order%3 == 0]})
		one, scatter := 1e-6*(1+0.02*float64(order%5)), 0.0002*float64(order%2)
		times := []float64{one, one * (1.001 + scatter), one * (0.999 + 2*scatter), one * (1 + 3*scatter)}
		still = append(still, slices.Clone(times))
		if order%3 == 0 {
			times[others] *= 1.1
		}
		moved, times = append(moved, times), slices.Clone(times)
		if order%4 == 0 {
			times[after] *= 1.1
		}
		both = append(both, times)
	}
	c := made(moved, still, both)
	c.packages[0].places, c.rows[0].function, c.rows[1].function = places, "a.hot", "a.hot"
	var b bytes.Buffer
	c.env = &cli.Env{Stdout: &b}
	require.NoError(t, c.printPlaces())
	assert.Regexp(t, `(?m)^The link order alone moves: B0 10\.\d %, B2 10\.\d %\.\nWhere .* explains of that: B0 10\.0 % \(a\.hot\)\.\nAlignment .*: B0\.\nNot moved .*: B1\.$`, strings.ReplaceAll(b.String(), ",\n", ", "))
}

// The bits in which functions differ, by how the linker aligns them.
func TestBits(t *testing.T) {
	assert.Equal(t, []bool{true}, bits(96, 32))
	assert.Equal(t, []bool{true, false}, bits(16, 16))
	assert.Equal(t, []bool{true, true}, bits(0x470, 16))
	assert.Empty(t, bits(32, 64))
}
