package cli

import (
	"context"

	"raysteps/scripts/internal/tool"
)

// Version is that of all commands and pages: the newest heading of CHANGELOG.md.
const Version = "2026-11-30"

// Module is the path of the module that the commands belong to.
const Module = "raysteps"

// ModuleRoot returns the folder of this module, if the working directory is in a clone of it.
func ModuleRoot() (string, error) {
	dir, err := tool.Output(context.Background(), "", nil, "go", "list", "-m", "-f", "{{.Dir}}", Module)
	if err != nil {
		return "", Misuse("the working directory is in no clone of %s, says go list -m %[1]s; want a folder of one", Module)
	}
	return dir, nil
}
