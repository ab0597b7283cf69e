package source

import (
	"fmt"
	"go/build"
	"maps"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// Target is what a step is built for. A difference has the files of one target, so who reads
// it for amd64 sees neither NEON nor the kernel for WebAssembly.
type Target struct{ OS, Arch string } // as GOOS and GOARCH have it

// Published is the target of the differences on the pages.
var Published = Target{"linux", "amd64"}

// Here is the target of this program.
func Here() Target { return Target{runtime.GOOS, runtime.GOARCH} }

// ParseTarget reads a target as String writes it. Those that the steps have files for, and their
// readers machines, are linux, darwin and windows on amd64 and arm64, and js/wasm.
func ParseTarget(text string) (Target, error) {
	system, arch, _ := strings.Cut(text, "/")
	for _, target := range targets {
		if (Target{system, arch}) == target {
			return target, nil
		}
	}
	var names []string
	for _, target := range targets {
		names = append(names, target.String())
	}
	return Target{}, fmt.Errorf("unknown target %q; want one of %s", text, strings.Join(names, ", "))
}

var targets = []Target{
	{"linux", "amd64"}, {"linux", "arm64"}, {"darwin", "amd64"}, {"darwin", "arm64"},
	{"windows", "amd64"}, {"windows", "arm64"}, {"js", "wasm"},
}

func (t Target) String() string { return t.OS + "/" + t.Arch }

// files are the names of texts that a build for the target takes, in order, by the rules of
// go/build: endings of names and constraints in files. A name may be in either folder.
func (t Target) files(root string, texts map[string][2]string, folders ...string) (names []string,
	err error) {
	context := build.Default
	context.GOOS, context.GOARCH, context.BuildTags = t.OS, t.Arch, nil
	if t.Arch == "wasm" {
		// The book's WebAssembly is built with it.
		context.ToolTags = append(slices.Clone(context.ToolTags), "goexperiment.simd")
	}
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		for i, folder := range folders {
			if texts[name][i] == "" {
				continue
			}
			// A C header is no file of a target, but of those that include it.
			match, err := filepath.Ext(name) == ".h", error(nil)
			if !match {
				match, err = context.MatchFile(filepath.Join(root, folder), name)
			}
			if err != nil {
				return nil, err
			}
			if match {
				names = append(names, name)
				break
			}
		}
	}
	return names, nil
}
