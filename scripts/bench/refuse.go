package main

import (
	"cmp"
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"

	"github.com/klauspost/cpuid/v2"

	"raysteps/scripts/internal/cachegrind"
	"raysteps/scripts/internal/cli"
	"raysteps/scripts/internal/git"
	"raysteps/scripts/internal/results"
)

// refuse finds the module, and what cannot be measured: nothing is made, built or waited for yet.
func (b *bench) refuse(ctx context.Context) (err error) {
	guided := func(v *version) bool { return v.guided }
	switch {
	case b.against != "" && (b.counts || b.builds != nil || b.experiments != "") || b.counts && b.experiments != "":
		return cli.Misuse("-against, -experiments and -counts measure different things; want one of them")
	case b.counts && (b.quick || b.limit > 0):
		return cli.Misuse("-counts takes the time that it takes; want it without -quick and -time")
	case b.counts && slices.ContainsFunc(b.builds, guided):
		return cli.Misuse("-counts knows no profile; want -builds without +pgo")
	case b.against != "" && len(b.steps) != 1:
		return cli.Misuse("-against takes one step; want -step with its number")
	}
	if err := b.refuseLevels(cpuid.CPU.X64Level()); err != nil {
		return err
	}
	if b.root, err = cli.ModuleRoot(); err != nil {
		return err
	}
	if err := b.refuseNames(); err != nil {
		return err
	}
	if b.against != "" {
		if _, err := git.Commit(ctx, b.root, b.against); err != nil {
			return err
		}
	}
	if b.counts {
		if err := cachegrind.Works(ctx); err != nil {
			return err
		}
	}
	if b.recorded() {
		if err := results.Check(b.root, b.out); err != nil {
			return cli.Misuse("%w", err)
		}
	}
	return nil
}

// refuseLevels refuses builds that a processor of a level of GOAMD64, or valgrind, does not run.
func (b *bench) refuseLevels(has int) error {
	who := "this processor"
	if runtime.GOARCH != "amd64" { // where the level says nothing
		return nil
	}
	if b.counts {
		has, who = min(has, 3), "valgrind" // it knows no AVX-512
	}
	for _, v := range b.builds {
		if v.level != "" && int(v.level[1]-'0') > has {
			return cli.Misuse("-builds: %s does not run %s; want levels up to v%d", who, v.level, has)
		}
	}
	return nil
}

// refuseNames refuses experiments that no source has where they are looked for. A file may be of
// another build, so that a name may turn out to be none later.
func (b *bench) refuseNames() error {
	var folders []string
	for _, step := range b.steps {
		folders = append(folders, filepath.Join(b.root, filepath.FromSlash(step.Folder())))
	}
	if b.steps == nil {
		folders = []string{b.root}
	} else {
		folders = append(folders, filepath.Join(b.root, filepath.FromSlash(renderPackage)))
	}
	found := map[string]bool{"all": true}
	for _, folder := range folders {
		err := filepath.WalkDir(folder, func(name string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || !strings.HasSuffix(name, "_test.go") {
				return nil // what cannot be read has none
			}
			text, _ := os.ReadFile(name)
			for _, m := range benchmarks.FindAllSubmatch(text, -1) {
				found[string(m[1])] = true
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	for _, name := range b.names() {
		if b.experiments != "" && !found[name] {
			return noBenchmark("", name)
		}
	}
	return nil
}

// noBenchmark is the error for an experiment that a build does not have.
func noBenchmark(build, name string) error {
	return cli.Misuse("%s: no package that was chosen has a Benchmark%s; want names of benchmarks, all, or a newer revision", cmp.Or(build, "-experiments"), name)
}

var benchmarks = regexp.MustCompile(`(?m)^func Benchmark(\w+)\(`)
