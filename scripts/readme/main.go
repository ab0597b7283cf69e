package main

import (
	"context"
	_ "embed"
	"flag"
	"fmt"

	"raysteps/scripts/internal/cli"
	"raysteps/scripts/internal/results"
)

//go:embed doc.go
var manual string

func command() cli.Command {
	return cli.Command{
		Name:     "readme",
		Synopsis: "[flags]",
		Manual:   manual,
		More:     "\n" + manuals,
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
				if err := s.run(ctx, env); err != nil {
					return err
				}
				switch {
				case s.own != nil:
					fmt.Fprintf(env.Stdout, "The figures of %s stand in the pages, as yours; go run ./scripts/readme -reset takes them out.\n", results.Local)
				case *reset:
					fmt.Fprintln(env.Stdout, "The pages have the published figures alone; go run ./scripts/readme puts yours in again.")
				}
				return nil
			}
		},
	}
}

func main() { cli.Main(command()) }
