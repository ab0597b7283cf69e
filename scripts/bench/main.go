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
	"time"

	"raysteps/scripts/internal/cli"
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
				given := map[string]string{}
				flags.Visit(func(f *flag.Flag) { given[f.Name] = f.Value.String() })
				if err := o.check(given); err != nil {
					return err
				}
				return o.run(ctx, env)
			}
		},
	}
}

// run measures what the options ask for and prints what it found.
func (o *options) run(ctx context.Context, env *cli.Env) error {
	start := time.Now()
	root, err := cli.ModuleRoot()
	if err != nil {
		return err
	}
	bin, err := os.MkdirTemp("", "raysteps-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(bin)
	p := &plan{options: o, root: root, bin: bin}
	if err := p.fill(ctx); err != nil {
		return err
	}
	if p.note != "" {
		fmt.Fprintf(env.Stdout, "%s\n\n", p.note)
	}
	all, err := p.measure(ctx, env, start)
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
		fmt.Fprintf(env.Stdout, "Stopped early: %d launches are finished and kept.\n\n", p.done)
	}
	r.done, r.took = p.done, time.Since(start)
	err = cmp.Or(err, r.print(env.Stdout))
	if name != "" {
		fmt.Fprintf(env.Stdout, "The measurements are in %s", filepath.ToSlash(name))
		if o.out == "" {
			fmt.Fprint(env.Stdout, ". To see them in the pages: go run ./scripts/readme; to take them out again: go run ./scripts/readme -reset")
		}
		fmt.Fprintln(env.Stdout)
	}
	return err
}
