// Command book shows the pages of the repository in a browser: with contents, a
// search and colors, the steps side by side, charts that can be asked for their
// values, and a race between steps. It serves them from the clone, or writes them
// as a static site. Its help tells how to call it.
package main

import (
	"context"
	"flag"

	"raysteps/scripts/internal/cli"
)

var command = cli.Command{
	Name:     "book",
	Synopsis: "[flags]",
	Help: `Shows the pages in a browser, from the files of the clone as they are: change one
and load the page again. Besides the chapters there are the steps side by side,
charts of the published measurements and of your own in results/local, and a race
between steps on this machine.

The server listens on the loopback address, which no other machine reaches. With
-o it writes the same into a folder, for any host or to be opened as files; there
the race is a replay at the published speeds.`,
	Examples: `go run ./scripts/book
go run ./scripts/book -port 0         # on a port that is free
go run ./scripts/book -o site         # as files`,
	Setup: func(flags *flag.FlagSet) cli.Run {
		dir := flags.String("o", "", "write a static site into this `folder`, and serve nothing")
		port := flags.Int("port", 8013, "listen on this port; 0 is any that is free")
		show := flags.Bool("open", true, "open a browser, if standard output is a terminal")
		return func(ctx context.Context, env *cli.Env, _ []string) error {
			root, err := cli.ModuleRoot()
			if err != nil {
				return err
			}
			if *port < 0 || *port > 65535 {
				return cli.Misuse("-port is %d; want 0 to 65535", *port)
			}
			b, err := openBook(root, *dir == "")
			switch {
			case err != nil:
				return err
			case *dir != "":
				return b.write(env, *dir)
			}
			return serve(ctx, env, b, *port, *show && cli.IsTerminal(env.Stdout))
		}
	},
}

func main() { cli.Main(command) }
