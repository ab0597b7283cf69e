// Package git reads repositories: which commit a revision is, and the files that it has.
package git

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"raysteps/scripts/internal/cli"
	"raysteps/scripts/internal/tool"
)

// Commit returns the commit of a revision of a repository.
func Commit(ctx context.Context, root, revision string) (commit string, err error) {
	// The revision may begin with a minus.
	commit, err = tool.Output(ctx, root, nil, "git", "rev-parse", "--verify", "--quiet", "--short", "--end-of-options", revision+"^{commit}")
	if exit := new(exec.ExitError); errors.As(err, &exit) { // git is there
		err = cli.Misuse("no revision %q in %s; want one that git log shows (git fetch --unshallow completes a shallow clone)", revision, root)
	}
	return commit, err
}

// CheckOut writes a revision of a repository to a folder, with the submodules that are there, and
// returns its commit. The repository is only read: this has an index of its own.
func CheckOut(ctx context.Context, root, revision, folder string) (commit string, err error) {
	commit, err = Commit(ctx, root, revision)
	env := append(os.Environ(), "GIT_INDEX_FILE="+folder+".index")
	git := func(args ...string) (text string) {
		if err == nil {
			args = append([]string{"-c", "core.splitIndex=false", "-c", "core.fsmonitor=false"}, args...)
			text, err = tool.Output(ctx, root, env, "git", args...)
		}
		return text
	}
	git("read-tree", commit)
	git("checkout-index", "--all", "--prefix="+folder+"/")
	files := git("ls-files", "--stage", "-z")
	for file := range strings.SplitSeq(files, "\x00") {
		about, name, _ := strings.Cut(file, "\t")
		fields := strings.Fields(about)
		if err != nil || len(fields) < 2 || fields[0] != "160000" { // which is a commit
			continue
		}
		inside := filepath.Join(root, filepath.FromSlash(name))
		if _, missing := os.Stat(filepath.Join(inside, ".git")); missing != nil {
			continue // as it is not initialized, no version has it
		}
		_, failed := CheckOut(ctx, inside, fields[1], filepath.Join(folder, filepath.FromSlash(name)))
		if failed != nil {
			err = fmt.Errorf("%s has the submodule %s at %.12s, which is not there: want git submodule update, or git -C %[2]s fetch", revision, name, fields[1])
		}
	}
	return commit, err
}
