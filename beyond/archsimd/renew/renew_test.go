package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/perf/benchfmt"
)

func TestCount(t *testing.T) {
	tests := []struct {
		name, arch, function string
		code                 []string
		want                 map[string]float64
	}{
		{"a loop among others", "amd64", "sum512", []string{
			"0 TEXT\traysteps/beyond/archsimd/kernels.sum512(SB)", "0 PCDATA\t$0, $1", "1 VADDPS\tZ0, Z1, Z1", "2 INCQ\tAX", "3 JLT\t2",
			"4 VADDPS\t(AX), Z0, Z0", "5 XCHGL\tAX, AX", "6 ADDQ\t$64, AX", "7 JCS\t4", "8 VADDPS\tZ0, Z1, Z1", "9 JMP\t0",
		}, map[string]float64{"Loop/kernel=Sum/way=archsimd/bits=512/arch=amd64": 4}},
		{"what is done now and then", "amd64", "sum512", []string{
			"4 VADDPS\t(AX), Z0, Z0", "5 JNE\t8", "6 XORL\tAX, AX", "7 CALL\tf", "8 JCS\t4",
		}, map[string]float64{"Loop/kernel=Sum/way=archsimd/bits=512/arch=amd64": 3}},
		{"a loop without vectors", "amd64", "sum512", []string{"4 ADDSS\t(AX), X0", "5 JCS\t4"}, map[string]float64{}},
		{"a width of the package simd", "arm64", "sumSIMD@simd128", []string{"4 FMOVQ\t(R0), F1", "8 VFADD\tV0, V1, V1", "12 CBNZ\tR1, 4"},
			map[string]float64{"Loop/kernel=Sum/way=simd/bits=128/arch=arm64": 3}},
		{"blocks of WebAssembly", "wasm", "sumSIMD@simd128", []string{
			"3 Loop", "3 Block", "7 Get\tR1", "7 F32x4Add", "7 I32Const\t$7", "7 Set\tPC_B", "7 Br\t$2", "7 End",
		}, map[string]float64{"Loop/kernel=Sum/way=simd/bits=128/arch=wasm": 5}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			listing := "# raysteps/beyond/archsimd/kernels\n" + kernels + "." + tt.function + " STEXT size=9\n"
			for _, in := range tt.code {
				at, rest, _ := strings.Cut(in, " ")
				listing += "\t0x0004 " + at + " (kernels/x.go:9)\t" + rest + "\n"
			}
			got := map[string]float64{}
			for _, line := range count(listing+"\t0x0000 c5 fc  ..\n", tt.arch) {
				got[string(line.Name)], _ = line.Value(perIteration)
			}
			assert.Equal(t, tt.want, got)
		})
	}
}

// measured is a file with a sum of a release in vectors, and a count of its loop.
func measured(t *testing.T) (file string, records []benchfmt.Record, page []*benchfmt.Result) {
	file = filepath.Join(t.TempDir(), "results.txt")
	require.NoError(t, os.WriteFile(file, []byte("pkg: "+kernels+"\ngoversion: go1.99\nlink-order: 1\n\n"+
		"BenchmarkKernels/kernel=Sum/n=20/way=simd/bits=512-2 1 40 sec/op\n"+
		"BenchmarkLoop/kernel=Sum/way=simd/bits=512/arch=arm64 1 28 instructions/iteration\n"), 0o666))
	records, page, err := read(file)
	require.NoError(t, err)
	return file, records, page
}

func counted(name string, n float64) []*benchfmt.Result {
	line := &benchfmt.Result{Name: benchfmt.Name(name), Iters: 1,
		Values: []benchfmt.Value{{Value: n, Unit: perIteration}}}
	line.SetConfig("pkg", tracer)
	return []*benchfmt.Result{line}
}

func TestChanges(t *testing.T) {
	_, _, published := measured(t)
	const name = "Loop/kernel=Sum/way=simd/bits=512/arch=arm64"
	assert.Empty(t, changes(published, counted(name, 28)))
	assert.Equal(t, []string{name + ": 24 instructions/iteration, and 28 on the page"}, changes(published, counted(name, 24)))
}

// Counts take the place of those that a file has, and are of the machine that measured.
func TestRecord(t *testing.T) {
	file, records, page := measured(t)
	require.NoError(t, record(file, records, counted("Loop/kernel=FirstPass", 7), page[0]))
	_, again, err := read(file)
	require.NoError(t, err)
	require.Len(t, again, 2)
	assert.Equal(t, page[0].Values, again[0].Values)
	n, _ := again[1].Value(perIteration)
	assert.Equal(t, "Loop/kernel=FirstPass 7 "+tracer+" go1.99 ", fmt.Sprint(string(again[1].Name), " ", n, " ", again[1].GetConfig("pkg"), " ", again[1].GetConfig("goversion"), " ", again[1].GetConfig("link-order")))
}

func TestDifferences(t *testing.T) {
	page := "text\n\n```\ngo1.27.4 #1 AndNot not fixed\ngo1.27.4 #2 Part   not fixed\n```\n"
	assert.Equal(t, []string{"trap, not as on the page: #1 AndNot fixed", "trap, not as on the page: #3 Max not fixed"},
		differences(page, "go1.28 #1 AndNot fixed\ngo1.28 #2 Part   not fixed\ngo1.28 #3 Max not fixed\n"))
	assert.Empty(t, differences(page, "go1.27.4 #1 AndNot cannot happen here: it takes AVX-512\n"))
}
