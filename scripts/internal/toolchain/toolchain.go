// Package toolchain asks the Go compiler what it made of a package: what it
// inlined, what it moved to the heap, which bounds checks it left, and the
// instructions themselves. The chapters quote its words.
//
// The answers depend on the source and on the version of Go alone. Whatever
// the machine and its settings are, packages are compiled for linux/amd64
// with GOAMD64=v1, without cgo, profiles and build tags, and without
// experiments but [SIMD] where they make use of it.
//
// Each answer is kept for as long as the process runs, so asking again costs
// nothing. All functions are safe for concurrent use. A root is the folder
// of a module; a package is given by its path from there, with slashes.
package toolchain

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

// Target is what packages are compiled for.
const Target = "linux/amd64"

// Version returns the version of the Go toolchain that compiles the packages
// of a module, such as go1.26.8.
func Version(root string) (string, error) { return version(root) }

var version = memo(func(root string) (string, error) {
	out, _, err := goCommand(root, "env", "GOVERSION")
	return strings.TrimSpace(out), err
})

// Experiment names the experiment of Go that a package is compiled with, or is
// empty.
func Experiment(root, pkg string) (string, error) {
	return experiment(question{root: root, pkg: pkg})
}

var experiment = memo(func(q question) (string, error) {
	if err := checkPackage(q.root, q.pkg); err != nil {
		return "", err
	}
	used, err := UsesSIMD(filepath.Join(q.root, filepath.FromSlash(q.pkg)))
	if err != nil || !used {
		return "", err
	}
	env, err := environment(q.root)
	if err != nil || !HasSIMD(q.root, append(slices.Clone(env), "GOEXPERIMENT="+SIMD)) {
		return "", err
	}
	return SIMD, nil
})

// memo keeps the answers of f.
func memo[K comparable, V any](f func(K) (V, error)) func(K) (V, error) {
	type answer struct {
		once  sync.Once
		value V
		err   error
	}
	var answers sync.Map
	return func(key K) (V, error) {
		kept, _ := answers.LoadOrStore(key, new(answer))
		a := kept.(*answer)
		a.once.Do(func() { a.value, a.err = f(key) })
		return a.value, a.err
	}
}

// settings are the variables that decide what the compiler does. GOENV=off
// is among them, because an empty variable would otherwise be taken from the
// user's file of settings.
var settings = []string{
	"GOENV=off",
	"GOOS=linux", "GOARCH=amd64", "GOAMD64=v1",
	"CGO_ENABLED=0", "GOFIPS140=off", "GOFLAGS=", "GOWORK=off", "GO111MODULE=",
}

// places are the variables that only say where modules and toolchains come
// from and where things are kept. They hold as the user has them.
var places = []string{
	"GOCACHE", "GOMODCACHE", "GOPATH", "GOPROXY", "GOSUMDB", "GOPRIVATE", "GONOPROXY", "GONOSUMDB", "GOINSECURE",
	"GOAUTH", "GOVCS", "GOTOOLCHAIN",
}

var environment = memo(func(root string) ([]string, error) {
	cmd := exec.Command("go", append([]string{"env", "-json"}, places...)...)
	cmd.Dir = root
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go env: %w", err)
	}
	var values map[string]string
	if err := json.Unmarshal(out, &values); err != nil {
		return nil, fmt.Errorf("go env: %w", err)
	}
	env := os.Environ()
	for _, name := range places {
		env = append(env, name+"="+values[name])
	}
	return append(env, settings...), nil
})

// goCommand runs the go command in root with the fixed settings and returns
// what it prints.
func goCommand(root string, args ...string) (stdout, stderr string, err error) {
	return goExperiment(root, "", args...)
}

// goExperiment is goCommand with an experiment, unless that is empty.
func goExperiment(root, name string, args ...string) (stdout, stderr string, err error) {
	env, err := environment(root)
	if err != nil {
		return "", "", err
	}
	cmd := exec.Command("go", args...)
	cmd.Dir, cmd.Env = root, append(slices.Clone(env), "GOEXPERIMENT="+name)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		return "", "", fmt.Errorf("go %s: %w", args[0], reason(err, errs.String()))
	}
	return out.String(), errs.String(), nil
}

// reason returns the first thing that a go command complained of.
func reason(err error, out string) error {
	for line := range strings.Lines(out) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			return errors.New(line)
		}
	}
	return err
}

// buildFlags are those that decide what the compiler does.
var buildFlags = []string{"-trimpath", "-pgo=off", "-buildvcs=false"}

func checkPackage(root, pkg string) error {
	if !fs.ValidPath(pkg) {
		return fmt.Errorf("%q is no package; want its path from the root of the module, like step04", pkg)
	}
	files, _ := filepath.Glob(filepath.Join(root, filepath.FromSlash(pkg), "*.go"))
	if len(files) == 0 {
		return fmt.Errorf("package %s does not exist; want the path of a folder with Go files, like step04", pkg)
	}
	return nil
}
