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
	"raysteps/scripts/internal/cli"
	"raysteps/scripts/internal/count"
	"raysteps/scripts/internal/launch"
	"raysteps/scripts/internal/machine"
	"raysteps/scripts/internal/results"
	"raysteps/scripts/internal/steps"
)

// options is what the flags say.
type options struct {
	set map[string]string // the flags that were given

	step        string
	experiments string
	builds      string
	peers       string
	against     string
	counts      bool
	quick       bool
	orders      int           // 0: as many as usual
	time        time.Duration // 0: as long as usual
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
	flags.IntVar(&o.orders, "orders", 0, "link in at the most this `number` of orders")
	flags.StringVar(&o.out, "o", "", "write the measurements to this `file`")
}

// extent is how much is measured unless flags say otherwise.
type extent struct {
	orders int
	time   time.Duration // in all, linking included
}

// leastOrders is how many launches there are, whatever the time.
const leastOrders = 2

// maxOrders is more than anybody has the patience for.
const maxOrders = 1000

var (
	usual   = extent{128, 11*time.Minute + 15*time.Second}
	quick   = extent{20, 88 * time.Second}
	compare = extent{40, 60 * time.Second} // -against; it ends sooner if the interval is narrow
	sampled = extent{12, 10 * time.Minute} // -experiments and -builds
	rounds  = extent{8, 24 * time.Hour}    // -peers
)

func (o *options) extent() extent {
	e := usual
	switch {
	case o.peers != "":
		e = rounds
	case o.against != "":
		e = compare
	case o.experiments != "" || o.builds != "":
		e = sampled
	case o.quick:
		e = quick
	}
	if o.orders > 0 {
		e.orders = o.orders
	}
	if o.time > 0 {
		e.time = o.time
		if o.orders == 0 {
			e.orders = maxOrders
		}
	}
	return e
}

// check reads the lists and refuses what does not go together.
func (o *options) check() (err error) {
	var kinds []string
	for _, name := range []string{"experiments", "builds", "peers", "against", "counts", "step"} {
		value, given := o.set[name]
		if given && value == "" {
			return cli.Misuse("-%s is empty; -help lists the flags", name)
		}
		if given && name != "step" {
			kinds = append(kinds, name)
		}
	}
	_, orders := o.set["orders"]
	_, times := o.set["time"]
	switch {
	case len(kinds) > 1:
		return cli.Misuse("-%s and -%s measure different things; want one of them", kinds[0], kinds[1])
	case o.counts && (orders || times || o.quick):
		return cli.Misuse("-counts are the same each time; want it without -quick, -orders and -time")
	case len(kinds) > 0 && o.quick:
		return cli.Misuse("-quick is for the steps; -time says how long -%s may take", kinds[0])
	case orders && (o.orders < leastOrders || o.orders > maxOrders):
		return cli.Misuse("-orders %d: want %d to %d", o.orders, leastOrders, maxOrders)
	case times && (o.time < time.Second || o.time > 24*time.Hour):
		return cli.Misuse("-time %v: want 1s to 24h", o.time)
	}
	o.chosen = steps.All()
	switch {
	case o.step != "":
		if o.chosen, err = steps.Parse(o.step); err != nil {
			return cli.Misuse("-step %w", err)
		}
	case o.peers != "":
		o.chosen, err = steps.Parse(peerSteps)
	case o.experiments == spheresExperiment:
		o.chosen, err = steps.Parse(sphereSteps)
	}
	if o.against != "" && len(o.chosen) != 1 {
		return cli.Misuse("-against takes one step; want -step with its number")
	}
	for text := range strings.SplitSeq(o.builds, ",") {
		if o.builds == "" {
			break
		}
		b, ok := launch.ReadBuild(strings.TrimSpace(text))
		if !ok {
			return cli.Misuse("-builds %q: want a release of Go, a level or both, and options, such as go1.27.4, v3 or v1+pgo", text)
		}
		o.wanted = append(o.wanted, b)
	}
	if o.out != "" {
		if err := outfile.Check("results", o.out); err != nil {
			return cli.Misuse("-o: %w", err)
		}
	}
	return err
}

// write writes the measurements to the file that the options name, with lines that
// describe the machine, and returns the name that a reader is told.
func (o *options) write(root string, all []*benchfmt.Result) (string, error) {
	lines, err := machine.Describe()
	if err != nil {
		return "", err
	}
	name := filepath.Join(filepath.FromSlash(results.Local), machineName(lines)+".txt")
	add := func(key, value string) {
		lines = append(lines, benchfmt.Config{Key: key, Value: []byte(value)})
	}
	add("pgo", "off")
	add("measured", time.Now().UTC().Format(time.RFC3339))
	if revision, err := git(context.Background(), root, "rev-parse", "--short", "HEAD"); err == nil && revision != "" { // else there is no git, or no clone
		if changes, _ := git(context.Background(), root, "status", "--porcelain", "--untracked-files=no"); changes != "" {
			revision += " with changes"
		}
		add("revision", revision)
	}
	for _, r := range all {
		for _, line := range lines {
			if _, ok := r.ConfigIndex(line.Key); !ok {
				launch.Set(r, line.Key, string(line.Value))
			}
		}
	}
	var text strings.Builder
	if o.counts {
		for _, unit := range count.Units() {
			fmt.Fprintf(&text, "Unit %s assume=exact\n", unit)
		}
	} else {
		text.WriteString("Unit rays/s better=higher\n")
	}
	text.WriteString("\n")
	w := benchfmt.NewWriter(&text)
	// All of a benchmark together, as each line that changes is written again, and in
	// the order of their declaration: the first variant is the one to compare with.
	subject := func(r *benchfmt.Result) string {
		return r.GetConfig("pkg") + "," + r.GetConfig(buildKey) + "," + string(r.Name)
	}
	all = slices.Clone(all)
	first := map[string]int{}
	for i, r := range slices.Backward(all) {
		first[subject(r)] = i
	}
	slices.SortStableFunc(all, func(a, b *benchfmt.Result) int { return first[subject(a)] - first[subject(b)] })
	for _, r := range all {
		launch.Set(r, "picture", "") // all launches have the same
		if err := w.Write(r); err != nil {
			return "", err
		}
	}
	if o.out != "" {
		return o.out, outfile.Write("results", o.out, []byte(text.String()))
	}
	if o.against != "" {
		return "", nil // which is about a moment, and no page shows
	}
	return name, results.Merge(filepath.Join(root, name), []byte(text.String()))
}

// machineName is that of a machine's file: amd-epyc-zen-5.
func machineName(lines []benchfmt.Config) string {
	var cpu, generation string
	for _, line := range lines {
		switch line.Key {
		case "cpu":
			cpu = string(line.Value)
		case "cpu-generation":
			generation = string(line.Value)
		}
	}
	name := notInName.ReplaceAllString(strings.ToLower(cpu+" "+generation), "-")
	return cmp.Or(strings.Trim(name, "-"), "machine")
}

// notInName is what the name of a file does without.
var notInName = regexp.MustCompile(`(\(r\)|\(tm\)| processor| cpu|[^a-z0-9])+`)
