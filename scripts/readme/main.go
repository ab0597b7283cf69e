package main

import (
	"context"
	_ "embed"
	"flag"

	"raysteps/scripts/internal/cli"
)

//go:embed doc.go
var manual string

func command() cli.Command {
	return cli.Command{
		Name:     "readme",
		Synopsis: "[flags]",
		Manual:   manual,
		More:     manuals,
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

func main() { cli.Main(command()) }
