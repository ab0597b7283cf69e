// Package simd finds the packages that make use of GOEXPERIMENT=simd, so that
// whatever builds them builds them with it.
package simd

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
)

// Experiment is the name of the experiment of the Go toolchain.
const Experiment = "simd"

var constraint = regexp.MustCompile(`(?m)^//go:build .*\bgoexperiment\.` + Experiment + `\b`)

// Used reports whether a folder has a file for the experiment.
func Used(dir string) (bool, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return false, err
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return false, err
		}
		if constraint.Match(text) {
			return true, nil
		}
	}
	return false, nil
}

// Available reports whether the toolchain of a module knows the experiment, in
// an environment that asks for it. The experiment has something for amd64
// alone.
func Available(root string, environment []string) bool {
	cmd := exec.Command("go", "list", "simd/archsimd")
	cmd.Dir, cmd.Env = root, environment
	return cmd.Run() == nil
}
