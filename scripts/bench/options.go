package main

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"golang.org/x/perf/benchfmt"

	"raysteps/common/outfile"
	"raysteps/common/turns"
	"raysteps/scripts/internal/cli"
	"raysteps/scripts/internal/count"
	"raysteps/scripts/internal/launch"
	"raysteps/scripts/internal/machine"
	"raysteps/scripts/internal/results"
	"raysteps/scripts/internal/steps"
)

// options is what the flags say.
type options struct {
	step        string
	experiments string
	builds      string
	peers       string
	against     string
	counts      bool
	quick       bool
	time        time.Duration // 0: as long as that takes by default
	out         string

	chosen []steps.Step
	wanted []launch.Build // of -builds
}

func (o *options) register(flags *flag.FlagSet) {
	flags.StringVar(&o.step, "step", "", "measure a `list` of steps: 4, or 1,3-5, or step04, or avx512")
	flags.StringVar(&o.experiments, "experiments", "", "measure benchmarks of packages, by a list of `names` such as Layout or Workers,Tiles, Spheres for scenes of 1 to 1,000,000 spheres, or all that the chapters show")
	flags.StringVar(&o.builds, "builds", "", "measure a `list` of builds of the steps, such as v1,v3+pgo or go1.26.8,go1.27.4")
	flags.StringVar(&o.peers, "peers", "", "render pictures of 1280x720 beside the programs in C++ in a `folder`")
	flags.StringVar(&o.against, "against", "", "measure one step against a `revision` of git, such as HEAD")
	flags.BoolVar(&o.counts, "counts", false, "count instructions, loads, stores and branches a ray by valgrind, in place of measuring time")
	flags.BoolVar(&o.quick, "quick", false, "take about a minute and a half for all steps, with wider intervals")
	flags.DurationVar(&o.time, "time", 0, "measure for about so `long`, such as 60s, linking included")
	flags.StringVar(&o.out, "o", "", "write the measurements to this `file`")
}

// leastOrders is how many launches there are, whatever the time.
const leastOrders = 2

// extent returns how many link orders there are at the most, and how long measuring
// may take, linking included.
func (o *options) extent() (orders int, limit time.Duration) {
	const unlimited = 1000
	switch {
	case o.time > 0:
		return unlimited, o.time
	case o.peers != "":
		return 8, 24 * time.Hour
	case o.against != "":
		return unlimited, time.Minute // it ends sooner if the interval is narrow
	case o.experiments != "" || o.builds != "":
		return 12, 10 * time.Minute
	case o.quick:
		return unlimited, 88 * time.Second
	}
	return unlimited, 11*time.Minute + 15*time.Second
}

// check reads the lists and refuses what does not go together; given are the flags
// that were.
func (o *options) check(given map[string]string) (err error) {
	var kinds []string
	for _, name := range []string{"experiments", "builds", "peers", "against", "counts", "step"} {
		value, ok := given[name]
		if ok && value == "" {
			return cli.Misuse("-%s is empty; -help lists the flags", name)
		}
		if ok && name != "step" {
			kinds = append(kinds, name)
		}
	}
	_, times := given["time"]
	switch {
	case len(kinds) > 1:
		return cli.Misuse("-%s and -%s measure different things; want one of them", kinds[0], kinds[1])
	case o.counts && times:
		return cli.Misuse("-counts are the same each time; want it without -time")
	case len(kinds) > 0 && o.quick:
		return cli.Misuse("-quick is for the steps; want it without -%s", kinds[0])
	case times && (o.time < time.Second || o.time > 24*time.Hour):
		return cli.Misuse("-time %v: want 1s to 24h", o.time)
	}
	o.chosen = steps.All()
	list := o.step
	switch {
	case o.step == "" && o.peers != "":
		list = peerSteps
	case o.step == "" && o.experiments == spheresExperiment:
		list = sphereSteps
	}
	if list != "" {
		if o.chosen, err = steps.Parse(list); err != nil {
			return cli.Misuse("-step %w", err)
		}
	}
	if o.against != "" && len(o.chosen) != 1 {
		return cli.Misuse("-against takes one step; want -step with its number")
	}
	for text := range strings.SplitSeq(o.builds, ",") {
		b, ok := launch.ReadBuild(strings.TrimSpace(text))
		if !ok && o.builds != "" {
			return cli.Misuse("-builds %q: want a release of Go, a level or both, and options, such as go1.27.4, v3 or v1+pgo", text)
		}
		o.wanted = append(o.wanted, b)
	}
	if o.out != "" {
		if err := outfile.Check("results", o.out); err != nil {
			return cli.Misuse("-o: %w", err)
		}
	}
	return nil
}

// write writes the measurements to the file that the options name, with lines that
// describe the machine, and returns the name that a reader is told.
func (o *options) write(root string, all []*benchfmt.Result) (string, error) {
	lines, err := machine.Describe()
	if err != nil {
		return "", err
	}
	values := map[string]string{}
	for _, line := range lines {
		values[line.Key] = string(line.Value)
	}
	add := func(key, value string) {
		lines = append(lines, benchfmt.Config{Key: key, Value: []byte(value)})
	}
	add("pgo", "off")
	add("measured", time.Now().UTC().Format(time.RFC3339))
	if revision, err := git(context.Background(), root, "describe", "--always", "--exclude=*", "--dirty= with changes"); err == nil { // else there is no git, or no clone
		add("revision", revision)
	}
	for _, r := range all {
		for _, line := range lines {
			if _, ok := r.ConfigIndex(line.Key); !ok {
				turns.Set(r, line.Key, string(line.Value))
			}
		}
	}
	var text strings.Builder
	text.WriteString("Unit rays/s better=higher\n")
	for _, unit := range count.Units() {
		if o.counts {
			fmt.Fprintf(&text, "Unit %s assume=exact\n", unit)
		}
	}
	text.WriteString("\n")
	w := benchfmt.NewWriter(&text)
	// All of a benchmark together, as each line that changes is written again, and in
	// the order of their declaration: the first variant is the one to compare with.
	// Scenes take turns in random order, and stand by their names.
	subject := func(r *benchfmt.Result) (name, scene string) {
		name, scene, _ = strings.Cut(string(r.Name), "Render/scene=")
		return r.GetConfig("pkg") + "," + r.GetConfig(buildKey) + "," + name, scene
	}
	all = slices.Clone(all)
	first := map[string]int{}
	for i, r := range slices.Backward(all) {
		name, _ := subject(r)
		first[name] = i
	}
	slices.SortStableFunc(all, func(a, b *benchfmt.Result) int {
		nameA, sceneA := subject(a)
		nameB, sceneB := subject(b)
		return cmp.Or(first[nameA]-first[nameB], strings.Compare(sceneA, sceneB))
	})
	for _, r := range all {
		r = r.Clone()
		turns.Set(r, "picture", "") // all launches have the same
		if err := w.Write(r); err != nil {
			return "", err
		}
	}
	switch name := filepath.Join(filepath.FromSlash(results.Local), machineName(values["cpu"], values["cpu-generation"])+".txt"); {
	case o.out != "":
		return o.out, outfile.Write("results", o.out, []byte(text.String()))
	case o.against != "":
		return "", nil // which is about a moment, and no page shows
	default:
		return name, results.Merge(filepath.Join(root, name), []byte(text.String()))
	}
}

// machineName is that of a machine's file: amd-epyc-zen-5.
func machineName(cpu, generation string) string {
	name := notInName.ReplaceAllString(strings.ToLower(cpu+" "+generation), "-")
	return cmp.Or(strings.Trim(name, "-"), "machine")
}

// notInName is what the name of a file does without.
var notInName = regexp.MustCompile(`(\(r\)|\(tm\)| processor| cpu|[^a-z0-9])+`)
