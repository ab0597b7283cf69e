// Command publish makes measurements those that the pages of the repository show.
package main

import (
	"context"
	"flag"
	"fmt"

	"raysteps/scripts/internal/cli"
	"raysteps/scripts/internal/published"
)

const help = `Publish copies files of measurements, as go run ./scripts/bench writes them, into
results under the name of the machine, unless they are in results already, and
notes in results/published that the pages show them. go run ./scripts/readme then
fills the pages. A kind of measurements stays until a file of that kind is
published, and each table says where it was measured.

Measurements have sixteen link orders or more; those of the steps have all of
them. They are refused if the noise row excludes 1 by more than 1 %: then the
machine was not quiet, and other rows are as wrong.`

func command() cli.Command {
	return cli.Command{
		Name:     "publish",
		Synopsis: "[flags] FILE...",
		Help:     help,
		Examples: `
			go run ./scripts/publish results/local/2026-01-31T120000.txt
			go run ./scripts/publish -machine "my laptop" STEPS.txt EXPERIMENTS.txt
			go run ./scripts/publish -second -machine "your laptop" STEPS.txt
			go run ./scripts/publish -more EXPERIMENTS.txt`,
		MaxArgs: len(published.Kinds()),
		Setup: func(flags *flag.FlagSet) cli.Run {
			var r published.Request
			flags.StringVar(&r.Machine, "machine", "", "the `name` of the machine, which names the files in results (default: made from its processor and system)")
			flags.BoolVar(&r.Second, "second", false, "show the steps in the file, of a second machine, in columns of their own")
			flags.BoolVar(&r.More, "more", false, "keep the published experiments, and show those in the file that they lack, such as those that want another release of Go")
			return func(_ context.Context, env *cli.Env, files []string) error {
				if len(files) == 0 {
					return cli.Misuse("no file; want one or more that scripts/bench wrote")
				}
				root, err := cli.ModuleRoot()
				if err != nil {
					return err
				}
				r.Files = files
				written, err := published.Publish(root, r)
				for _, file := range written {
					fmt.Fprintln(env.Stdout, file)
				}
				return err
			}
		},
	}
}

func main() { cli.Main(command()) }
