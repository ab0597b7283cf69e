package main

import (
	"cmp"
	"context"
	_ "embed"
	"flag"

	"raysteps/scripts/internal/cli"
	"raysteps/scripts/internal/source"
	"raysteps/scripts/internal/steps"
)

//go:embed doc.go
var manual string

var command = cli.Command{
	Name:     "diff",
	Synopsis: "[-target SYSTEM/PROCESSOR] [FROM] TO",
	Manual:   manual,
	MaxArgs:  2,
	Setup: func(flags *flag.FlagSet) cli.Run {
		target := source.Here()
		flags.Func("target", "show the files of a build for `system/processor`, such as linux/arm64 (default: this machine's)",
			func(text string) (err error) {
				target, err = source.ParseTarget(text)
				return err
			})
		return func(_ context.Context, env *cli.Env, args []string) error {
			if len(args) == 0 {
				return cli.Misuse("no step; want one or two, as in diff 3 4")
			}
			to, err := steps.Find(args[len(args)-1])
			if err != nil {
				return cli.Misuse("%w", err)
			}
			before := cmp.Or(to.Before, "nothing")
			if len(args) == 2 {
				before = args[0]
			}
			from, err := steps.Find(before)
			if err != nil || from.Name == to.Name {
				return cli.Misuse("cannot compare %q with %s; want two steps, each %s", before, to.Name, steps.Choices)
			}
			root, err := cli.ModuleRoot()
			if err != nil {
				return err
			}
			l, err := source.Diff(root, from.Folder(), to.Folder(), target)
			if err != nil {
				return err
			}
			return l.Write(env.Stdout, cli.Color(env.Stdout))
		}
	},
}

func main() { cli.Main(command) }
