// Package toolchain runs the go commands whose output the chapters quote: what the
// compiler inlined, what it moved to the heap, which bounds checks it left, and the
// instructions themselves.
//
// What the compiler says depends on the source and on the version of Go alone.
// Whatever the machine and its settings are, packages are compiled for linux/amd64
// with GOAMD64=v1, without cgo, profiles and build tags. Programs of the module run
// as on the reader's machine.
//
// Each answer is kept for as long as the process runs. All functions are safe for
// concurrent use. A root is the folder of a module.
package toolchain

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// Target is what packages are compiled for.
const Target = "linux/amd64"

// Version returns the version of the Go toolchain of a module, such as go1.26.8.
func Version(root string) (string, error) { return version(root) }

var version = memo(func(root string) (string, error) {
	out, err := execute(root, os.Environ(), "env", "GOVERSION")
	return strings.TrimSpace(out), err
})

// memo keeps the answers of f.
func memo[K comparable, V any](f func(K) (V, error)) func(K) (V, error) {
	var answers sync.Map
	return func(key K) (V, error) {
		once, _ := answers.LoadOrStore(key, sync.OnceValues(func() (V, error) { return f(key) }))
		return once.(func() (V, error))()
	}
}

// settings are the variables that decide what the compiler does.
var settings = []string{
	"GOOS=linux", "GOARCH=amd64", "GOAMD64=v1", "GOFLAGS=-trimpath", "GOEXPERIMENT=",
	"CGO_ENABLED=0", "GOFIPS140=off", "GOWORK=off", "GO111MODULE=",
}

func execute(root string, env []string, args ...string) (string, error) {
	cmd := exec.Command("go", args...)
	cmd.Dir, cmd.Env = root, env
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("go %s: %w", strings.Join(args, " "), reason(err, errs.String()))
	}
	return out.String() + errs.String(), nil
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

// simd is what a command may have in front.
const simd = "GOEXPERIMENT=" + SIMD + " "

// Output runs a command that a reader can type, in root, and returns what it prints:
// go build, go test -c or go run, of packages of the module, with
// GOEXPERIMENT=simd in front or not. file stands in place of {}.
func Output(root, command, file string) (string, error) {
	return output(question{root, command, file})
}

type question struct{ root, command, file string }

var output = memo(func(q question) (string, error) {
	words := strings.Fields(strings.TrimPrefix(q.command, simd))
	if len(words) < 3 || words[0] != "go" || !slices.Contains([]string{"build", "run", "test"}, words[1]) || words[1] == "test" && words[2] != "-c" {
		return "", fmt.Errorf("command is %q; want go build, go run or go test -c, and a package", q.command)
	}
	env := os.Environ()
	args := words[1:]
	if words[1] != "run" {
		env = append(env, settings...)
		args = slices.Concat(words[1:2], []string{"-pgo=off", "-buildvcs=false"}, words[2:])
	}
	if i := slices.Index(args, "{}"); i >= 0 {
		args[i] = q.file
	}
	if strings.HasPrefix(q.command, simd) {
		env = append(env, strings.TrimSpace(simd))
	}
	return execute(q.root, env, args...)
})

var place = regexp.MustCompile(`^(.+?):(\d+):(?:(\d+):)? (.*)$`)

var inlineBody = regexp.MustCompile(`^(can inline .* with cost \d+) as: .*`)

// Report returns the lines of what the compiler says with flags such as -m, ordered
// by file and place and each once. Explanations that -m=2 gives, and the bodies of
// functions that can be inlined, are left out.
func Report(out string) []string {
	type said struct {
		file      string
		line, col int
		text      string
	}
	var all []said
	prefix := ""
	for line := range strings.Lines(out) {
		line = strings.TrimRight(line, "\r\n")
		if header, ok := strings.CutPrefix(line, "# "); ok { // the path of the package, whose first part is the module's
			module, _, _ := strings.Cut(header, "/")
			prefix = module + "/"
			continue
		}
		m := place.FindStringSubmatch(line)
		if m == nil || strings.HasPrefix(m[4], " ") || strings.HasPrefix(m[1], "<") {
			continue
		}
		s := said{file: strings.TrimPrefix(strings.ReplaceAll(m[1], `\`, "/"), prefix), text: inlineBody.ReplaceAllString(m[4], "$1")}
		s.line, _ = strconv.Atoi(m[2])
		s.col, _ = strconv.Atoi(m[3])
		all = append(all, s)
	}
	slices.SortStableFunc(all, func(a, b said) int {
		return cmp.Or(cmp.Compare(a.file, b.file), a.line-b.line, a.col-b.col)
	})
	var lines []string
	for _, s := range all {
		at := fmt.Sprintf("%s:%d", s.file, s.line)
		if s.col > 0 {
			at += fmt.Sprintf(":%d", s.col)
		}
		if line := at + ": " + s.text; !slices.Contains(lines, line) {
			lines = append(lines, line)
		}
	}
	return lines
}
