package main

import (
	"flag"
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/perf/benchfmt"

	"raysteps/common/outfile"
	"raysteps/scripts/internal/cli"
	"raysteps/scripts/internal/count"
	"raysteps/scripts/internal/launch"
	"raysteps/scripts/internal/machine"
	"raysteps/scripts/internal/steps"
)

// options is what the flags say.
type options struct {
	set []string // names of the flags that were given

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
	flags.StringVar(&o.experiments, "experiments", "", "measure benchmarks of packages, by a list of `names` such as Layout or Workers,Tiles, or all that the chapters show")
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
	given := func(name string) bool { return slices.Contains(o.set, name) }
	kinds := slices.DeleteFunc([]string{"experiments", "builds", "peers", "against", "counts"}, func(name string) bool { return !given(name) })
	switch {
	case len(kinds) > 1:
		return cli.Misuse("-%s and -%s measure different things; want one of them", kinds[0], kinds[1])
	case o.counts && (o.orders > 0 || o.time > 0 || o.quick):
		return cli.Misuse("-counts are the same each time; want it without -quick, -orders and -time")
	case len(kinds) > 0 && o.quick:
		return cli.Misuse("-quick is for the steps; -time says how long -%s may take", kinds[0])
	case given("orders") && (o.orders < leastOrders || o.orders > maxOrders):
		return cli.Misuse("-orders %d: want %d to %d", o.orders, leastOrders, maxOrders)
	case given("time") && (o.time < time.Second || o.time > 24*time.Hour):
		return cli.Misuse("-time %v: want 1s to 24h", o.time)
	}
	for _, name := range []string{"experiments", "builds", "peers", "against", "step"} {
		if given(name) && flagOf(o, name) == "" {
			return cli.Misuse("-%s is empty; -help lists the flags", name)
		}
	}
	o.chosen = steps.All()
	if given("step") {
		if o.chosen, err = steps.Parse(o.step); err != nil {
			return cli.Misuse("-step %w", err)
		}
	} else if o.peers != "" {
		o.chosen, _ = steps.Parse(peerSteps)
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
	return nil
}

func flagOf(o *options, name string) string {
	return map[string]string{"experiments": o.experiments, "builds": o.builds, "peers": o.peers, "against": o.against, "step": o.step}[name]
}

// write writes the measurements to the file that the options name, with lines that
// describe the machine, and returns the name that a reader is told.
func (o *options) write(root string, all []*benchfmt.Result) (string, error) {
	lines, err := machine.Describe()
	if err != nil {
		return "", err
	}
	lines = append(lines, revision(root)...)
	for _, r := range all {
		for _, line := range lines {
			if _, ok := r.ConfigIndex(line.Key); !ok {
				launch.Set(r, line.Key, string(line.Value))
			}
		}
	}
	var text strings.Builder
	text.WriteString("Unit rays/s better=higher\n")
	if o.counts {
		text.Reset()
		for _, unit := range count.Units() {
			fmt.Fprintf(&text, "Unit %s assume=exact\n", unit)
		}
	}
	text.WriteString("\n")
	w := benchfmt.NewWriter(&text)
	// All of a benchmark together: each line that changes is written again.
	subject := func(r *benchfmt.Result) string {
		return r.GetConfig("pkg") + "," + r.GetConfig(buildKey) + "," + string(r.Name)
	}
	slices.SortStableFunc(all, func(a, b *benchfmt.Result) int { return strings.Compare(subject(a), subject(b)) })
	for _, r := range all {
		launch.Set(r, "picture", "") // all launches have the same
		if err := w.Write(r); err != nil {
			return "", err
		}
	}
	name := o.out
	if name == "" {
		name = filepath.Join("results", "local", localName(o)+".txt")
	}
	file := name
	if o.out == "" {
		file = filepath.Join(root, name)
	}
	return name, outfile.Write("results", file, []byte(text.String()))
}

func localName(o *options) string {
	switch {
	case o.against != "":
		return "against"
	case o.experiments != "":
		return "experiments"
	case o.builds != "":
		return "builds"
	case o.peers != "":
		return "peers"
	case o.counts:
		return "counts"
	}
	return "steps"
}

var hexadecimal = regexp.MustCompile(`^[0-9a-f]+$`)

// revision returns lines that say what was measured and when.
func revision(root string) []benchfmt.Config {
	line := func(key, value string) benchfmt.Config {
		return benchfmt.Config{Key: key, Value: []byte(value), File: true}
	}
	lines := []benchfmt.Config{line("pgo", "off"), line("date", time.Now().Format(time.DateOnly))}
	git := func(args ...string) string {
		out, err := exec.Command("git", append([]string{"-C", root}, args...)...).Output()
		if err != nil {
			return "" // no git, or no clone
		}
		return strings.TrimSpace(string(out))
	}
	if rev := git("rev-parse", "--short", "HEAD"); hexadecimal.MatchString(rev) {
		if git("status", "--porcelain", "--untracked-files=no") != "" {
			rev += " with changes"
		}
		lines = append(lines, line("revision", rev))
	}
	return lines
}

// plural writes a number with a noun.
func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return strconv.Itoa(n) + " " + noun + "s"
}
