package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"io"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"raysteps/scripts/internal/cli"
	"raysteps/scripts/internal/results"
	"raysteps/scripts/internal/steps"
)

// readOptions reads lists as the command does.
func readOptions(args ...string) (options, error) {
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	var o options
	numbers(flags, &o.workers, "workers", "", usualWorkers(), maxWorkers)
	numbers(flags, &o.tiles, "tiles", "", usualTiles, maxTile)
	numbers(flags, &o.spheres, "spheres", "", usualSpheres, maxSpheres)
	buildsFlag(flags, &o.builds)
	return o, flags.Parse(args)
}

func TestLists(t *testing.T) {
	tests := []struct {
		name, text string
		want       []int // or none for a mistake
	}{
		{"one", "4", []int{4}},
		{"several", "1, 2,64", []int{1, 2, 64}},
		{"twice", "2,1,2", []int{2, 1}},
		{"all", "all", usualTiles},
		{"the greatest", "4096", []int{4096}},
		{"too great", "4097", nil},
		{"zero", "0", nil},
		{"negative", "-1", nil},
		{"empty", "", nil},
		{"comma at the end", "1,", nil},
		{"word", "1,all", nil},
		{"range", "1-4", nil},
		{"fraction", "1.5", nil},
		{"huge", "99999999999999999999", nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			o, err := readOptions("-tiles", tt.text)
			if tt.want == nil {
				assert.EqualError(t, err, fmt.Sprintf(`invalid value %q for flag -tiles: want numbers from 1 to 4096 with commas between, or all`, tt.text))
				return
			}
			require.NoError(t, err)
			assert.Equal(t, tt.want, o.tiles)
		})
	}
	all := usualWorkers()
	assert.Equal(t, 1, all[0])
	assert.Equal(t, runtime.GOMAXPROCS(0), all[len(all)-1])
	assert.IsIncreasing(t, append([]int{0}, all...))
}

func TestReadBuilds(t *testing.T) {
	const format = "want v1, v2, v3 or v4, with +pgo, +nobounds or +instrument behind it, or several, and commas between, such as v1,v3+pgo"
	tests := []struct {
		text string
		have int
		want string // the builds, or the error
	}{
		{"v1", 1, "v1"},
		{"v1, v3+pgo", 3, "v1,v3+pgo"},
		{"v2+nobounds+pgo,v2+pgo+nobounds", 2, "v2+pgo+nobounds"},
		{"v1,v1+instrument,v1+instrument+pgo", 1, "v1,v1+instrument,v1+pgo+instrument"},
		{"all", 4, "v1,v3,v4,v1+pgo,v3+pgo,v1+nobounds"},
		{"all", 3, "v1,v3,v1+pgo,v3+pgo,v1+nobounds"},
		{"all", 1, "v1,v1+pgo,v1+nobounds"},
		{"v4", 3, "this processor has level v3; want no higher one"},
		{"v1,v3+pgo", 1, "this processor has level v1; want no higher one"},
		{"v5", 4, format}, {"", 4, format}, {"v1,", 4, format}, {"pgo", 4, format}, {"v1+fast", 4, format},
		{"v1+", 4, format}, {"V1", 4, format}, {"v1+pgo nobounds", 4, format},
	}
	for _, tt := range tests {
		got, err := readBuilds(tt.text, tt.have)
		if err != nil {
			assert.Equal(t, tt.want, err.Error(), "%s at v%d", tt.text, tt.have)
			continue
		}
		assert.Equal(t, tt.want, join(got), "%s at v%d", tt.text, tt.have)
	}
	if runtime.GOARCH != "amd64" {
		_, err := readOptions("-builds", "v1")
		assert.ErrorContains(t, err, "it compares levels of amd64, and this is "+runtime.GOARCH)
	}
}

func stepNames(list []steps.Step) string {
	var words []string
	for _, s := range list {
		words = append(words, s.Name)
	}
	return strings.Join(words, " ")
}

// Without a choice of steps, each kind has its usual ones.
func TestUsualSteps(t *testing.T) {
	var several []steps.Step
	for _, s := range steps.All() {
		if !s.Single {
			several = append(several, s)
		}
	}
	require.NotEmpty(t, several)
	few, err := steps.Select("1,4,9,10,12")
	require.NoError(t, err)
	tests := []struct {
		name string
		o    options
		kind results.Kind
		want []steps.Step
	}{
		{"steps", options{}, results.OfSteps, steps.All()},
		{"experiments", options{experiments: true}, results.OfExperiments, steps.All()},
		{"workers", options{workers: []int{1}}, results.OfSweep, several[:1]},
		{"tiles", options{tiles: []int{8}}, results.OfSweep, several[:1]},
		{"workers and tiles", options{workers: []int{1}, tiles: []int{8}}, results.OfSweep, several[:1]},
		{"workers of the latest", options{workers: []int{1}, latest: true}, results.OfSweep, []steps.Step{steps.Latest()}},
		{"simulate", options{simulate: true}, results.OfSchedules, several[:1]},
		{"simulate a step", options{simulate: true, listed: true, step: "13"}, results.OfSchedules, steps.All()[12:13]},
		{"spheres", options{spheres: []int{1}}, results.OfSpheres, append(few, several...)},
		{"spheres of all", options{spheres: []int{1}, all: true}, results.OfSpheres, steps.All()},
		{"builds", options{builds: []build{{level: "v1"}}}, results.OfBuilds, steps.Numbered()},
		{"builds of one", options{builds: []build{{level: "v1"}}, listed: true, step: "4"}, results.OfBuilds, steps.All()[3:4]},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tt.o.rounds = 1
			got, err := tt.o.check()
			require.NoError(t, err)
			assert.Equal(t, stepNames(tt.want), stepNames(got))
			assert.Equal(t, tt.kind, tt.o.kind())
		})
	}
}

func TestMisuseOfKinds(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a.out")
	missing := filepath.Join(t.TempDir(), "missing", "a.out")
	tests := []struct {
		name string
		args []string
		want string
	}{
		{"workers", []string{"-workers", "0"}, `invalid value "0" for flag -workers: want numbers from 1 to 4096 with commas between, or all; -help lists the flags`},
		{"spheres", []string{"-spheres", "1,1000001"}, `invalid value "1,1000001" for flag -spheres: want numbers from 1 to 1000000 with commas between, or all; -help lists the flags`},
		{"workers and spheres", []string{"-workers", "1", "-spheres", "1"}, "-workers and -spheres exclude each other; want one of them"},
		{"tiles and experiments", []string{"-tiles", "8", "-experiments"}, "-experiments and -tiles exclude each other; want one of them"},
		{"sweep and experiments", []string{"-tiles", "8", "-workers", "2", "-experiments"}, "-experiments and -workers with -tiles exclude each other; want one of them"},
		{"simulate and spheres", []string{"-simulate", "-spheres", "1"}, "-simulate and -spheres exclude each other; want one of them"},
		{"simulate and workers", []string{"-simulate", "-workers", "1"}, "-workers and -simulate exclude each other; want one of them"},
		{"pictures of a simulation", []string{"-simulate", "-save"}, "-save is for the pictures of the steps; want it without -simulate"},
		{"spheres of a size", []string{"-spheres", "1", "-quick"}, "-spheres has pictures of its own size; want it without -quick and -save"},
		{"pictures of a sweep", []string{"-workers", "1", "-save"}, "-save is for the pictures of the steps; want it without -workers"},
		{"negative watts", []string{"-watts", "-1"}, "-watts is -1; want what the processor takes at full load, 10000 at the most"},
		{"watts of no number", []string{"-watts", "NaN"}, "-watts is NaN; want what the processor takes at full load, 10000 at the most"},
		{"profile of all", []string{"-cpuprofile", file}, "-cpuprofile is of a single step; want one, as in -step 4, and no -builds"},
		{"trace of two", []string{"-trace", file, "-step", "1,2"}, "-trace is of a single step; want one, as in -step 4, and no -builds"},
		{"profile without a run", []string{"-trace", file, "-step", "1", "-compile-only"}, "-trace takes a run; want it without -compile-only"},
		{"profile in no folder", []string{"-cpuprofile", missing, "-step", "1"},
			fmt.Sprintf("-cpuprofile: profile %q: %q is not a folder; want one that exists", missing, filepath.Dir(missing))},
		{"trace into a folder", []string{"-trace", filepath.Dir(file), "-step", "1"},
			fmt.Sprintf("-trace: trace %q: is a folder; want the name of a file", filepath.Dir(file))},
	}
	if runtime.GOARCH == "amd64" {
		tests = append(tests, []struct {
			name string
			args []string
			want string
		}{
			{"profile of builds", []string{"-cpuprofile", file, "-step", "1", "-builds", "v1"}, "-cpuprofile is of a single step; want one, as in -step 4, and no -builds"},
			{"builds and spheres", []string{"-builds", "v1", "-spheres", "2"}, "-spheres and -builds exclude each other; want one of them"},
		}...)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var stdout, stderr bytes.Buffer
			assert.Equal(t, cli.ExitMisuse, command().Exec(ctx, tt.args, &stdout, &stderr))
			assert.Empty(t, stdout.String())
			assert.Equal(t, "bench: "+tt.want+"\n", stderr.String())
			assert.Empty(t, names(t, filepath.Dir(file)))
		})
	}
}
