package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"

	"raysteps/scripts/internal/cli"
)

// repository is only read: revisions are written elsewhere, with an index of their own.
type repository struct{ root, prefix string } // of its tree, and a folder from there

// output runs a command in a folder with more in its environment.
func output(ctx context.Context, dir string, env []string, name string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
	text, err := cli.Output(ctx, cmd)
	return strings.TrimRight(text, "\r\n"), err
}

func openRepository(ctx context.Context, dir string) (r repository, err error) {
	if r.root, err = output(ctx, dir, nil, "git", "rev-parse", "--show-toplevel"); err == nil {
		r.prefix, err = output(ctx, dir, nil, "git", "rev-parse", "--show-prefix")
	}
	if err != nil {
		err = fmt.Errorf("-C %s: want a folder of a git repository: %w", dir, err)
	}
	return r, err
}

// checkOut writes a revision to a folder that is not there yet, and returns what stands
// there for the repository's, with a name for it.
func (r repository) checkOut(ctx context.Context, revision, folder string) (dir, label string, err error) {
	git := func(args ...string) (string, error) {
		args = append([]string{"-c", "core.splitIndex=false", "-c", "core.fsmonitor=false", "--work-tree=" + folder}, args...)
		return output(ctx, r.root, []string{"GIT_INDEX_FILE=" + folder + ".index"}, "git", args...)
	}
	commit, err := git("rev-parse", "--verify", "--short", revision+"^{commit}")
	if err != nil {
		hint := ""
		if shallow, _ := git("rev-parse", "--is-shallow-repository"); shallow == "true" {
			hint = "; the clone is shallow, and git fetch --unshallow gets the rest"
		}
		return "", "", cli.Misuse("no revision %q in %s; want one that git log shows%s", revision, r.root, hint)
	}
	if label = revision; !strings.HasPrefix(revision, commit) {
		label += " (" + commit + ")"
	}
	if err = os.Mkdir(folder, 0o700); err == nil {
		if _, err = git("read-tree", commit); err == nil {
			_, err = git("checkout-index", "--all", "--force")
		}
	}
	dir = filepath.Join(folder, filepath.FromSlash(r.prefix))
	if _, missing := os.Stat(dir); err == nil && missing != nil {
		err = fmt.Errorf("%s has no folder %s", label, r.prefix)
	}
	return dir, label, err
}

// local matches a folder in a go.work.
var local = regexp.MustCompile(`(?m)(^|\s)(\.\.?(?:/\S*)?|/[^/\s]\S*)`)

// workspace returns the go.work of a revision in a folder, or the user's, with the folders
// of the revision.
func (r repository) workspace(work, folder string) (string, error) {
	moved := func(path string) string {
		if rel, err := filepath.Rel(r.root, path); err == nil && filepath.IsLocal(rel) {
			return filepath.Join(folder, rel)
		}
		return path // is elsewhere
	}
	if own := moved(work); own != work {
		if _, err := os.Stat(own); err == nil {
			return own, nil
		}
	}
	text, err := os.ReadFile(work)
	if err != nil {
		return "", err
	}
	text = local.ReplaceAllFunc(text, func(match []byte) []byte {
		m := local.FindSubmatch(match)
		path := string(m[2])
		if !filepath.IsAbs(path) {
			path = filepath.Join(filepath.Dir(work), path)
		}
		return fmt.Appendf(nil, "%s%q", m[1], filepath.ToSlash(moved(path)))
	})
	return folder + ".work", os.WriteFile(folder+".work", text, 0o600)
}
