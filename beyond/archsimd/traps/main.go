// Command traps says which errors in Go's vectors this release has. It builds and runs a
// program for each, which prints whether Go is right:
//
//	go run ./beyond/archsimd/traps
package main

import (
	"embed"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
)

// programs print "right", "wrong", or why this processor cannot be asked.
//
//go:embed testdata
var programs embed.FS

type trap struct {
	file, issue, about string
	flags              string // of go build
	arch               string // other than amd64
	emulator           string // of a processor that this one is not
	unseen             bool   // no release that we know had it
}

var traps = []trap{
	{file: "andnot", about: "Or, then AndNot"},
	{file: "masks", issue: "80140", about: "Or of masks of 64 lanes"},
	{file: "minimum", issue: "81468", about: "x.Min(y) and y.Min(x), NaN"},
	{file: "less", issue: "76632", about: "Less and Greater", unseen: true},
	{file: "part", about: "a part at the end of a page"},
	{file: "checkptr", issue: "78413", about: "a part with -race", flags: "-gcflags=all=-d=checkptr"},
	{file: "abs", issue: "81405", about: "Abs without AVX2", emulator: "qemu-x86_64-static -cpu IvyBridge"},
	{file: "multiply", issue: "80991", about: "PMULL", arch: "arm64", emulator: "qemu-aarch64-static"},
	{file: "loop", issue: "81264", about: "simd in for range 1"},
	{file: "method", issue: "80657", about: "simd in a method"},
	{file: "generic", issue: "77444", about: "a vector as type argument"},
	{file: "variable", issue: "80689", about: "simd in a package variable"},
}

func main() {
	platform := runtime.GOOS + "/" + runtime.GOARCH
	if platform != "linux/amd64" || strings.HasPrefix(runtime.Version(), "go1.26") {
		fmt.Println("not asked: want linux/amd64 and Go 1.27 or newer")
		return
	}
	dir, err := os.MkdirTemp("", "traps")
	if err == nil {
		defer os.RemoveAll(dir)
		err = os.CopyFS(dir, programs)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "traps:", err)
		os.Exit(1)
	}
	release, _, _ := strings.Cut(runtime.Version(), "-X:") // what follows are experiments
	for _, t := range traps {
		issue := "no issue"
		if t.issue != "" {
			issue = "#" + t.issue
		}
		answer := t.ask(filepath.Join(dir, "testdata"), release)
		fmt.Printf("%s %-8s %-26s %s\n", release, issue, t.about, answer)
	}
}

// ask builds a program and runs it, and returns what it shows.
func (t trap) ask(dir, release string) string {
	build := exec.Command("go", "build", t.flags, "-o", t.file, t.file+".go")
	if t.flags == "" {
		build = exec.Command("go", "build", "-o", t.file, t.file+".go")
	}
	build.Dir = dir
	build.Env = append(os.Environ(),
		"GOTOOLCHAIN="+release, "GOEXPERIMENT=simd", "GOFLAGS=", "GO111MODULE=off")
	if t.arch != "" {
		build.Env = append(build.Env, "GOARCH="+t.arch)
	}
	if out, err := build.CombinedOutput(); err != nil {
		return verdict(string(out), err)
	}
	command := append(strings.Fields(t.emulator), filepath.Join(dir, t.file))
	if _, err := exec.LookPath(command[0]); err != nil {
		return "cannot happen here: it takes " + command[0]
	}
	out, err := exec.Command(command[0], command[1:]...).CombinedOutput()
	if v := verdict(string(out), err); v != fixed || !t.unseen {
		return v
	}
	return "not seen"
}

// end is of what a program or the compiler dies.
var end = regexp.MustCompile(`internal compiler error|SIGILL|checkptr|unexpected fault address`)

const fixed = "fixed"

// verdict says what a build or a program means that printed something.
func verdict(out string, err error) string {
	lines := strings.Split(strings.TrimSpace(out), "\n")
	switch last := lines[len(lines)-1]; {
	case err != nil && end.MatchString(out):
		return "not fixed: " + end.FindString(out)
	case err != nil:
		return fmt.Sprintf("not asked: %v: %s", err, last)
	case last == "right":
		return fixed
	case strings.HasPrefix(last, "cannot happen here"):
		return last
	}
	return "not fixed: a wrong result"
}
