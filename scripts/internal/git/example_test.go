package git_test

import (
	"context"
	"fmt"
	"strings"

	"raysteps/scripts/internal/git"
)

func ExampleCommit() {
	_, err := git.Commit(context.Background(), ".", "yesterday")
	what, want, _ := strings.Cut(err.Error(), "; ")
	fmt.Println(what)
	fmt.Println(want)
	// Output:
	// no revision "yesterday" in .
	// want one that git log shows (git fetch --unshallow completes a shallow clone)
}
