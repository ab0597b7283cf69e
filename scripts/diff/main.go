// Command diff shows the lesson between two steps: what one changes of the
// other, without what all steps differ in. Its help tells how to call it.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"

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
			root, err := cli.ModuleRoot()
			if err != nil {
				return err
			}
			from, to, err := choose(args)
			if err != nil {
				return cli.Misuse("%w", err)
			}
			l, err := source.Diff(root, from.Folder(), to.Folder())
			if err != nil {
				return err
			}
			return l.Write(env.Stdout, cli.Color(env.Stdout))
		}
	},
}

// choose finds the steps that the arguments name.
func choose(args []string) (from, to steps.Step, err error) {
	if len(args) == 0 {
		return from, to, errors.New("no step; want one or two, as in diff 3 4")
	}
	if to, err = steps.Find(args[len(args)-1]); err != nil {
		return from, to, err
	}
	if len(args) == 1 {
		from, ok := to.Previous()
		if !ok {
			return from, to, fmt.Errorf("there is no step before %s; want two steps", to.Name)
		}
		return from, to, nil
	}
	if from, err = steps.Find(args[0]); err != nil {
		return from, to, err
	}
	if from.Name == to.Name {
		return from, to, fmt.Errorf("%s and %s are the same step; want two", args[0], args[1])
	}
	return from, to, nil
}

func main() { cli.Main(command) }
