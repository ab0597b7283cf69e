package toolchain

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
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

// HasSIMD reports whether the toolchain of a module has the experiment for the
// processor of an environment that asks for it. Go 1.26 lists the package for
// arm64 too, but there it has no types.
func HasSIMD(root string, environment []string) bool {
	const types = `{{$types := printf "types_%s.go" context.GOARCH}}{{range .GoFiles}}{{if eq . $types}}found{{end}}{{end}}`
	cmd := exec.Command("go", "list", "-f", types, "simd/archsimd")
	cmd.Dir, cmd.Env = root, environment
	out, err := cmd.Output()
	return err == nil && strings.TrimSpace(string(out)) == "found"
}
