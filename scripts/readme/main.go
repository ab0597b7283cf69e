package main

import (
	"context"
	_ "embed"
	"flag"
	"fmt"
	"maps"
	"slices"
	"strings"

	"raysteps/scripts/internal/cli"
)

//go:embed doc.go
var manual string

func command() cli.Command {
	return cli.Command{
		Name:     "readme",
		Synopsis: "[flags]",
		Manual:   manual,
		More:     directiveHelp(),
		Setup: func(flags *flag.FlagSet) cli.Run {
			reset := flags.Bool("reset", false, "take the figures of results/local out of the pages")
			return func(ctx context.Context, env *cli.Env, _ []string) error {
				root, err := cli.ModuleRoot()
				if err != nil {
					return err
				}
				s, err := newSite(root, *reset)
				if err != nil {
					return err
				}
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
