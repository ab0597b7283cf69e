package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"raysteps/common"
	"raysteps/scripts/internal/cli"
	"raysteps/scripts/internal/launch"
	"raysteps/scripts/internal/oldresults"
	"raysteps/scripts/internal/steps"
)

// misused runs the command and wants it to find a misuse.
func misused(t *testing.T, want string, args ...string) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	cancel() // what is not found to be a misuse should not run for minutes
	var stdout, stderr bytes.Buffer
	assert.Equal(t, cli.ExitMisuse, command().Exec(ctx, args, &stdout, &stderr))
	assert.Empty(t, stdout.String())
	assert.Equal(t, "bench: "+want+"\n", stderr.String())
}

func TestMisuse(t *testing.T) {
	dir := t.TempDir()
	missing := filepath.Join(dir, "missing", "a.txt")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "plain"), nil, 0o666))
	inPlain := filepath.Join(dir, "plain", "a.txt")
	const builds = "want v1, v2, v3 or v4, or a release of Go such as go1.27.4, with +pgo, +nobounds or +align64 behind it, or several, and commas between, such as v1,v3+pgo"
	tests := []struct {
		name string
		args []string
		want string // the line behind "bench: "
	}{
		{"step 14", []string{"-step", "14"}, `-step: unknown step "14"; want ` + steps.Choices()},
		{"no step", []string{"-step", ""}, `-step: unknown step ""; want ` + steps.Choices()},
		{"half a range", []string{"-step", "2-"}, `-step: range "2-" is not complete; want both ends, such as 2-3`},
		{"orders", []string{"-orders", "-1"}, `invalid value "-1" for flag -orders: want a number from 1 to 1000; -help lists the flags`},
		{"no orders", []string{"-orders", "0"}, `invalid value "0" for flag -orders: want a number from 1 to 1000; -help lists the flags`},
		{"too many orders", []string{"-orders", "1001"}, `invalid value "1001" for flag -orders: want a number from 1 to 1000; -help lists the flags`},
		{"launches", []string{"-launches", "-6"}, `invalid value "-6" for flag -launches: want a number from 1 to 100; -help lists the flags`},
		{"no launches", []string{"-launches", "0"}, `invalid value "0" for flag -launches: want a number from 1 to 100; -help lists the flags`},
		{"too many launches", []string{"-launches", "101"}, `invalid value "101" for flag -launches: want a number from 1 to 100; -help lists the flags`},
		{"a word for launches", []string{"-launches", "many"}, `invalid value "many" for flag -launches: want a number from 1 to 100; -help lists the flags`},
		{"time", []string{"-time", "-1s"}, "-time is -1s; want a time such as 90s, 24h0m0s at the most"},
		{"no time", []string{"-time", "0"}, "-time is 0s; want a time such as 90s, 24h0m0s at the most"},
		{"too long", []string{"-time", "25h"}, "-time is 25h0m0s; want a time such as 90s, 24h0m0s at the most"},
		{"time without a unit", []string{"-time", "90"}, `invalid value "90" for flag -time: parse error; -help lists the flags`},
		{"missing folder", []string{"-o", missing}, fmt.Sprintf("-o: results %q: %q is not a folder; want one that exists", missing, filepath.Dir(missing))},
		{"a file as a folder", []string{"-o", inPlain}, fmt.Sprintf("-o: results %q: %q is not a folder; want one that exists", inPlain, filepath.Dir(inPlain))},
		{"a folder as a file", []string{"-o", dir}, fmt.Sprintf("-o: results %q: is a folder; want the name of a file", dir)},
		{"full and quick", []string{"-full", "-quick"}, "-full renders each picture once; want it without -quick, -orders, -launches and -time"},
		{"full for a time", []string{"-full", "-time", "1m"}, "-full renders each picture once; want it without -quick, -orders, -launches and -time"},
		{"full in orders", []string{"-full", "-orders", "2"}, "-full renders each picture once; want it without -quick, -orders, -launches and -time"},
		{"counters of experiments", []string{"-counters", "-experiments"}, "-counters is for the steps; want it without -experiments"},
		{"counters of a sweep", []string{"-counters", "-workers", "1", "-tiles", "8"}, "-counters is for the steps; want it without -workers"},
		{"counters against", []string{"-counters", "-against", "HEAD", "-step", "4"}, "-counters is for the steps; want it without -against"},
		{"against without a step", []string{"-against", "HEAD"}, "-against is about one step; want it with one, such as -step 4"},
		{"against of two steps", []string{"-against", "HEAD", "-step", "4,5"}, "-against is about one step; want it with one, such as -step 4"},
		{"simulate and time", []string{"-simulate", "-time", "1m"}, "-simulate renders whole pictures, as many as -orders says; want it without -quick and -time"},
		{"peers and quick", []string{"-peers", "x", "-quick"}, "-peers renders whole pictures, as many as -orders says; want it without -quick and -time"},
		{"peers and full", []string{"-peers", "x", "-full"}, "-full and -peers exclude each other; want one of them"},
		{"against and full", []string{"-against", "HEAD", "-full"}, "-full and -against exclude each other; want one of them"},
		{"workers and spheres", []string{"-workers", "1", "-spheres", "1"}, "-workers and -spheres exclude each other; want one of them"},
		{"sweep and experiments", []string{"-tiles", "8", "-workers", "2", "-experiments"}, "-experiments and -workers exclude each other; want one of them"},
		{"simulate and builds", []string{"-simulate", "-builds", "v1"}, "-simulate and -builds exclude each other; want one of them"},
		{"workers", []string{"-workers", "0"}, `invalid value "0" for flag -workers: want numbers from 1 to 4096 with commas between, or all; -help lists the flags`},
		{"spheres", []string{"-spheres", "1,1000001"}, `invalid value "1,1000001" for flag -spheres: want numbers from 1 to 1000000 with commas between, or all; -help lists the flags`},
		{"builds", []string{"-builds", "v9"}, `invalid value "v9" for flag -builds: ` + builds + "; -help lists the flags"},
		{"unknown flag", []string{"-fast"}, "flag provided but not defined: -fast; -help lists the flags"},
		{"flag without its value", []string{"-step"}, "flag needs an argument: -step; -help lists the flags"},
		{"surplus argument", []string{"-quick", "3"}, `unexpected argument "3"; usage: go run ./scripts/bench [flags]`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			misused(t, tt.want, tt.args...)
			assert.Equal(t, []string{"plain"}, names(t, dir))
		})
	}
}

// readOptions reads flags as the command does.
func readOptions(args ...string) (options, error) {
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	var o options
	o.register(flags)
	err := flags.Parse(args)
	flags.Visit(func(f *flag.Flag) { o.set = append(o.set, f.Name) })
	return o, err
}

func TestLists(t *testing.T) {
	tests := []struct {
		text string
		want []int // or none for a mistake
	}{
		{"4", []int{4}}, {"1, 2,64", []int{1, 2, 64}}, {"2,1,2", []int{2, 1}}, {"all", usualTiles}, {"4096", []int{4096}},
		{"4097", nil}, {"0", nil}, {"-1", nil}, {"", nil}, {"1,", nil}, {"1,all", nil}, {"1-4", nil}, {"1.5", nil}, {"99999999999999999999", nil},
	}
	for _, tt := range tests {
		o, err := readOptions("-tiles", tt.text)
		if tt.want == nil {
			assert.EqualError(t, err, fmt.Sprintf(`invalid value %q for flag -tiles: want numbers from 1 to 4096 with commas between, or all`, tt.text))
			continue
		}
		require.NoError(t, err)
		assert.Equal(t, tt.want, o.tiles)
	}
	all := usualWorkers()
	assert.Equal(t, 1, all[0])
	assert.Equal(t, runtime.GOMAXPROCS(0), all[len(all)-1])
	assert.IsIncreasing(t, append([]int{0}, all...))
}

func TestReadBuilds(t *testing.T) {
	const format = "want v1, v2, v3 or v4, or a release of Go such as go1.27.4, with +pgo, +nobounds or +align64 behind it, or several, and commas between, such as v1,v3+pgo"
	tests := []struct {
		text string
		have int
		want string // the builds, or the error
	}{
		{"v1", 1, "v1"},
		{"v1, v3+pgo", 3, "v1,v3+pgo"},
		{"v2+pgo+nobounds,v2+pgo+nobounds", 2, "v2+pgo+nobounds"},
		{"v1,v1+align64,v1+align64+pgo", 1, "v1,v1+align64,v1+align64+pgo"},
		{"go1.26.8,go1.27.4", 1, "go1.26.8,go1.27.4"},
		{"go1.27.4+v3+pgo,go1.27.4+nobounds", 3, "go1.27.4+v3+pgo,go1.27.4+nobounds"},
		{"all", 4, "v1,v3,v4,v1+pgo,v3+pgo,v1+nobounds,v1+align64"},
		{"all", 3, "v1,v3,v1+pgo,v3+pgo,v1+nobounds,v1+align64"},
		{"all", 1, "v1,v1+pgo,v1+nobounds,v1+align64"},
		{"v4", 3, "this processor has level v3; want no higher one"},
		{"v1,go1.27.4+v3", 1, "this processor has level v1; want no higher one"},
		{"v5", 4, format}, {"", 4, format}, {"v1,", 4, format}, {"pgo", 4, format}, {"v1+fast", 4, format}, {"v1+v2", 4, format},
		{"v1+", 4, format}, {"V1", 4, format}, {"v1+pgo nobounds", 4, format}, {"v1+go1.27.4", 4, format}, {"go2", 4, format},
	}
	for _, tt := range tests {
		got, err := readBuilds(tt.text, tt.have)
		if err != nil {
			assert.Equal(t, tt.want, err.Error(), "%s at v%d", tt.text, tt.have)
			continue
		}
		assert.Equal(t, tt.want, join(got), "%s at v%d", tt.text, tt.have)
	}
}

func stepNames(list []steps.Step) string {
	var words []string
	for _, s := range list {
		words = append(words, s.Name)
	}
	return strings.Join(words, " ")
}

// However many spheres there are, a slice takes some tenths of a second at the
// most, and the picture is one that a step can render.
func TestSphereSettings(t *testing.T) {
	for _, s := range steps.All() {
		before := sphereSettings(s, 1)
		assert.Equal(t, common.Settings{Width: 64, Height: 36, Samples: 10, Workers: 1}, before)
		for _, n := range usualSpheres {
			settings := sphereSettings(s, n)
			rays := func(s common.Settings) int { return 4 * s.Width * s.Height * s.Samples }
			assert.LessOrEqual(t, rays(settings), rays(before), "%s, %d spheres", s.Name, n)
			before = settings
			if s.Number > 0 && s.Number < 10 {
				assert.LessOrEqual(t, rays(settings)*n, 128*maxSpheres, "%s, %d spheres", s.Name, n)
			}
		}
		assert.GreaterOrEqual(t, before.Width, 8)
		assert.GreaterOrEqual(t, before.Height, 4)
	}
}

// Without a choice of steps, each kind has its usual ones; and each has its
// usual extent.
func TestUsual(t *testing.T) {
	var several []steps.Step
	for _, s := range steps.All() {
		if s.Workers {
			several = append(several, s)
		}
	}
	require.NotEmpty(t, several)
	crossing, err := steps.Parse("1,12,13,wavefront,tree")
	require.NoError(t, err)
	tests := []struct {
		args   string
		kind   results.Kind
		want   []steps.Step
		extent extent
	}{
		{"", results.OfSteps, steps.All(), usual},
		{"-quick", results.OfSteps, steps.All(), quick},
		{"-orders 3 -launches 2 -time 1s", results.OfSteps, steps.All(), extent{launch.Schedule{Orders: 3, Launches: 2}, time.Second}},
		{"-quick -launches 2", results.OfSteps, steps.All(), extent{launch.Schedule{Orders: quick.Orders, Launches: 2}, quick.time}},
		{"-step 1,3-4", results.OfSteps, []steps.Step{steps.All()[0], steps.All()[2], steps.All()[3]}, usual},
		{"-against HEAD -step 4", results.OfSteps, steps.All()[3:4], compare},
		{"-against HEAD -step 4 -quick", results.OfSteps, steps.All()[3:4], quick},
		{"-experiments", results.OfExperiments, steps.All(), sampled},
		{"-workers 1", results.OfSweep, several[:1], sampled},
		{"-workers 1 -tiles 8 -step 12", results.OfSweep, steps.All()[11:12], sampled},
		{"-simulate", results.OfSchedules, several[:1], simulated},
		{"-simulate -step 13", results.OfSchedules, steps.All()[12:13], simulated},
		{"-spheres 1", results.OfSpheres, crossing, spheres},
		{"-builds v1", results.OfBuilds, steps.Numbered(), sampled},
		{"-full", results.OfFull, steps.All(), once},
		{"-full -step 4", results.OfFull, steps.All()[3:4], once},
	}
	for _, tt := range tests {
		t.Run(tt.args, func(t *testing.T) {
			o, err := readOptions(strings.Fields(tt.args)...)
			require.NoError(t, err)
			got, err := o.check()
			require.NoError(t, err)
			assert.Equal(t, stepNames(tt.want), stepNames(got))
			assert.Equal(t, tt.kind, o.kind())
			assert.Equal(t, tt.extent, o.extent())
		})
	}
}
