// Command readme fills the pages of the repository.
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

const help = `Makes README.md from README_template.md, and fills docs/*.md and soagen/README.md in
place. Listings, differences, tables, figures in sentences, charts, pictures and the
output of commands stand between two comments and are made anew from the source and
from measurements in results, a file for each machine:

  <!-- raysteps:NAME key=value ... -->

  what was filled in last time

  <!-- /raysteps -->

Within a line of prose the content goes directly between the comments. A value
with spaces stands in double quotes. Nothing is written if anything fails, and
only files that change are written. What another version of Go said stays as it
is, except with -remake, which is for a new release.

Measurements of your own, which go run ./scripts/bench writes to results/local, get
tables of their own in README.md and docs/results.md, and columns titled "yours" in
the chapters. Sentences stay about the published machine. -reset takes yours out
again. To publish a machine, copy its file from results/local to results: its
measurements must meet the bar, or nothing is written and a line says why.

Directives:
`

func command() cli.Command {
	return cli.Command{
		Name:     "readme",
		Synopsis: "[flags]",
		Help:     help + directiveHelp(),
		Examples: `
			go run ./scripts/readme
			go run ./scripts/readme -reset`,
		Setup: func(flags *flag.FlagSet) cli.Run {
			reset := flags.Bool("reset", false, "take the figures of results/local out of the pages")
			remake := flags.Bool("remake", false, "make anew what another version of Go said, or another processor")
			return func(ctx context.Context, env *cli.Env, _ []string) error {
				root, err := cli.ModuleRoot()
				if err != nil {
					return err
				}
				s, err := newSite(root, *reset)
				if err != nil {
					return err
				}
				s.remake = *remake
				return s.run(ctx, env)
			}
		},
	}
}

// directiveHelp describes the directives.
func directiveHelp() string {
	var b strings.Builder
	directives := (&site{}).directives()
	for _, name := range slices.Sorted(maps.Keys(directives)) {
		fmt.Fprintf(&b, "\n  %s %s\n", name, strings.ReplaceAll(directives[name].Help, "\n", "\n      "))
	}
	return b.String()
}

func main() { cli.Main(command()) }
