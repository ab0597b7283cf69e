// Command diff shows the lesson between two steps: what one changes of the
// other, without what all steps differ in. Its help tells how to call it.
package main

import (
	"context"
	"flag"

	"raysteps/scripts/internal/cli"
	"raysteps/scripts/internal/source"
	"raysteps/scripts/internal/steps"
)

var command = cli.Command{
	Name:     "diff",
	Synopsis: "[FROM] TO",
	Help: `Shows what changes from one step to another as a unified diff, colored on a
terminal unless NO_COLOR is set. The package clause and the package comment do
not count, and neither do tests; the first sentence of the later step's comment is
the heading. A generated file is named alone.
Steps are numbers or folders; with one, the step that it goes on from is the
other.`,
	Examples: `go run ./scripts/diff 4
go run ./scripts/diff 3 4
go run ./scripts/diff step01 step04`,
	MaxArgs: 2,
	Setup: func(*flag.FlagSet) cli.Run {
		return func(_ context.Context, env *cli.Env, args []string) error {
			if len(args) == 0 {
				return cli.Misuse("no step; want one or two, as in diff 3 4")
			}
			to, err := steps.Find(args[len(args)-1])
			if err != nil {
				return cli.Misuse("%w", err)
			}
			if len(args) == 1 {
				args = []string{to.Before, to.Name}
			}
			from, err := steps.Find(args[0])
			if err != nil || from.Name == to.Name {
				return cli.Misuse("cannot compare %q with %s; want two steps, each %s", args[0], to.Name, steps.Choices())
			}
			root, err := cli.ModuleRoot()
			if err != nil {
				return err
			}
			l, err := source.Diff(root, from.Folder(), to.Folder())
			if err != nil {
				return err
			}
			return l.Write(env.Stdout, cli.Color(env.Stdout))
		}
	},
}

func main() { cli.Main(command) }
