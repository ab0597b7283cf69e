package main

import (
	"context"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"raysteps/scripts/internal/cli"
	"raysteps/scripts/internal/tool"
)

// build is a lab in a copy of what it needs of the module: common, the lab, the lab
// as it began in the folder start, and ours. No other step is there, so a lab cannot call one.
type build struct {
	*lab
	bin, root string // folders: for what is built, and the copy in it
}

func (b *build) close() { os.RemoveAll(b.bin) }

// build compiles a lab and tests its pictures, for so long at the most. Its errors
// are lines for the reader.
func (u user) build(ctx context.Context, l *lab, patience time.Duration) (*build, error) {
	if err := l.possible(); err != nil {
		return nil, fmt.Errorf("%s: %w", l.folder(), err)
	}
	bin, err := os.MkdirTemp("", "raysteps-lab-")
	if err != nil {
		return nil, err
	}
	b := &build{l, bin, filepath.Join(bin, "tree")}
	if err = u.copyModule(b); err == nil {
		err = b.test(ctx, patience)
	}
	if err != nil {
		b.close()
		return nil, err
	}
	return b, nil
}

func (u user) copyModule(b *build) error {
	for from, to := range map[string]string{filepath.Join(u.root, "common"): "common", filepath.Join(u.dir, b.name): b.folder()} {
		if err := os.CopyFS(filepath.Join(b.root, filepath.FromSlash(to)), os.DirFS(from)); err != nil {
			return err
		}
	}
	ours, err := (&lab{name: "ours", From: b.Ours, Ours: b.Ours, Parallel: b.Parallel}).files(u.root)
	if err == nil {
		err = create(filepath.Join(b.root, "ours"), ours)
	}
	if err != nil {
		return err
	}
	files, err := b.files(u.root)
	if err != nil {
		return err
	}
	for name, text := range maps.Clone(files) {
		// What it is held to is as it began; only the test of kernels follows them.
		if strings.HasSuffix(name, "_test.go") && name != "hit_test.go" {
			files["../"+b.folder()+"/"+name] = text
		}
	}
	for _, name := range []string{"go.mod", "go.sum"} {
		if files["../"+name], err = os.ReadFile(filepath.Join(u.root, name)); err != nil {
			return err
		}
	}
	return create(filepath.Join(b.root, "start"), files)
}

var (
	// otherStep is what the go command says of an import that is not in the copy.
	otherStep = regexp.MustCompile(`(lab/\S+?\.go):\S* package (raysteps/\S+) is not in std`)
	// failed are tests that failed, the one inside another after it.
	failed = regexp.MustCompile(`(?m)^\s*--- FAIL: (\S+)`)
)

// test runs the tests of a lab, as far as it began with them.
func (b *build) test(ctx context.Context, patience time.Duration) error {
	name := "./" + b.folder()
	cmd := exec.CommandContext(ctx, "go", "test", "-trimpath", "-short", "-vet=off", "-pgo=off", fmt.Sprint("-timeout=", patience), name)
	cmd.Dir, cmd.WaitDelay = b.root, time.Second
	out, err := cmd.CombinedOutput()
	text := string(out)
	if err == nil || ctx.Err() != nil {
		return ctx.Err()
	}
	if m := otherStep.FindStringSubmatch(text); m != nil {
		return fmt.Errorf("%s imports %s; a lab stands alone", m[1], m[2])
	}
	if strings.Contains(text, "panic: test timed out") {
		return fmt.Errorf("%s: a test is not finished after %v; does a loop end?", b.folder(), patience)
	}
	tests := failed.FindAllStringSubmatch(text, -1)
	if tests == nil || strings.Contains(text, "panic: ") {
		return fmt.Errorf("%s: %w", b.folder(), tool.Failure(ctx, err, text))
	}
	return fmt.Errorf("%s: %s fails; go test %s tells more", b.folder(), tests[min(1, len(tests)-1)][1], name)
}

// packages are the lab, the start and ours.
func (b *build) packages() []string {
	return []string{cli.Module + "/" + b.folder(), cli.Module + "/start", cli.Module + "/ours"}
}
