package main

import (
	"context"
	_ "embed"
	"flag"
	"os"

	"raysteps/scripts/internal/cli"
)

//go:embed doc.go
var manual string

var command = cli.Command{
	Name:     "book",
	Synopsis: "[flags]",
	Manual:   manual,
	Setup: func(flags *flag.FlagSet) cli.Run {
		dir := flags.String("o", "", "write a static site into this `folder`, and serve nothing; with -guesses, a page into this file")
		folder := flags.String("guesses", "", "draw what the files in this `folder` guessed beside what came")
		port := flags.Int("port", 8013, "listen on this port; 0 is any that is free")
		return func(ctx context.Context, env *cli.Env, _ []string) error {
			if *port < 0 || *port > 65535 {
				return cli.Misuse("-port is %d; want 0 to 65535", *port)
			}
			root, err := cli.ModuleRoot()
			if err != nil {
				return err
			}
			if err := check(*folder, *dir); err != nil {
				return err
			}
			b, err := openBook(root)
			if err != nil {
				return err
			}
			if *folder != "" {
				return b.drawGuesses(env, *folder, *dir)
			}
			// A compilation may go on when the command ends: it is ended, and leaves nothing.
			if b.tmp, err = os.MkdirTemp("", "raysteps-book-"); err != nil {
				return err
			}
			var cancel context.CancelFunc
			b.ctx, cancel = context.WithCancel(ctx)
			defer func() {
				cancel()
				b.compile.Lock() // and is not unlocked: no other one begins
				os.RemoveAll(b.tmp)
			}()
			if *dir != "" {
				return b.write(ctx, env, *dir)
			}
			return serve(ctx, env, b, *port)
		}
	},
}

// check says why nothing can be written where it should be.
func check(folder, out string) error {
	switch {
	case folder != "" && out == "":
		return cli.Misuse("-guesses %q: want -o, the file of the page", folder)
	case folder != "":
		return nil // one file, which says so itself
	case out != "":
		return checkFolder(out)
	}
	return nil
}

func main() { cli.Main(command) }
