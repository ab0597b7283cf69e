// Command readme fills the pages of the repository in place. What it fills are
// the directives of package directive; its help lists them.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"raysteps/scripts/internal/cli"
)

const help = `Fills README.md, docs/*.md and soagen/README.md in place. Listings, differences,
the compiler's reports and figures in the pages stand between two comments and
are made anew from the source and from measurements:

  <!-- raysteps:NAME key=value ... -->

  what was filled in last time

  <!-- /raysteps -->

Within a line of prose the content goes directly between the comments. A value
with spaces stands in double quotes. Nothing is written if anything fails, and
only files that change are written. What the compiler says is said with its
version; a check with another version of Go leaves it out and tells how much
that is.

Measurements of all steps at full size in results/local that are newer than
those in the pages are published: so go run ./scripts/bench and this
command make the pages yours. -local=false leaves them out, and so does -check.

-publish puts measurements into the pages: those of the steps, or those of one
of the other kinds, as go run ./scripts/bench writes them, in sixteen link
orders or more, and the steps with all of them. Measurements whose noise row
excludes 1 by more than 1 % are refused. Each kind stays until a file of its own
is published, and each table says where it was measured. The file is copied
into results under the name of the machine, unless it is in results already,
and results/published says which files are shown. An execution trace of
BenchmarkTimeline is published in the same way, and drawn; it is taken to be of
the machine of the steps, unless -machine says another. -compare does the same
with the steps of a second machine, which pages can show beside the first.

Directives:
`

func command() cli.Command {
	return cli.Command{
		Name:     "readme",
		Synopsis: "[flags]",
		Help:     help + directiveHelp(),
		Examples: `
			go run ./scripts/readme
			go run ./scripts/readme -check
			go run ./scripts/readme -publish results/local/2026-01-31T120000.txt
			go run ./scripts/readme -publish STEPS.txt -publish EXPERIMENTS.txt -machine "my laptop"
			` + traceCommand + `
			go run ./scripts/readme -publish FILE
			go run ./scripts/readme -compare results/another-machine.txt`,
		Setup: func(flags *flag.FlagSet) cli.Run {
			check := flags.Bool("check", false, "write nothing; fail and show the difference if a page is stale")
			var r request
			flags.Func("publish", "show the measurements, or the execution trace, in this `file` in the pages; may be given once for each kind", func(file string) error {
				r.files = append(r.files, file)
				return nil
			})
			compare := false
			flags.Func("compare", "show the steps in this `file`, of a second machine, beside those of the first", func(file string) error {
				if compare {
					return errors.New("given twice; want one second machine")
				}
				r.compare, compare = file, true
				return nil
			})
			flags.StringVar(&r.machine, "machine", "", "with -publish or -compare: the `name` of the machine, which names the file in results (default: made from its processor and system)")
			useLocal := flags.Bool("local", true, "publish new measurements of all steps in results/local")
			return func(ctx context.Context, env *cli.Env, _ []string) error {
				publishing := len(r.files) > 0 || compare
				switch {
				case *check && len(r.files) > 0:
					return cli.Misuse("-check and -publish exclude each other; want one of them")
				case *check && compare:
					return cli.Misuse("-check and -compare exclude each other; want one of them")
				case compare && r.compare == "":
					return cli.Misuse("-compare: results %q: does not exist; want a file that scripts/bench wrote", "")
				case r.machine != "" && !publishing:
					return cli.Misuse("-machine names the file of -publish; want both")
				}
				root, err := cli.ModuleRoot()
				if err != nil {
					return err
				}
				s := newSite(root, *check)
				s.keep = *check || publishing
				if *useLocal && !*check && !publishing {
					found, passed, err := s.newest()
					if err != nil {
						return err
					}
					if passed != "" {
						fmt.Fprintln(env.Stdout, passed)
					}
					if found != "" {
						r.files = []string{found}
						fmt.Fprintf(env.Stdout, "Publishing %s, which is newer than what the pages show\n", path.Join(local, filepath.Base(found)))
					}
				}
				shown, err := s.publish(r)
				if err != nil {
					return err
				}
				if err := run(ctx, env, s); err != nil {
					return err
				}
				if len(shown) > 0 {
					s.touch()
				}
				for _, line := range s.others(shown) {
					fmt.Fprintln(env.Stdout, line)
				}
				return nil
			}
		},
	}
}

// directiveHelp describes the directives that are registered.
func directiveHelp() string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(registry)) {
		d := registry[name]
		fmt.Fprintf(&b, "\n  %s\n", d.Usage)
		for line := range strings.Lines(d.Help) {
			b.WriteString("      " + strings.TrimSpace(line) + "\n")
		}
	}
	return b.String()
}

func main() { cli.Main(command()) }
