package cli_test

import (
	"context"
	"flag"
	"fmt"
	"os"

	"raysteps/scripts/internal/cli"
)

// A command greets somebody, so many times. What goes wrong is one line and a status.
func ExampleCommand_Exec() {
	greet := cli.Command{
		Name: "greet", Synopsis: "[flags] NAME", Manual: "/*\nGreet greets.\n*/\npackage main", MaxArgs: 1,
		Setup: func(flags *flag.FlagSet) cli.Run {
			times := flags.Int("times", 1, "so `many` times")
			return func(_ context.Context, env *cli.Env, args []string) error {
				if *times < 1 || len(args) == 0 {
					return cli.Misuse("-times %d %q: want a name, and once or more", *times, args)
				}
				for range *times {
					fmt.Fprintln(env.Stdout, "hello,", args[0])
				}
				return nil
			}
		},
	}
	ctx := context.Background()
	fmt.Println(greet.Exec(ctx, []string{"-times", "2", "Ada"}, os.Stdout, os.Stdout))
	fmt.Println(greet.Exec(ctx, []string{"-times", "0", "Ada"}, os.Stdout, os.Stdout))
	// Output:
	// hello, Ada
	// hello, Ada
	// 0
	// greet: -times 0 ["Ada"]: want a name, and once or more
	// 2
}
