package cli

import (
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/mod/modfile"
)

// Module is the path of the module that the commands belong to.
const Module = "raysteps"

// ModuleRoot returns the folder that holds the go.mod of this module: the
// working directory or one above it.
func ModuleRoot() (string, error) {
	start, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for dir := start; ; dir = filepath.Dir(dir) {
		data, err := os.ReadFile(filepath.Join(dir, "go.mod"))
		if err == nil && modfile.ModulePath(data) == Module {
			return dir, nil
		}
		if dir == filepath.Dir(dir) {
			return "", fmt.Errorf("%s is not inside the module %s: no go.mod of it there or above; want a folder of a clone of it", start, Module)
		}
	}
}
