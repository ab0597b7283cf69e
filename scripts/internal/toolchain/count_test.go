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
	"raysteps/scripts/internal/steps"
)

// valgrind skips a test where nothing can be counted.
func valgrind(t *testing.T) (root string, env *cli.Env) {
	if err := CanCount(); err != nil {
		t.Skip(err)
	}
	root, err := cli.ModuleRoot()
	require.NoError(t, err)
	return root, &cli.Env{Stdout: io.Discard, Stderr: io.Discard}
}

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

// Counts repeat, wherever the linker puts the code.
func TestCountsRepeat(t *testing.T) {
	root, env := valgrind(t)
	chosen, err := steps.Parse("4,12")
	require.NoError(t, err)
	first, err := Count(t.Context(), env, root, steps.Packages(chosen), []string{"large"})
	require.NoError(t, err)
	require.Len(t, first, 2)
	t.Setenv("GOFLAGS", strings.TrimSpace(os.Getenv("GOFLAGS")+" -ldflags=-randlayout=7"))
	again, err := Count(t.Context(), env, root, steps.Packages(chosen[1:]), []string{"large"})
	require.NoError(t, err)
	for i, r := range again {
		i++
		assert.Equal(t, chosen[i].Package(), r.GetConfig("pkg"))
		assert.Equal(t, "Count/scene=large", string(r.Name))
		for j, unit := range CountUnits[:5] { // the predictor's table is indexed by addresses
			tolerance := 0.001
			if unit == "indirect/ray" {
				tolerance = 0.01 // less than one a ray, and the runtime's vary with the load
			}
			assert.InEpsilon(t, first[i].Values[j].Value+1, r.Values[j].Value+1, tolerance, "%s of %s", unit, r.GetConfig("pkg"))
		}
	}
	if runtime.GOARCH == "amd64" {
		assert.Equal(t, "avx2", first[1].GetConfig("kernel"))
		assert.Empty(t, first[0].GetConfig("kernel"))
	}
	// What is published holds here, too: it does not depend on the machine.
	published := published(t, root)
	for _, r := range first {
		pkg := r.GetConfig("pkg")
		if published[pkg] == nil {
			t.Skipf("no counts of %s are published for this Go and architecture", pkg)
		}
		for i, unit := range CountUnits[:4] {
			want, ok := published[pkg].Value(unit)
			require.True(t, ok, unit)
			assert.InEpsilon(t, want, r.Values[i].Value, 0.005, "%s of %s", unit, pkg)
		}
	}
}

// published returns the counts in results of the large scene, by package, that
// were taken with the compiler's settings of this machine.
func published(t *testing.T, root string) map[string]*benchfmt.Result {
	settings, err := exec.Command("go", "env", "GOVERSION", "GOARCH", "GOAMD64").Output()
	require.NoError(t, err)
	here := strings.Split(strings.TrimSuffix(string(settings), "\n"), "\n") // GOAMD64 may be empty
	files, err := filepath.Glob(filepath.Join(root, "results", "*.txt"))
	require.NoError(t, err)
	reader := benchfmt.Files{Paths: files}
	published := map[string]*benchfmt.Result{}
	for reader.Scan() {
		r, ok := reader.Result().(*benchfmt.Result)
		if ok && strings.HasPrefix(string(r.Name), "Count/scene=large") && r.GetConfig("build") == "" &&
			r.GetConfig("goversion") == here[0] && r.GetConfig("goarch") == here[1] && r.GetConfig("goamd64") == here[2] {
			published[r.GetConfig("pkg")] = r.Clone()
		}
	}
	require.NoError(t, reader.Err())
	return published
}

func TestCountErrors(t *testing.T) {
	root, env := valgrind(t)
	_, err := Count(t.Context(), env, root, []string{"raysteps/step99"}, []string{"small"})
	assert.ErrorContains(t, err, "building what is counted: ")
	_, err = Count(t.Context(), env, root, []string{"raysteps/step01"}, []string{"small", "dark"})
	require.Error(t, err)
	assert.Regexp(t, `^counting raysteps/step01 in the dark scene: .*unknown scene "dark"; want small, medium, large`, err.Error())
}

func TestCanCount(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	err := CanCount()
	require.Error(t, err)
	assert.Contains(t, err.Error(), "valgrind")
	_, err = Count(t.Context(), &cli.Env{}, ".", nil, []string{"small"})
	assert.ErrorContains(t, err, "valgrind")
}
