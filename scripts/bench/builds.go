package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"

	"raysteps/scripts/internal/cli"
	"raysteps/scripts/internal/measure"
	"raysteps/scripts/internal/steps"
	"raysteps/scripts/internal/toolchain"
)

// build is how the compiler is told to build.
type build struct {
	toolchain string   // of Go, such as go1.27.4, or empty for the one that runs
	level     string   // GOAMD64, or empty for that of the environment
	guided    bool     // by a profile of the steps that are measured
	base      []string // environment, nil for that of this process
}

var buildPattern = regexp.MustCompile(`^(?:(go1\.[^+]+)\+?)?(v[1-4])?(\+pgo)?$`)

// readBuilds reads builds as String writes them, with commas between.
func readBuilds(list string) (all []build, err error) {
	for text := range strings.SplitSeq(list, ",") {
		m := buildPattern.FindStringSubmatch(strings.TrimSpace(text))
		if m == nil || m[1]+m[2] == "" {
			return nil, fmt.Errorf("%q is no build; want a release of Go, a level or both, and maybe +pgo, such as go1.27.4, v3 or v1+pgo", text)
		}
		all = append(all, build{toolchain: m[1], level: m[2], guided: m[3] != ""})
	}
	return all, nil
}

func (b build) String() string {
	text := strings.Trim(b.toolchain+"+"+b.level, "+")
	if b.guided {
		text += "+pgo"
	}
	return text
}

// pgo is what a line says of profile-guided optimization, if anything.
func (b build) pgo() string {
	if b.guided {
		return "on"
	}
	return ""
}

// environment is that of the go command.
func (b build) environment() []string {
	env := slices.Clone(b.base)
	if b.base == nil {
		env = os.Environ()
	}
	for key, value := range map[string]string{"GOAMD64": b.level, "GOTOOLCHAIN": b.toolchain} {
		if value != "" {
			env = append(env, key+"="+value)
		}
	}
	return env
}

// usual is the build of steps that no flag chose. Some want GOEXPERIMENT=simd, and are built
// without it, which is said, where the toolchain does not have it.
func (m *measurement) usual(chosen []steps.Step) (b build) {
	i := slices.IndexFunc(chosen, func(s steps.Step) bool { return s.SIMD })
	if i < 0 || m.simd != nil {
		return build{base: m.simd}
	}
	var ok bool
	if m.simd, ok = toolchain.WithSIMD(m.root); !ok {
		fmt.Fprintf(m.env.Stdout, "This toolchain has no GOEXPERIMENT=%s for %s: %s is built without it\n\n", toolchain.SIMD, runtime.GOARCH, chosen[i].Folder())
	}
	return build{base: m.simd}
}

// profile returns the flags that have the go command build by a CPU profile of the steps.
func (m *measurement) profile(ctx context.Context, p *measure.Package, chosen []steps.Step) (flags []string, err error) {
	m.files++
	binary, file := filepath.Join(m.tmp, fmt.Sprint(m.files, ".exe")), filepath.Join(m.tmp, fmt.Sprint(m.files, ".pprof"))
	if err := p.Link(ctx, m.files, binary); err != nil {
		return nil, err
	}
	var names []string
	for _, step := range chosen {
		names = append(names, step.Short())
	}
	_, err = cli.Output(ctx, p.Dir, nil, binary, "-test.run=^$", "-test.bench=^BenchmarkRender$/^step=("+strings.Join(names, "|")+")$", "-test.benchtime=300ms", "-test.cpu=1", "-test.cpuprofile="+file)
	return []string{"-pgo=" + file}, err
}
