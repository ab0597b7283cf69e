// Package toolchain asks tools what explains a figure. A root is the folder of a module.
//
// It runs the go commands whose output the chapters quote: what the compiler inlined, what
// it moved to the heap, which bounds checks it left, and some of its instructions.
//
// And it counts what a processor executes for a ray: instructions, loads, stores, branches
// and indirect jumps. Valgrind executes a program one instruction after the other and
// counts them, so that counts are exact, need no quiet machine and are the same on every
// machine with the same compiler; only mispredicted branches come from a model of a
// predictor. A count is not a cost: an instruction that nothing waits for takes no time.
// What is counted is a program that renders an image of 64x36 many times, less the same
// program that does so once, over the rays of the difference: what it does once does not
// count.
package toolchain

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"strings"

	"raysteps/scripts/internal/cli"
)

// Target is what packages are compiled for.
const Target = "linux/amd64"

// SIMD is the name of an experiment of the Go toolchain. Packages that make use
// of it are built with it.
const SIMD = "simd"

// settings are the variables that decide what the compiler does, so that its reports
// depend on the source and on the version of Go alone.
var settings = []string{
	"GOOS=linux", "GOARCH=amd64", "GOAMD64=v1", "GOFLAGS=-pgo=off -buildvcs=false", "GOEXPERIMENT=",
	"CGO_ENABLED=0", "GOFIPS140=off", "GOWORK=off", "GO111MODULE=",
}

// command matches what Output runs.
var command = regexp.MustCompile(`^(GOEXPERIMENT=` + SIMD + ` )?go ((build|run) .+)$`)

// Output runs a command that a reader can type, in root, and returns what it prints:
// go build or go run, of packages of the module, with GOEXPERIMENT=simd in front or
// not. Whatever the machine and its settings are, packages
// are compiled for Target with GOAMD64=v1, without cgo, profiles and build tags;
// programs run as on the reader's machine.
func Output(root, text string) (string, error) {
	m := command.FindStringSubmatch(text)
	if m == nil {
		return "", fmt.Errorf("command is %q; want go build or go run, and a package", text)
	}
	cmd := exec.Command("go", strings.Fields(m[2])...)
	cmd.Dir, cmd.Env = root, os.Environ()
	if m[3] == "build" {
		cmd.Env = append(cmd.Env, settings...)
	}
	cmd.Env = append(cmd.Env, strings.Fields(m[1])...)
	printed, err := cmd.CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("%s: %w", text, cli.Failure(context.Background(), err, string(printed)))
	}
	return string(printed), nil
}

// WithSIMD returns the environment in which packages of a module are built with that
// experiment, if its toolchain has it for this processor. Go 1.26 lists the package for arm64
// too, but there it has no types.
func WithSIMD(root string) (env []string, ok bool) {
	env = append(os.Environ(), "GOEXPERIMENT="+strings.Trim(os.Getenv("GOEXPERIMENT")+","+SIMD, ","))
	files, _ := cli.Output(context.Background(), root, env, "go", "list", "-f", "{{.GoFiles}}", "simd/archsimd")
	if strings.Contains(files, "types_"+runtime.GOARCH+".go") {
		return env, true
	}
	return os.Environ(), false
}
