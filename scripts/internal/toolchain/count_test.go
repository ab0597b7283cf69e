package toolchain

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/perf/benchfmt"

	"raysteps/scripts/internal/cli"
)

func TestParseCounts(t *testing.T) {
	const events = "events: Ir Dr Dw Bc Bcm Bi Bim\n"
	for _, counts := range []string{"1 2 3 4 5 6 7 8", "1 2 3 x 5 6 7"} {
		_, err := parseCounts(events + "fl=a.go\nfn=a\n9 " + counts + "\n")
		assert.EqualError(t, err, `cannot read cachegrind's line "9 `+counts+`"; want counts of ["Ir" "Dr" "Dw" "Bc" "Bcm" "Bi" "Bim"]`)
	}
	got, err := parseCounts("desc: I1 cache: 32768 B\ncmd: ./counter\n" + events +
		"fl=././raysteps/step04/hit.go\nfn=raysteps/step04.(*World).Hit\n20 1000 300 20 10\n21 1 2 3 4 5 6 7\n" +
		"fl=././runtime/proc.go\nfn=runtime.sysmon\n1 5000 500 500 500 500 500 500\n" +
		"fl=././runtime/malloc.go\nfn=runtime.mallocgc\n0 30 0 0 0 0 0 0\nsummary: 6031 802 523 514 505 506 507\n")
	require.NoError(t, err)
	assert.Equal(t, map[string]float64{"Ir": 1031, "Dr": 302, "Dw": 23, "Bc": 14, "Bcm": 5, "Bi": 6, "Bim": 7}, got)
}

// Counts repeat, wherever the linker puts the code, and are what is published.
func TestCounts(t *testing.T) {
	if err := CanCount(); err != nil {
		t.Skip(err)
	}
	root, err := cli.ModuleRoot()
	require.NoError(t, err)
	count := func(pkg, scene string) (*benchfmt.Result, error) {
		lines, err := Count(t.Context(), &cli.Env{Stderr: io.Discard}, root, []string{pkg}, []string{scene})
		return lines[0], err
	}
	_, err = Count(t.Context(), &cli.Env{Stderr: io.Discard}, root, []string{"raysteps/step99"}, []string{"small"})
	assert.ErrorContains(t, err, "building what is counted: ")
	_, err = count("raysteps/step01", "dark")
	assert.ErrorContains(t, err, "counting raysteps/step01 in the dark scene: ")
	assert.ErrorContains(t, err, `unknown scene "dark"; want small, medium, large`)

	first, err := count("raysteps/step13", "large")
	require.NoError(t, err)
	t.Setenv("GOFLAGS", strings.TrimSpace(os.Getenv("GOFLAGS")+" -ldflags=-randlayout=7"))
	again, err := count("raysteps/step13", "large")
	require.NoError(t, err)
	for i, unit := range CountUnits[:4] { // indirect jumps are rare, and the runtime's vary with the load
		assert.InEpsilon(t, first.Values[i].Value, again.Values[i].Value, 0.001, unit)
	}
	if runtime.GOARCH == "amd64" {
		assert.Equal(t, "avx2", first.GetConfig("kernel"))
	}
	settings, err := exec.Command("go", "env", "GOVERSION", "GOARCH", "GOAMD64").Output()
	require.NoError(t, err)
	files, err := filepath.Glob(filepath.Join(root, "results", "*.txt"))
	require.NoError(t, err)
	for published := (benchfmt.Files{Paths: files}); published.Scan(); {
		r, ok := published.Result().(*benchfmt.Result)
		if !ok || string(r.Name) != string(first.Name) || r.GetConfig("pkg") != "raysteps/step13" || r.GetConfig("build") != "" {
			continue
		}
		if strings.Join([]string{r.GetConfig("goversion"), r.GetConfig("goarch"), r.GetConfig("goamd64"), ""}, "\n") == string(settings) {
			for i, unit := range CountUnits[:4] {
				assert.InEpsilon(t, r.Values[i].Value, first.Values[i].Value, 0.005, unit)
			}
		}
	}
}

func TestCanCount(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	_, err := Count(t.Context(), &cli.Env{}, ".", nil, []string{"small"})
	assert.ErrorContains(t, err, "valgrind")
}
