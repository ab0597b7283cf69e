package toolchain

import (
	"bytes"
	"flag"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/perf/benchfmt"

	"raysteps/scripts/internal/cli"
	"raysteps/scripts/internal/steps"
)

var update = flag.Bool("update", false, "write ../results/loops.txt")

// loopsHead is the head of the file of loops.
const loopsHead = `# What an iteration of the loop that tests the spheres consists of: additions (and
# subtractions), multiplications (fused or not), and instructions of all kinds, a
# comparison and its jump being one. And how many cycles it takes by llvm-mca's model of
# a Zen 3, with all data in the first-level cache and no branch mispredicted. LLVM 19
# has no model of a Zen 5. Steps are those that do this arithmetic: the last has the loop.
# Timed is the benchmark of the loop, or of the kernel that it is in, over the 484 spheres of
# the large scene.
#
# go test ./scripts/internal/toolchain -run TestLoops -update
`

// loops are the first passes over the spheres: the first innermost loop of a
// function.
var loops = []struct {
	steps, function string  // the last one has it; in those before it is a function's
	spheres         float64 // an iteration
	timed           string  // the benchmark of this loop, or of the kernel that it is in, over 484 spheres
}{
	{"1-6", "(*World).Hit", 1, "raysteps/step07 FirstPass/centers=vectors/resliced=no"},
	{"7", "(*World).Hit", 1, "raysteps/step07 FirstPass/centers=numbers/resliced=yes"},
	{"8", "(*World).Hit", 1, "raysteps/step08 FirstPass/dot=written-out/ray=local"},
	{"9", "(*World).Hit", 1, "raysteps/step09 FirstPass/a=one/square=stored"},
	{"10", "runSSE.abi0", 8, "raysteps/step10 Kernel/kernel=sse/n=484"},
	{"11", "runSSE.abi0", 8, "raysteps/step11 Kernel/kernel=sse/n=484"},
	{"12", "runAVX2.abi0", 16, "raysteps/step12 Kernel/kernel=avx2/n=484"},
	{"13", "runAVX2.abi0", 16, ""},
	{"avx512", "runAVX512.abi0", 16, "raysteps/beyond/avx512 Kernel/kernel=avx512/n=484"},
}

// TestLoops compares the file of loops with the code and with what llvm-mca says of
// it, or writes it.
func TestLoops(t *testing.T) {
	root := needModel(t)
	var b bytes.Buffer
	b.WriteString(loopsHead)
	out := benchfmt.NewWriter(&b)
	var lasts []steps.Step
	for _, l := range loops {
		list, err := steps.Parse(l.steps)
		require.NoError(t, err)
		lasts = append(lasts, list[len(list)-1])
	}
	program := buildAll(t, root, lasts)
	for i, l := range loops {
		last := lasts[i]
		code := innermost(t, program, last.Package()+"."+l.function)
		count := func(pattern string) float64 {
			return float64(len(regexp.MustCompile("(?m)"+pattern).FindAllString(code, -1)))
		}
		line := benchfmt.Result{Name: benchfmt.Name("Loop"), Iters: 1, Values: []benchfmt.Value{
			{Value: l.spheres, Unit: "spheres/iteration"},
			{Value: count(`^v?(add|sub)[ps]s`), Unit: "additions/iteration"},
			{Value: count(`^v?(mul|fn?m(add|sub)\d+)[ps]s`), Unit: "multiplications/iteration"},
			{Value: count(`.+`) - count(`^(cmp|test)\b.*\nj`), Unit: "instructions/iteration"},
		}}
		if last.Kernel != "avx512" { // which a Zen 3 lacks
			line.Values = append(line.Values, benchfmt.Value{Value: simulate(t, "znver3", code), Unit: "Zen-3-cycles/iteration"})
		}
		for _, c := range [][2]string{{"llvm-mca", "19"}, {"goversion", runtime.Version()}, {"steps", l.steps}, {"timed", l.timed}} {
			if c[1] != "" {
				line.Config = append(line.Config, benchfmt.Config{Key: c[0], Value: []byte(c[1]), File: true})
			}
		}
		require.NoError(t, out.Write(&line))
	}
	name := filepath.Join(root, "scripts", "internal", "results", "loops.txt")
	if *update {
		require.NoError(t, os.WriteFile(name, b.Bytes(), 0o644))
	}
	want, err := os.ReadFile(name)
	require.NoError(t, err)
	if !strings.Contains(string(want), "goversion: "+runtime.Version()+"\n") {
		t.Skipf("the file is for another Go than %s", runtime.Version())
	}
	assert.Equal(t, string(want), b.String(), "go test ./scripts/internal/toolchain -run TestLoops -update")
}

// buildAll builds a program of some steps, as the compiler makes each of them in a program of its own.
func buildAll(t *testing.T, root string, all []steps.Step) (program string) {
	imports, tracers := "", ""
	for i, s := range all {
		require.False(t, s.SIMD, "which would need another environment")
		imports += fmt.Sprintf("\tp%d %q\n", i, s.Package())
		tracers += fmt.Sprintf("\t\tp%d.New(sc),\n", i)
	}
	source := "package main\n\nimport (\n\t\"raysteps/common\"\n\t\"raysteps/common/film\"\n\t\"raysteps/common/scene\"\n" + imports + ")\n\nfunc main() {\n\tsc := scene.Small()\n\tfor _, t := range []common.Tracer{\n" + tracers + "\t} {\n\t\tt.Render(film.New(16, 9), common.Default())\n\t}\n}\n"
	program = filepath.Join(t.TempDir(), "program")
	require.NoError(t, os.WriteFile(program+".go", []byte(source), 0o600))
	cmd := exec.CommandContext(t.Context(), "go", "build", "-trimpath", "-buildvcs=false", "-pgo=off", "-o", program, program+".go")
	cmd.Dir = root
	text, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", text)
	return program
}

// TestRegisters holds what docs/open.md says of Extra: how many cycles a sphere takes by llvm-mca's
// model of a Zen 3 that has 110 registers. It counts those of integers as well, so that integer loads
// tell nothing.
func TestRegisters(t *testing.T) {
	root := needModel(t)
	program := filepath.Join(t.TempDir(), "program")
	cmd := exec.CommandContext(t.Context(), "go", "test", "-c", "-o", program, "./beyond/experiments")
	cmd.Dir = root
	text, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", text)
	for name, want := range map[string]float64{
		"uncopiedWithin": 6.8, "floats6": 7.6, "floats12": 9, "nops6": 6.9, "nops12": 7.1,
	} {
		code := innermost(t, program, "raysteps/beyond/experiments."+name+".abi0")
		got := simulate(t, "znver3", code, "-noalias", "-register-file-size=110")
		assert.InDelta(t, want, got, 0.05, name)
	}
}

// needModel skips a test without llvm-mca, and returns the root of the module.
func needModel(t *testing.T) string {
	if testing.Short() {
		t.Skip("not tested with -short: builds programs")
	}
	for _, name := range []string{"llvm-mca-19", "objdump"} {
		if _, err := exec.LookPath(name); err != nil || runtime.GOARCH != "amd64" {
			t.Skip("needs " + name + " (apt-get install llvm-19 binutils) and code for amd64")
		}
	}
	root, err := cli.ModuleRoot()
	require.NoError(t, err)
	return root
}

var (
	machineLine = regexp.MustCompile(`(?m)^\s*([0-9a-f]+):\t([^<#\n]*)`)
	jump        = regexp.MustCompile(`(?m)^(j\w+)\s+([0-9a-f]+)\s*$`)
)

// innermost returns the first innermost loop of a function, in the syntax of GNU's
// assembler. A branch forward that stays in the loop is taken: it passes over what
// is done once for 64 spheres.
func innermost(t *testing.T, program, symbol string) string {
	text, err := exec.Command("objdump", "-d", "--no-show-raw-insn", "--disassemble="+symbol, program).Output()
	require.NoError(t, err)
	lines := machineLine.FindAllStringSubmatch(string(text), -1) // addresses have as many digits all
	target := func(line []string) string { return jump.ReplaceAllString(jump.FindString(line[2]), "$2") }
	for _, end := range lines {
		at, from := end[1], target(end)
		if from == "" || from < lines[0][1] || from > at {
			continue
		}
		// The first branch backward ends an innermost loop.
		code := ""
		for _, l := range lines {
			if l[1] < from || l[1] > at {
				continue
			}
			code += strings.TrimSpace(l[2]) + "\n"
			if to := target(l); to > l[1] && to <= at {
				from = to
			}
		}
		return jump.ReplaceAllString(code, "$1 0x$2")
	}
	t.Fatalf("%s has no loop", symbol)
	return ""
}

// total matches how many cycles a simulation took.
var total = regexp.MustCompile(`(?m)^Total Cycles: +(\d+)$`)

// simulate returns the cycles of an iteration by a model of a processor.
func simulate(t *testing.T, processor, code string, flags ...string) float64 {
	const iterations = 1000
	cmd := exec.Command("llvm-mca-19", append(flags, "-mtriple=x86_64", "-mcpu="+processor, fmt.Sprint("-iterations=", iterations))...)
	cmd.Stdin = strings.NewReader(code)
	text, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", text)
	m := total.FindSubmatch(text)
	require.NotNil(t, m, "%s", text)
	cycles, err := strconv.ParseFloat(string(m[1]), 64)
	require.NoError(t, err)
	return math.Round(cycles/iterations*100) / 100
}
