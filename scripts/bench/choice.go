package main

import (
	"errors"
	"flag"
	"fmt"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/klauspost/cpuid/v2"

	"raysteps/common"
	"raysteps/common/outfile"
	"raysteps/scripts/internal/cli"
	"raysteps/scripts/internal/launch"
	"raysteps/scripts/internal/oldresults"
	"raysteps/scripts/internal/steps"
)

// everything stands for the usual list in a flag that takes one.
const everything = "all"

// The usual lists, besides that of workers.
var (
	usualTiles   = []int{8, 16, 32, 64, 128}
	usualSpheres = []int{1, 3, 10, 30, 100, 200, 300, 1000, 2000, 3000, 10_000, 30_000, 100_000, 300_000, 1_000_000}
	usualBuilds  = []launch.Build{{Level: "v1"}, {Level: "v3"}, {Level: "v4"}, {Level: "v1", Options: "+pgo"}, {Level: "v3", Options: "+pgo"}, {Level: "v1", Options: "+nobounds"}, {Level: "v1", Options: "+align64"}}
)

// sphereSteps are those of -spheres: loops and the tree.
const sphereSteps = "1,12,13,wavefront,tree"

// peerSteps are those of -peers: those that a reader of the article's tables looks
// for, and what goes on from them.
const peerSteps = "1,4,8-13,avx512,wavefront"

// The largest that is accepted: more than anybody has, or what the steps take.
const (
	maxWorkers  = common.MaxWorkers
	maxTile     = 4096
	maxSpheres  = 1_000_000
	maxOrders   = 1000
	maxLaunches = 100
	maxTime     = 24 * time.Hour
)

// options is what the flags say.
type options struct {
	set []string // names of the flags that were given

	step string

	experiments    bool
	workers, tiles []int
	simulate       bool
	spheres        []int
	builds         []launch.Build
	full           bool
	peers          string
	against        string

	quick    bool
	orders   int           // 0: the usual number
	launches int           // 0: the usual number
	time     time.Duration // 0: the usual time
	counters bool
	out      string
}

func (o *options) register(flags *flag.FlagSet) {
	flags.StringVar(&o.step, "step", "", "measure a `list` of steps: 4, or 1,3-5, or step04, or avx512")
	flags.BoolVar(&o.experiments, "experiments", false, "measure the benchmarks of the chapters in place of the steps")
	numbers(flags, &o.workers, "workers", "measure a step with a `list` of numbers of goroutines", usualWorkers(), maxWorkers)
	numbers(flags, &o.tiles, "tiles", "measure a step with a `list` of sizes of tiles, in pixels", usualTiles, maxTile)
	flags.BoolVar(&o.simulate, "simulate", false, "simulate a step with goroutines on up to 256 processors, by the way the picture is divided")
	numbers(flags, &o.spheres, "spheres", "measure scenes with a `list` of numbers of spheres", usualSpheres, maxSpheres)
	buildsFlag(flags, &o.builds)
	flags.BoolVar(&o.full, "full", false, "render each picture of 1280x720 once, between slices, to check that slices stand for it")
	flags.StringVar(&o.peers, "peers", "", "render each picture of 1280x720 beside the programs in C++ in a `folder`, in turns")
	flags.StringVar(&o.against, "against", "", "measure one step against a `revision` of git, such as HEAD")
	flags.BoolVar(&o.quick, "quick", false, "take about a minute and a half for all steps, with wider intervals")
	numberFlag(flags, &o.orders, "orders", maxOrders, fmt.Sprintf("link in this `number` of orders, in place of %d, or %d with -quick", usual.Orders, quick.Orders))
	numberFlag(flags, &o.launches, "launches", maxLaunches, fmt.Sprintf("launch each order this `number` of times, in place of %d, or %d with -quick", usual.Launches, quick.Launches))
	flags.DurationVar(&o.time, "time", 0, fmt.Sprintf("measure for about so `long`, such as 90s, in place of %v, or %v with -quick", usual.time, quick.time))
	flags.BoolVar(&o.counters, "counters", false, "read the processor's counters, too: instructions, cycles, mispredicted branches and cache misses a ray")
	flags.StringVar(&o.out, "o", "", "write the measurements to this `file`")
}

// has reports whether a flag was given, if only as 0 or an empty text.
func (o *options) has(name string) bool { return slices.Contains(o.set, name) }

// extent is how much is measured.
type extent struct {
	launch.Schedule
	time time.Duration // in all launches
}

// What is measured unless flags say otherwise.
var (
	usual     = extent{launch.Schedule{Orders: 48, Launches: 2}, 8*time.Minute + 30*time.Second}
	quick     = extent{launch.Schedule{Orders: 16, Launches: 1}, 34 * time.Second}
	compare   = extent{launch.Schedule{Orders: 8, Launches: 2}, 20 * time.Second}  // -against
	spheres   = extent{launch.Schedule{Orders: 16, Launches: 1}, 3 * time.Minute}  // and what a million spheres take longer
	sampled   = extent{launch.Schedule{Orders: 16, Launches: 1}, 10 * time.Minute} // kinds with a program for each package or build
	simulated = extent{Schedule: launch.Schedule{Orders: 6, Launches: 1}}          // -simulate
	once      = extent{Schedule: launch.Schedule{Orders: 1, Launches: 1}}          // -full
	rounds    = extent{Schedule: launch.Schedule{Orders: 8, Launches: 1}}          // -peers
)

// extent returns how much the options ask for.
func (o *options) extent() extent {
	e := usual
	switch kind := o.kind(); {
	case o.quick:
		e = quick
	case kind == results.OfSchedules:
		e = simulated
	case kind == results.OfFull:
		e = once
	case kind == results.OfPeers:
		e = rounds
	case o.against != "":
		e = compare
	case kind == results.OfSpheres:
		e = spheres
	case kind != results.OfSteps:
		e = sampled
	}
	if o.orders > 0 {
		e.Orders = o.orders
	}
	if o.launches > 0 {
		e.Launches = o.launches
	}
	if o.time > 0 {
		e.time = o.time
	}
	return e
}

// usualWorkers is 1, 2, 4 and so on, and at the end the number of processors.
func usualWorkers() []int {
	var list []int
	processors := runtime.GOMAXPROCS(0)
	for n := 1; n < processors; n *= 2 {
		list = append(list, n)
	}
	return append(list, processors)
}

// numberFlag is a flag with a number from 1 to the most.
func numberFlag(flags *flag.FlagSet, to *int, name string, most int, usage string) {
	flags.Func(name, usage, func(text string) (err error) {
		if *to, err = strconv.Atoi(strings.TrimSpace(text)); err != nil || *to < 1 || *to > most {
			return fmt.Errorf("want a number from 1 to %d", most)
		}
		return nil
	})
}

// numbers is a flag with a list of those.
func numbers(flags *flag.FlagSet, to *[]int, name, usage string, usual []int, most int) {
	flags.Func(name, usage+fmt.Sprintf(" (%s: %s)", everything, join(usual)), func(text string) error {
		if text == everything {
			*to = usual
			return nil
		}
		*to = nil
		for item := range strings.SplitSeq(text, ",") {
			n, err := strconv.Atoi(strings.TrimSpace(item))
			if err != nil || n < 1 || n > most {
				return fmt.Errorf("want numbers from 1 to %d with commas between, or %s", most, everything)
			}
			if !slices.Contains(*to, n) {
				*to = append(*to, n)
			}
		}
		return nil
	})
}

func join[T any](list []T) string {
	words := make([]string, len(list))
	for i, item := range list {
		words[i] = fmt.Sprint(item)
	}
	return strings.Join(words, ",")
}

// levelNumber is that of the level, or 1 for the level of the environment.
func levelNumber(b launch.Build) int {
	return max(1, 1+slices.Index([]string{"v1", "v2", "v3", "v4"}, b.Level))
}

// readBuilds reads a list of builds that a processor of a level can run.
func readBuilds(text string, have int) ([]launch.Build, error) {
	if text == everything {
		return slices.DeleteFunc(slices.Clone(usualBuilds), func(b launch.Build) bool { return levelNumber(b) > have }), nil
	}
	var list []launch.Build
	for item := range strings.SplitSeq(text, ",") {
		b, ok := launch.ReadBuild(strings.TrimSpace(item))
		if !ok {
			return nil, errors.New("want v1, v2, v3 or v4, or a release of Go such as go1.27.4, with +pgo, +nobounds or +align64 behind it, or several, and commas between, such as v1,v3+pgo")
		}
		if levelNumber(b) > have {
			return nil, fmt.Errorf("this processor has level v%d; want no higher one", have)
		}
		if !slices.Contains(list, b) {
			list = append(list, b)
		}
	}
	return list, nil
}

// buildsFlag is the flag -builds.
func buildsFlag(flags *flag.FlagSet, to *[]launch.Build) {
	usage := fmt.Sprintf("compare a `list` of builds: levels of GOAMD64 or releases of Go, with +pgo for a profile of the steps, +nobounds for no bounds checks and +align64 for functions at multiples of 64 bytes (%s: %s)",
		everything, join(usualBuilds))
	flags.Func("builds", usage, func(text string) (err error) {
		have := 1
		if runtime.GOARCH == "amd64" {
			have = cpuid.CPU.X64Level()
		}
		*to, err = readBuilds(text, have)
		return err
	})
}

// kind is what the options ask to measure.
func (o *options) kind() results.Kind {
	switch {
	case o.experiments:
		return results.OfExperiments
	case len(o.workers) > 0 || len(o.tiles) > 0:
		return results.OfSweep
	case o.simulate:
		return results.OfSchedules
	case len(o.spheres) > 0:
		return results.OfSpheres
	case len(o.builds) > 0:
		return results.OfBuilds
	case o.full:
		return results.OfFull
	case o.peers != "":
		return results.OfPeers
	}
	return results.OfSteps
}

// inPlaceOfSteps are the flags that each choose what is measured.
var inPlaceOfSteps = []string{"experiments", "workers", "tiles", "simulate", "spheres", "builds", "full", "peers", "against"}

// check returns the chosen steps, or what is wrong with the options.
func (o *options) check() ([]steps.Step, error) {
	what := slices.DeleteFunc(slices.Clone(inPlaceOfSteps), func(name string) bool {
		return !o.has(name) || name == "tiles" && o.has("workers") // which go together
	})
	switch {
	case len(what) > 1:
		return nil, cli.Misuse("-%s exclude each other; want one of them", strings.Join(what, " and -"))
	case o.has("time") && o.time <= 0 || o.time > maxTime:
		return nil, cli.Misuse("-time is %v; want a time such as 90s, %v at the most", o.time, maxTime)
	case o.full && (o.quick || o.orders > 0 || o.launches > 0 || o.time > 0):
		return nil, cli.Misuse("-full renders each picture once; want it without -quick, -orders, -launches and -time")
	case (o.peers != "" || o.simulate) && (o.quick || o.time > 0):
		return nil, cli.Misuse("-%s renders whole pictures, as many as -orders says; want it without -quick and -time", what[0])
	case o.counters && len(what) > 0:
		return nil, cli.Misuse("-counters is for the steps; want it without -%s", what[0])
	}
	if o.out != "" {
		if err := outfile.Check("results", o.out); err != nil {
			return nil, cli.Misuse("-o: %v", err)
		}
	}
	chosen, err := o.chosen()
	if err != nil {
		return nil, err
	}
	if o.against != "" && (!o.has("step") || len(chosen) != 1) {
		return nil, cli.Misuse("-against is about one step; want it with one, such as -step 4")
	}
	return chosen, nil
}

// chosen returns the steps that the options name, or else the usual ones of
// the kind.
func (o *options) chosen() ([]steps.Step, error) {
	if o.has("step") {
		chosen, err := steps.Parse(o.step)
		if err != nil {
			return nil, cli.Misuse("-step: %v", err)
		}
		return chosen, nil
	}
	switch o.kind() {
	case results.OfSweep, results.OfSchedules:
		return slices.DeleteFunc(steps.All(), func(s steps.Step) bool { return !s.Workers })[:1], nil
	case results.OfSpheres:
		return steps.Parse(sphereSteps)
	case results.OfBuilds:
		return steps.Numbered(), nil
	case results.OfPeers:
		return steps.Parse(peerSteps)
	}
	return steps.All(), nil
}
