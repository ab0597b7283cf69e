package main

import (
	"errors"
	"flag"
	"fmt"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/klauspost/cpuid/v2"

	"raysteps/common"
	"raysteps/common/outfile"
	"raysteps/scripts/internal/cli"
	"raysteps/scripts/internal/results"
	"raysteps/scripts/internal/steps"
)

// everything stands for the usual list in a flag that takes one.
const everything = "all"

// The usual lists, besides that of workers.
var (
	usualTiles   = []int{8, 16, 32, 64, 128}
	usualSpheres = []int{1, 3, 10, 30, 100, 300, 1000, 3000, 10_000, 30_000, 100_000}
	usualBuilds  = []build{{level: "v1"}, {level: "v3"}, {level: "v4"}, {level: "v1", pgo: true}, {level: "v3", pgo: true}, {level: "v1", unchecked: true}}
)

// sphereSteps are those of -spheres that use one goroutine; the others come
// after them.
const sphereSteps = "1,4,9,10,12"

// What the benchmarks accept, or more than anybody has.
const (
	maxWorkers = common.MaxWorkers
	maxTile    = 4096
	maxSpheres = 1_000_000
	maxWatts   = 10_000
)

// usualWorkers is 1, 2, 4 and so on, and at the end the number of processors.
func usualWorkers() []int {
	var list []int
	processors := runtime.GOMAXPROCS(0)
	for n := 1; n < processors; n *= 2 {
		list = append(list, n)
	}
	return append(list, processors)
}

// numbers is a flag with a list of numbers.
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

// instrument is the build tag that compiles instruments in.
const instrument = "instrument"

// build is how the compiler is told to build.
type build struct {
	level        string // GOAMD64
	pgo          bool   // with a profile of the step itself
	unchecked    bool   // without bounds checks in the step's own package
	instrumented bool   // with the instruments compiled in, none of which measures
}

func (b build) String() string {
	name := b.level
	if b.pgo {
		name += "+pgo"
	}
	if b.unchecked {
		name += "+nobounds"
	}
	if b.instrumented {
		name += "+" + instrument
	}
	return name
}

// number is that of the level, or 0.
func (b build) number() int { return 1 + slices.Index([]string{"v1", "v2", "v3", "v4"}, b.level) }

// readBuilds reads a list of builds that a processor of a level can run.
func readBuilds(text string, have int) ([]build, error) {
	if text == everything {
		return slices.DeleteFunc(slices.Clone(usualBuilds), func(b build) bool { return b.number() > have }), nil
	}
	var list []build
	for item := range strings.SplitSeq(text, ",") {
		item = strings.TrimSpace(item)
		words := strings.Split(item, "+")
		b := build{level: words[0]}
		for _, word := range words[1:] {
			switch word {
			case "pgo":
				b.pgo = true
			case "nobounds":
				b.unchecked = true
			case instrument:
				b.instrumented = true
			default:
				b.level = ""
			}
		}
		if b.number() == 0 {
			return nil, errors.New("want v1, v2, v3 or v4, with +pgo, +nobounds or +instrument behind it, or several, and commas between, such as v1,v3+pgo")
		}
		if b.number() > have {
			return nil, fmt.Errorf("this processor has level v%d; want no higher one", have)
		}
		if !slices.Contains(list, b) {
			list = append(list, b)
		}
	}
	return list, nil
}

// buildsFlag is the flag -builds.
func buildsFlag(flags *flag.FlagSet, to *[]build) {
	usage := fmt.Sprintf("compare a `list` of builds: levels of GOAMD64, with +pgo for a profile of the step itself, +nobounds for no bounds checks and +instrument for instruments that do not measure (%s: %s)",
		everything, join(usualBuilds))
	flags.Func("builds", usage, func(text string) (err error) {
		if runtime.GOARCH != "amd64" {
			return fmt.Errorf("it compares levels of amd64, and this is %s", runtime.GOARCH)
		}
		*to, err = readBuilds(text, cpuid.CPU.X64Level())
		return err
	})
}

// isSize reports whether a text is a size that the benchmarks accept.
func isSize(text string) bool {
	s := common.Default()
	width, height, _ := strings.Cut(text, "x")
	var err, err2 error
	s.Width, err = strconv.Atoi(width)
	s.Height, err2 = strconv.Atoi(height)
	return err == nil && err2 == nil && s.Validate() == nil
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
	}
	return results.OfSteps
}

// option is a flag and whether it was given.
type option struct {
	name  string
	given bool
}

// given returns the names of those that were.
func given(all ...option) []string {
	var names []string
	for _, o := range all {
		if o.given {
			names = append(names, o.name)
		}
	}
	return names
}

// check returns the chosen steps, or what is wrong with the options.
func (o *options) check() ([]steps.Step, error) {
	choice := given(option{"-all", o.all}, option{"-latest", o.latest}, option{"-single-threaded", o.single}, option{"-step", o.listed})
	sweeps := given(option{"-workers", len(o.workers) > 0}, option{"-tiles", len(o.tiles) > 0})
	what := given(option{"-experiments", o.experiments}, option{strings.Join(sweeps, " with "), len(sweeps) > 0},
		option{"-simulate", o.simulate}, option{"-spheres", len(o.spheres) > 0}, option{"-builds", len(o.builds) > 0})
	for _, names := range [][]string{choice, what} {
		if len(names) > 1 {
			return nil, cli.Misuse("%s exclude each other; want one of them", strings.Join(names, " and "))
		}
	}
	kind := o.kind()
	switch {
	case o.rounds < 1 || o.rounds > maxRounds:
		return nil, cli.Misuse("-num is %d; want 1 to %d rounds", o.rounds, maxRounds)
	case kind == results.OfExperiments && (o.save || o.quick):
		return nil, cli.Misuse("-experiments has no pictures and one size; want it without -quick and -save")
	case kind == results.OfSpheres && (o.save || o.quick):
		return nil, cli.Misuse("-spheres has pictures of its own size; want it without -quick and -save")
	case kind != results.OfSteps && o.save:
		return nil, cli.Misuse("-save is for the pictures of the steps; want it without %s", what[0])
	case o.size != "" && o.quick:
		return nil, cli.Misuse("-size and -quick exclude each other; want one of them")
	case o.size != "" && !isSize(o.size):
		return nil, cli.Misuse("-size is %q; want width and height, such as 320x180", o.size)
	case o.size != "" && kind != results.OfSteps && kind != results.OfBuilds:
		return nil, cli.Misuse("-size is for the steps and for -builds; want it without %s", what[0])
	case o.samples < 0 || o.samples > common.MaxSamples:
		return nil, cli.Misuse("-samples is %d; want 1 to %d", o.samples, common.MaxSamples)
	case o.samples > 0 && kind != results.OfSteps && kind != results.OfBuilds:
		return nil, cli.Misuse("-samples is for the steps and for -builds; want it without %s", what[0])
	case !(o.watts >= 0 && o.watts <= maxWatts):
		return nil, cli.Misuse("-watts is %v; want what the processor takes at full load, %d at the most", o.watts, maxWatts)
	}
	for _, file := range []struct{ flag, what, name string }{
		{"-o", "results", o.out}, {"-cpuprofile", "profile", o.cpuProfile}, {"-trace", "trace", o.trace},
	} {
		if file.name != "" {
			if err := outfile.Check(file.what, file.name); err != nil {
				return nil, cli.Misuse("%s: %v", file.flag, err)
			}
		}
	}
	chosen, err := o.chosen()
	if err != nil {
		return nil, err
	}
	if profiles := given(option{"-cpuprofile", o.cpuProfile != ""}, option{"-trace", o.trace != ""}); len(profiles) > 0 {
		switch {
		case len(chosen) != 1 || len(o.builds) > 0:
			return nil, cli.Misuse("%s is of a single step; want one, as in -step 4, and no -builds", profiles[0])
		case o.compileOnly:
			return nil, cli.Misuse("%s takes a run; want it without -compile-only", profiles[0])
		}
	}
	return chosen, nil
}

// chosen returns the steps that the options name, or else the usual ones of
// the kind.
func (o *options) chosen() ([]steps.Step, error) {
	several := slices.DeleteFunc(steps.All(), func(s steps.Step) bool { return s.Single })
	switch {
	case o.latest:
		return []steps.Step{steps.Latest()}, nil
	case o.single:
		return []steps.Step{steps.LatestSingle()}, nil
	case o.listed:
		chosen, err := steps.Select(o.step)
		if err != nil {
			return nil, cli.Misuse("-step: %v", err)
		}
		return chosen, nil
	case o.all:
		return steps.All(), nil
	}
	switch o.kind() {
	case results.OfSweep, results.OfSchedules:
		if len(several) == 0 {
			return nil, cli.Misuse("no step uses several goroutines yet; want one, with -step")
		}
		return several[:1], nil
	case results.OfSpheres:
		one, err := steps.Select(sphereSteps)
		return append(one, several...), err
	case results.OfBuilds:
		return steps.Numbered(), nil
	}
	return steps.All(), nil
}
