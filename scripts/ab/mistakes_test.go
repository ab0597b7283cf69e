package main

import (
	"io"
	"path/filepath"
	"raysteps/scripts/internal/cli"
	"raysteps/scripts/internal/measure"
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// mistake is a call of the command that fails, and what it says then.
type mistake struct {
	name   string
	args   []string
	status int
	stderr string
}

// mistakes are those in the folder of a module, and one in a folder of none.
func mistakes(dir, none string) []mistake {
	return []mistake{
		{"no folder", []string{"-C", filepath.Join(none, "nowhere")}, 2, `ab: -C .*nowhere: no such folder; want one of a Go module`},
		{"no repository", []string{"-C", none}, exitUnknown, `ab: -C .*: want a folder of a git repository: .*not a git repository.*`},
		{"no revision", []string{"-C", dir, "-against", "nobody"}, 2, `ab: no revision "nobody" in .*; want one that git log shows .*`},
		{"a flag in place of a revision", []string{"-C", dir, "-against", "--all"}, 2, `ab: no revision "--all" in .*`},
		{"no such package", []string{"-C", dir, "./nobody"}, 2, `ab: HEAD \(\w+\): stat nobody: directory not found; want packages .*`},
		{"no package in the folder", []string{"-C", filepath.Join(dir, "docs")}, 2, `ab: HEAD \(\w+\): no Go files in the folder; want packages such as ./fse, or ./... for all.*`},
		{"no package with benchmarks", []string{"-C", dir, "./empty/..."}, exitUnknown, `ab: ./empty/...: no package of a module has benchmarks in both versions; want a func BenchmarkName.*`},
		{"no such toolchain", []string{"-C", dir, "-new-go", "nonsense"}, 2, `ab: the folder as it is nonsense: go: invalid GOTOOLCHAIN "nonsense".*; want packages .*, a toolchain such as go1.26.8, .*`},
		{"no such flag", []string{"-C", dir, "-old-flags", "-foo"}, 2, `ab: the folder as it is -foo: go: parsing \$GOFLAGS: unknown flag -foo; want packages .*`},
		{"places of two versions", []string{"-C", dir, "-places", "-against", "HEAD"}, 2, `ab: -places, -floor and -canary are for one version, .*`},
		{"a floor and a canary", []string{"-C", dir, "-floor", "-canary", "3"}, 2, `ab: -places, -floor and -canary are for one version, and one of them at a time; .*`},
		{"a floor and a limit", []string{"-C", dir, "-floor", "-fail-over", "3"}, 2, `ab: -places and -floor hold no limit; .*`},
		{"a canary of nothing", []string{"-C", dir, "-canary", "-3"}, 2, `ab: -canary -3: want 0 to 100 percent`},
		{"a canary on two processors", []string{"-C", dir, "-canary", "3", "-cpu", "1,2"}, 2, `ab: -canary 3 -cpu 1,2: work is planted in benchmarks on one processor; want -cpu 1`},
		{"a flag behind packages", []string{"-C", dir, ".", "-nosuch"}, 2, `ab: flag provided but not defined: -nosuch; -help lists the flags`},
		{"no number of processors", []string{"-C", dir, "-cpu", "1,two"}, 2, `ab: -cpu 1,two -time 1m0s -within 1: want numbers above 0`},
		{"not yet there", []string{"-C", filepath.Join(dir, "added")}, exitUnknown, `ab: HEAD \(\w+\) has no folder my mod/added/; want a revision that has it`},
		{"a workspace that git does not know", []string{"-C", filepath.Join(dir, "vendored")}, exitUnknown, `ab: HEAD \(\w+\) has no go.work, and the folder uses .*go.work; want GOWORK=off, or a go.work that git knows`},
		{"does not build", []string{"-C", dir, "./broken"}, exitUnknown, `ab: HEAD \(\w+\): .*broken\.go:3:\d+: cannot use "one".*`},
		{"matches nothing, and nothing is built", []string{"-C", dir, "-bench", "Nobody", "./..."}, exitUnknown, `ab: -bench Nobody matches no benchmark`},
		{"bad pattern", []string{"-C", dir, "-bench", "("}, 2, `ab: -bench: error parsing regexp.*`},
		{"no processor", []string{"-C", dir, "-cpu", "0"}, 2, `ab: -cpu 0 -time 1m0s -within 1: want numbers above 0`},
		{"NaN as a width", []string{"-C", dir, "-within", "NaN"}, 2, `ab: -cpu 1 -time 1m0s -within NaN: want numbers above 0`},
		{"NaN as a limit", []string{"-C", dir, "-fail-over", "NaN"}, 2, `ab: -fail-over NaN: want 0 percent or more`},
		{"no time", []string{"-C", dir, "-time", "1ms"}, exitUnknown, `ab: nothing was measured in 1ms, which went by while .*; want a longer -time`},
	}
}

func TestMistakes(t *testing.T) {
	repository := repositoryOf(t, module)
	dir := filepath.Join(repository, "my mod")
	write(t, repository, "-- my mod/broken/broken.go --\npackage broken\n\nfunc F() int { return \"one\" }\n-- my mod/broken/broken_test.go --\npackage broken\n\nimport \"testing\"\n\nfunc BenchmarkF(b *testing.B) {}\n-- my mod/fixed/fixed_test.go --\npackage fixed\n-- my mod/docs/README --\n")
	commit(t, repository)
	write(t, repository, "-- my mod/broken/broken.go --\npackage broken\n\nfunc F() int { return 1 }\n-- my mod/added/added.go --\npackage added\n-- my mod/vendored/go.work --\ngo 1.24\n\nuse .")
	none := t.TempDir()
	for _, tt := range mistakes(dir, none) {
		t.Run(tt.name, func(t *testing.T) {
			if tt.status == cli.ExitMisuse { // which waits for no other command
				release, err := measure.Lock(t.Context(), io.Discard)
				require.NoError(t, err)
				defer release()
			}
			status, stdout, stderr := execute(t, t.Context(), tt.args...)
			assert.Equal(t, tt.status, status)
			assert.Empty(t, stdout)
			assert.Regexp(t, regexp.MustCompile(`^(?:`+tt.stderr+`)\n$`), stderr, "one line")
		})
	}
}

// What the go command says is said as it is, in the folder of the module, too.
func TestGoSays(t *testing.T) {
	repository := repositoryOf(t, "\n-- go.mod --\nmodule example.com/a\n\ngo 1.99\n-- a_test.go --\npackage a\n")
	t.Setenv("GOTOOLCHAIN", "local")
	t.Chdir(repository)
	status, stdout, stderr := execute(t, t.Context())
	assert.Equal(t, 2, status)
	assert.Empty(t, stdout)
	assert.Regexp(t, `^ab: HEAD \(\w+\): go: go.mod requires go >= 1\.99 \(running go [\d.]+; GOTOOLCHAIN=local\); want packages .*\n$`, stderr)
}
