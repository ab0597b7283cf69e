// Bench measures the steps on this machine and prints what it found.
//
// It links all steps into one program, in many link orders. In each of these the
// steps take turns in slices of milliseconds. In place of the steps in the three
// scenes it measures benchmarks of packages, builds, a step against another
// revision of itself, or whole pictures beside programs in C++, in the same way.
// What it writes is plain Go benchmark format.
package main

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"golang.org/x/perf/benchfmt"

	"raysteps/scripts/internal/cli"
	"raysteps/scripts/internal/launch"
)

func main() { cli.Main(command()) }

func command() cli.Command {
	return cli.Command{
		Name:     "bench",
		Synopsis: "[flags]",
		Help: `Bench measures the steps and prints a table for each scene: rays a second, the
speed over step 1 and over the step before, and what the place of its code is worth
to a step. Behind a figure is its 95 % interval; ~ stands for a ratio that may be 1.

All steps are linked into one program, in many orders of its functions. In each,
all steps take turns in slices of some milliseconds, thirty times over, each time in
another order. What a step makes of a scene before it renders, such as a tree, is
not timed. The last row of a table is the code of step 1 linked a second time, at
another place: what it differs by is noise.

The measurements go to the file of this machine in results/local, which git ignores,
in the place of earlier ones of the same, or with -o to a file of your choice. Ctrl-C keeps the launches that are finished.

In place of the steps in the three scenes it measures
  -against       one step against its files in a revision of git: what a change did
  -experiments   benchmarks of packages, by name
  -builds        settings of the compiler, or releases of Go
  -peers         pictures of 1280x720 beside programs in C++
  -counts        what the processor executes for a ray: instructions, loads, stores
                 and branches, exactly, by valgrind

Lists have commas between. Where the toolchain has GOEXPERIMENT=simd, packages that
can make use of it are built with it, together with all that is linked with them.`,
		Examples: `
			go run ./scripts/bench -quick                          # all steps, about a minute and a half
			go run ./scripts/bench                                 # all steps, about twelve minutes, with narrow intervals
			go run ./scripts/bench -step 1,3-4,avx512 -time 30s    # some of them
			go run ./scripts/bench -against HEAD -step 4           # what a change of step 4 did
			go run ./scripts/bench -experiments all -step 4        # the benchmarks of chapter 4
			go run ./scripts/bench -experiments Workers -step 13   # one, two, four and more goroutines
			go run ./scripts/bench -builds v1,v3+pgo -step 4,12    # two builds of two steps
			go run ./scripts/bench -builds go1.26.8,go1.27.4       # two releases of Go
			go run ./scripts/bench -counts                         # instructions a ray of all steps
			go run ./scripts/bench -peers ../rays1                 # beside the article's program, built in that folder
			go tool benchstat -ignore link-order,place -col pkg -row /scene FILE`,
		Setup: func(flags *flag.FlagSet) cli.Run {
			var o options
			o.register(flags)
			return func(ctx context.Context, env *cli.Env, args []string) error {
				o.set = map[string]string{}
				flags.Visit(func(f *flag.Flag) { o.set[f.Name] = f.Value.String() })
				return o.run(ctx, env)
			}
		},
	}
}

// run measures what the options ask for and prints what it found.
func (o *options) run(ctx context.Context, env *cli.Env) error {
	start := time.Now()
	if err := o.check(); err != nil {
		return err
	}
	root, err := cli.ModuleRoot()
	if err != nil {
		return err
	}
	bin, err := os.MkdirTemp("", "raysteps-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(bin)
	var p plan
	var all []*benchfmt.Result
	if o.counts {
		if all, err = o.count(ctx, env, root); err != nil {
			return err
		}
	} else {
		if err := p.fill(ctx, env, root, bin, o); err != nil {
			return err
		}
		if p.note != "" {
			fmt.Fprintf(env.Stdout, "%s\n\n", p.note)
		}
		all, err = p.measure(ctx, env, start)
	}
	if len(all) == 0 {
		return err
	}
	r, rerr := newReport(all, o)
	if rerr != nil {
		return rerr
	}
	name, werr := o.write(root, all)
	if werr != nil {
		return werr
	}
	if err != nil {
		fmt.Fprintf(env.Stdout, "Stopped early: %d of %d launches are finished and kept.\n\n", p.done, p.orders)
	}
	r.done, r.took = p.done, time.Since(start)
	err = cmp.Or(err, r.print(env.Stdout))
	if o.against != "" && err == nil {
		err = o.countAgainst(ctx, env, env.Stdout, p.sources[0].linker.Root, root)
	}
	if name != "" {
		fmt.Fprintf(env.Stdout, "The measurements are in %s", filepath.ToSlash(name))
		if o.out == "" {
			fmt.Fprint(env.Stdout, ". To see them in the pages: go run ./scripts/readme; to take them out again: go run ./scripts/readme -reset")
		}
		fmt.Fprintln(env.Stdout)
	}
	return err
}

// measure runs launches until all are done or the time is up, and returns what
// they measured. What stops it is an error, beside what was measured before.
func (p *plan) measure(ctx context.Context, env *cli.Env, start time.Time) ([]*benchfmt.Result, error) {
	bar := env.Progress(int64(p.orders), "measuring "+p.what)
	defer bar.Finish()
	var all []*benchfmt.Result
	begin := time.Now()
	for ; p.done < p.orders; p.done++ {
		each := time.Since(begin) / time.Duration(max(p.done, 1))
		if p.done >= leastOrders && time.Since(start)+each > p.time {
			break
		}
		if p.enough != nil && p.done >= leastOrders && p.enough(all) {
			break
		}
		if n := len(p.sources[0].Binaries); p.done == n {
			bar.Clear()
			if err := p.link(ctx, env, n); err != nil {
				return all, err
			}
		}
		got, err := p.launch(ctx, p.done)
		if err != nil {
			return all, err
		}
		all = append(all, got...)
		bar.Add(1)
	}
	return all, nil
}

// launch runs the programs of the plan in one link order.
func (p *plan) launch(ctx context.Context, order int) ([]*benchfmt.Result, error) {
	var all []*benchfmt.Result
	together := 1
	if p.ring {
		together = len(p.sources)
	}
	for sources := range slices.Chunk(p.sources, together) {
		var programs []launch.Program
		for _, s := range sources {
			programs = append(programs, s.Program)
		}
		got, err := launch.Launch(ctx, programs, order)
		if err != nil {
			return nil, err
		}
		all = append(all, got...)
	}
	if p.peers != nil {
		got, err := p.peers.round(ctx, order)
		if err != nil {
			return nil, err
		}
		all = append(all, got...)
	}
	return all, p.check(all)
}
