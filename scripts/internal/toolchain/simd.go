package toolchain

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
)

// SIMD is the name of an experiment of the Go toolchain. Packages that make use
// of it are built with it.
const SIMD = "simd"

var simdConstraint = regexp.MustCompile(`(?m)^//go:build .*\bgoexperiment\.` + SIMD + `\b`)

// UsesSIMD reports whether a folder has a file for the experiment.
func UsesSIMD(dir string) (bool, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return false, err
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return false, err
		}
		if simdConstraint.Match(text) {
			return true, nil
		}
	}
	return false, nil
}

// HasSIMD reports whether the toolchain of a module knows the experiment, in an
// environment that asks for it. The experiment has something for amd64 alone.
func HasSIMD(root string, environment []string) bool {
	cmd := exec.Command("go", "list", "simd/archsimd")
	cmd.Dir, cmd.Env = root, environment
	return cmd.Run() == nil
}
