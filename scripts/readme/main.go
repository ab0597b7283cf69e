// Command readme fills the pages of the repository: README.md from
// README_template.md, and the chapters in docs in place. What it fills are
// the directives of package directive; its help lists them.
package main

import (
	"context"
	"flag"
	"fmt"
	"maps"
	"slices"
	"strings"

	"raysteps/scripts/internal/cli"
)

const help = `Fills README.md from README_template.md, and docs/*.md and soagen/README.md in
place. Listings, differences, the compiler's reports and figures in the pages
stand between two comments and are made anew from the source and from
measurements:

  <!-- raysteps:NAME key=value ... -->

  what was filled in last time

  <!-- /raysteps -->

Within a line of prose the content goes directly between the comments. A value
with spaces stands in double quotes. Nothing is written if anything fails, and
only files that change are written. What the compiler says is said with its
version; a check with another version of Go leaves it out and tells how much
that is.

-publish puts measurements into the pages: those of the steps or those of the
chapters' experiments, as go run ./scripts/bench writes them, with all steps or
all experiments and six rounds or more. Each kind stays until a file of its
own is published, and each table says where it was measured. The file is
copied into results under the name of the machine, unless it is in results
already, and results/published says which two files are shown.

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
			go run ./scripts/readme -publish STEPS.txt -publish EXPERIMENTS.txt -machine "my laptop"`,
		Setup: func(flags *flag.FlagSet) cli.Run {
			check := flags.Bool("check", false, "write nothing; fail and show the difference if a page is stale")
			var publish []string
			flags.Func("publish", "show the measurements in this `file` in the pages; may be given twice, for the steps and for the experiments", func(file string) error {
				publish = append(publish, file)
				return nil
			})
			machine := flags.String("machine", "", "with -publish: the `name` of the machine, which names the file in results (default: made from its processor and system)")
			return func(ctx context.Context, env *cli.Env, _ []string) error {
				if *check && len(publish) > 0 {
					return cli.Misuse("-check and -publish exclude each other; want one of them")
				}
				if *machine != "" && len(publish) == 0 {
					return cli.Misuse("-machine names the file of -publish; want both")
				}
				root, err := cli.ModuleRoot()
				if err != nil {
					return err
				}
				s := newSite(root, *check)
				s.keep = *check || len(publish) > 0
				kinds, err := s.publish(publish, *machine)
				if err != nil {
					return err
				}
				if err := run(ctx, env, s); err != nil {
					return err
				}
				for _, line := range s.others(kinds) {
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
