package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"

	"golang.org/x/perf/benchfmt"

	"raysteps/common/scene"
	"raysteps/scripts/internal/results"
	"raysteps/scripts/internal/steps"
	"raysteps/scripts/internal/testbinary"
	"raysteps/scripts/internal/toolchain"
)

// kind says what a version is compared for.
type kind int

const (
	plain       kind = iota // the files as they are, compared with no other version
	process                 // the same, in one of two processes that stand beside each other
	oldRevision             // a revision
	workingTree             // the files as they are, compared with a revision
	oldRelinked             // the revision again, in link orders of its own: what it differs by is noise
	buildOf                 // the files as they are, built in a way that is compared with others
)

// version is a form of the module that is measured: the files of a folder, and how they are built.
type version struct {
	kind   kind
	name   string // of a revision or a build, as the flag has it
	number int    // of a process: 1 or 2
	root   string // the folder of its module; empty for that of the command

	release  string // of Go, of a build, such as go1.27.4; empty for that of the environment
	level    string // of GOAMD64, such as v3; likewise
	guided   bool   // by a profile of what is measured
	alignHot bool   // whether loops are aligned that the profile calls hot

	packages []*testbinary.Package
}

// Keys of the configuration of lines.
const (
	buildKey   = "build"   // tells versions apart that are compared
	processKey = "process" // and two processes, until publishedLines makes link orders of them
)

// build returns what a table calls a version that is compared with others, and its lines have.
func (v *version) build() string {
	switch v.kind {
	case oldRevision, buildOf:
		return v.name
	case workingTree:
		return "working tree"
	case oldRelinked:
		return v.name + ", linked again: noise"
	}
	return ""
}

// config returns what the lines of a version say of it.
func (v *version) config() map[string]string {
	config := map[string]string{}
	if v.kind == process {
		config[processKey] = strconv.Itoa(v.number)
	}
	for key, value := range map[string]string{buildKey: v.build(), "goversion": v.release, "goamd64": v.level} {
		if value != "" {
			config[key] = value
		}
	}
	if v.guided && v.alignHot {
		config["pgo"] = "on"
	} else if v.guided {
		config["pgo"] = "on, alignhot=0"
	}
	return config
}

// variables are those of the go command that make a build another one.
func (v *version) variables() []string {
	return []string{"GOAMD64=" + cmp.Or(v.level, os.Getenv("GOAMD64")),
		"GOTOOLCHAIN=" + cmp.Or(v.release, os.Getenv("GOTOOLCHAIN"))}
}

// count counts what a ray of the chosen steps executes in a version.
func (v *version) count(ctx context.Context, b *bench) ([]*benchfmt.Result, error) {
	packages := steps.Packages(b.chosen)
	counted, err := toolchain.Count(
		ctx, b.env, cmp.Or(v.root, b.root), b.tmp, v.variables(), packages, scene.Names())
	if err != nil {
		return nil, err
	}
	for _, line := range counted {
		for key, value := range v.config() {
			results.SetConfig(line, key, value)
		}
	}
	return counted, nil
}

var buildPattern = regexp.MustCompile(`^(?:(go1\.[^+]+)\+?)?(v[1-4])?(?:(\+pgo)(\+alignhot=0)?)?$`)

// parseBuilds reads what -builds says, with commas between: a release of Go, a level of GOAMD64,
// and whether it is guided by a profile of the steps that are measured, maybe without aligning
// the loops that the profile calls hot.
func parseBuilds(list string) (all []*version, err error) {
	for text := range strings.SplitSeq(list, ",") {
		m := buildPattern.FindStringSubmatch(text)
		if m == nil || m[1]+m[2] == "" {
			return nil, fmt.Errorf("%q is no build; want a release of Go, a level or both, and maybe +pgo or +pgo+alignhot=0, such as go1.27.4, v3 or v1+pgo", text)
		}
		all = append(all, &version{
			kind: buildOf, name: text, release: m[1], level: m[2], guided: m[3] != "", alignHot: m[4] == "",
		})
	}
	return all, nil
}
