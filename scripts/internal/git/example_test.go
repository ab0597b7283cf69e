package git_test

import (
	"context"
	"fmt"

	"raysteps/scripts/internal/git"
)

func ExampleCommit() {
	_, err := git.Commit(context.Background(), ".", "yesterday")
	fmt.Println(err)
	// Output:
	// no revision "yesterday" in .; want one that git log shows (git fetch --unshallow completes a shallow clone)
}
