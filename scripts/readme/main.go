// Command readme fills the pages of the repository in place. What it fills are
// the directives of package directive; its help lists them.
package main

import (
	"context"
	"flag"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"raysteps/scripts/internal/cli"
	"raysteps/scripts/internal/published"
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

Measurements of all steps in results/local that are newer than those in the
pages are published first, as go run ./scripts/publish does it: so go run
./scripts/bench and this command make the pages yours. -check leaves them out. A
region whose kind of measurements is not published stays as it is, and a line says
so.

Directives:
`

func command() cli.Command {
	return cli.Command{
		Name:     "readme",
		Synopsis: "[flags]",
		Help:     help + directiveHelp(),
		Examples: `
			go run ./scripts/readme
			go run ./scripts/readme -check`,
		Setup: func(flags *flag.FlagSet) cli.Run {
			check := flags.Bool("check", false, "write nothing; fail and show the difference if a page is stale")
			return func(ctx context.Context, env *cli.Env, _ []string) error {
				root, err := cli.ModuleRoot()
				if err != nil {
					return err
				}
				if !*check {
					if err := publishNewest(env, root); err != nil {
						return err
					}
				}
				return run(ctx, env, newSite(root, *check))
			}
		},
	}
}

// publishNewest publishes what was measured here since the last time.
func publishNewest(env *cli.Env, root string) error {
	file, reason, err := published.Newest(root)
	if err != nil {
		return err
	}
	if reason != "" {
		fmt.Fprintln(env.Stdout, "Passing over "+reason)
	}
	if file == "" {
		return nil
	}
	fmt.Fprintf(env.Stdout, "Publishing %s, which is newer than what the pages show\n", file)
	written, err := published.Publish(root, published.Request{Files: []string{filepath.Join(root, filepath.FromSlash(file))}})
	for _, name := range written {
		fmt.Fprintln(env.Stdout, name)
	}
	return err
}

// directiveHelp describes the directives that are registered.
func directiveHelp() string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(registry)) {
		d := registry[name]
		fmt.Fprintf(&b, "\n  %s\n", d.usage)
		for line := range strings.Lines(d.help) {
			b.WriteString("      " + strings.TrimSpace(line) + "\n")
		}
	}
	return b.String()
}

func main() { cli.Main(command()) }
