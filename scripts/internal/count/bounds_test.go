package count

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/perf/benchfmt"

	"raysteps/scripts/internal/cli"
	"raysteps/scripts/internal/launch"
)

var update = flag.Bool("update", false, "write results/bounds.txt")

// boundsHead is the head of the file of bounds.
const boundsHead = `# What a processor needs for one iteration of the loop that tests the spheres, in
# cycles, by the models of llvm-mca, with all data in the first-level cache and
# no branch mispredicted:
#
#	cycles    what a simulation of the loop takes
#	dispatch  what the number of operations alone takes
#	port      what the most wanted unit alone takes
#
# LLVM 19 has no model of Zen 5. It has the units of Zen 4, so that port holds
# (not at 512 bits, where it has twice as many), and dispatches 8 operations a
# cycle in place of 6.
#
# go test ./scripts/internal/count -run TestBounds -update
`

// loops are the first passes over the spheres: the first innermost loop of a
// function.
var loops = []struct {
	pkg, function, name string
	spheres             float64 // an iteration
}{
	{"raysteps/step06", "(*World).Hit", "first-pass", 1},
	{"raysteps/step07", "(*World).Hit", "first-pass", 1},
	{"raysteps/step08", "(*World).Hit", "first-pass", 1},
	{"raysteps/step09", "(*World).Hit", "first-pass", 1},
	{"raysteps/step10", "closestSSE.abi0", "first-pass", 8},
	{"raysteps/step11", "closestSSE.abi0", "first-pass", 8},
	{"raysteps/step12", "closestAVX2.abi0", "first-pass", 16},
	{"raysteps/beyond/avx512", "closestAVX512.abi0", "first-pass", 16},
}

// generations are the processors of the model.
var generations = []string{"sapphirerapids", "znver4"}

// TestBounds compares the file of bounds with what llvm-mca says, or writes it.
func TestBounds(t *testing.T) {
	mca, err := exec.LookPath("llvm-mca-19")
	if err != nil || runtime.GOARCH != "amd64" {
		t.Skip("needs llvm-mca-19 (apt-get install llvm-19) and code for amd64")
	}
	if _, err := exec.LookPath("objdump"); err != nil {
		t.Skip("needs objdump of GNU (apt-get install binutils)")
	}
	root, err := cli.ModuleRoot()
	require.NoError(t, err)
	var variants []launch.Variant
	for _, l := range loops {
		if v := (launch.Variant{Name: path.Base(l.pkg), Package: l.pkg}); !slices.Contains(variants, v) {
			variants = append(variants, v)
		}
	}
	program, err := build(t.Context(), &cli.Env{Stdout: io.Discard, Stderr: io.Discard}, root, t.TempDir(), variants)
	require.NoError(t, err)
	goversion, err := exec.Command("go", "env", "GOVERSION").Output()
	require.NoError(t, err)

	var b bytes.Buffer
	b.WriteString(boundsHead)
	out := benchfmt.NewWriter(&b)
	for _, l := range loops {
		code := innermost(t, program.Binaries[0], l.pkg+"."+l.function)
		for _, generation := range generations {
			x := analyze(t, mca, generation, code)
			name := fmt.Sprintf("Bound/loop=%s/cpu=%s", l.name, generation)
			record := benchfmt.Result{Name: benchfmt.Name(name), Iters: 1, Values: []benchfmt.Value{
				{Value: x.cycles, Unit: "cycles/iteration"},
				{Value: x.dispatch, Unit: "dispatch/iteration"},
				{Value: x.port, Unit: "port/iteration"},
				{Value: float64(len(code)), Unit: "instructions/iteration"},
				{Value: l.spheres, Unit: "spheres/iteration"},
			}}
			for _, c := range [][2]string{{"llvm-mca", "19"}, {"goversion", strings.TrimSpace(string(goversion))}, {"pkg", l.pkg}, {"bottleneck", x.bottleneck}} {
				record.Config = append(record.Config, benchfmt.Config{Key: c[0], Value: []byte(c[1]), File: true})
			}
			require.NoError(t, out.Write(&record))
		}
	}
	name := filepath.Join(root, "results", "bounds.txt")
	if *update {
		require.NoError(t, os.WriteFile(name, b.Bytes(), 0o644))
	}
	want, err := os.ReadFile(name)
	require.NoError(t, err)
	if !strings.Contains(string(want), "goversion: "+strings.TrimSpace(string(goversion))+"\n") {
		t.Skipf("the file is for another Go than %s", goversion)
	}
	assert.Equal(t, string(want), b.String(), "go test ./scripts/internal/count -run TestBounds -update")
}

var (
	instruction = regexp.MustCompile(`(?m)^\s*([0-9a-f]+):\t([^<#\n]*)`)
	jump        = regexp.MustCompile(`^(j\w+)\s+([0-9a-f]+)\s*$`)
)

// innermost returns the first innermost loop of a function, in the syntax of GNU's
// assembler. A branch forward that stays in the loop is taken: it passes over what
// is done once for 64 spheres.
func innermost(t *testing.T, program, symbol string) []string {
	text, err := exec.Command("objdump", "-d", "--no-show-raw-insn", "--disassemble="+symbol, program).Output()
	require.NoError(t, err)
	type line struct {
		at, to uint64 // to is where a branch leads
		text   string
	}
	var lines []line
	for _, m := range instruction.FindAllStringSubmatch(string(text), -1) {
		l := line{text: strings.TrimSpace(m[2])}
		l.at, err = strconv.ParseUint(m[1], 16, 64)
		require.NoError(t, err)
		if j := jump.FindStringSubmatch(l.text); j != nil {
			l.to, err = strconv.ParseUint(j[2], 16, 64)
			require.NoError(t, err)
			l.text = j[1] + " 0x" + j[2]
		}
		lines = append(lines, l)
	}
	require.NotEmpty(t, lines, symbol)
	for _, end := range lines {
		if end.to == 0 || end.to < lines[0].at || end.to > end.at {
			continue
		}
		// The first branch backward ends an innermost loop.
		var code []string
		from := end.to
		for _, l := range lines {
			if l.at < from || l.at > end.at {
				continue
			}
			code = append(code, l.text)
			if l.to > l.at && l.to <= end.at {
				from = l.to
			}
		}
		return code
	}
	t.Fatalf("%s has no loop", symbol)
	return nil
}

type bound struct {
	cycles, dispatch, port float64 // cycles an iteration: simulated, and by two limits
	bottleneck             string
}

var (
	total    = regexp.MustCompile(`(?m)^(Total Cycles|Total uOps|Dispatch Width): +([\d.]+)$`)
	resource = regexp.MustCompile(`(?m)^\[([\d.]+)\] +- (\w+)$`)
	pressure = regexp.MustCompile(`(?m)^Resource pressure per iteration:\n(.*)\n(.*)$`)
)

func analyze(t *testing.T, mca, generation string, code []string) bound {
	const iterations = 1000
	cmd := exec.Command(mca, "-mtriple=x86_64", "-mcpu="+generation, fmt.Sprint("-iterations=", iterations), "-instruction-info=0")
	cmd.Stdin = strings.NewReader(strings.Join(code, "\n"))
	text, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", text)
	totals := map[string]float64{}
	for _, m := range total.FindAllStringSubmatch(string(text), -1) {
		totals[m[1]], _ = strconv.ParseFloat(m[2], 64)
	}
	require.Len(t, totals, 3, "%s", text)
	names := map[string]string{}
	for _, m := range resource.FindAllStringSubmatch(string(text), -1) {
		names[m[1]] = m[2]
	}
	row := pressure.FindStringSubmatch(string(text))
	require.NotNil(t, row, "%s", text)
	indices, values := regexp.MustCompile(`[\d.]+`).FindAllString(row[1], -1), strings.Fields(row[2])
	require.Len(t, values, len(indices))
	round := func(x float64) float64 { return float64(int(100*x+0.5)) / 100 }
	x := bound{cycles: round(totals["Total Cycles"] / iterations), dispatch: round(totals["Total uOps"] / iterations / totals["Dispatch Width"])}
	busiest := ""
	for i, v := range values {
		if n, err := strconv.ParseFloat(v, 64); err == nil && n > x.port {
			x.port, busiest = n, names[indices[i]]
		}
	}
	switch limit := max(x.dispatch, x.port); {
	case x.cycles > 1.2*limit:
		x.bottleneck = "latency"
	case x.port > x.dispatch:
		x.bottleneck = "port " + busiest
	default:
		x.bottleneck = "dispatch"
	}
	return x
}
