package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/pprof/profile"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A profile knows lines by their numbers, and pprof reads the source as it is now. So a step
// whose functions have moved since needs a new profile: CONTRIBUTING.md has the command.
func TestProfilesAreOfThisSource(t *testing.T) {
	files, err := filepath.Glob("../../results/profiles/*/*.pb.gz")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		f, err := os.Open(file)
		require.NoError(t, err)
		p, err := profile.Parse(f)
		require.NoError(t, f.Close())
		require.NoError(t, err, file)
		seen := 0
		for _, function := range p.Function {
			source, ours := strings.CutPrefix(function.Filename, "raysteps/")
			if !ours || strings.HasPrefix(source, "common/") || strings.HasSuffix(source, ".s") || strings.HasSuffix(source, "_test.go") {
				continue
			}
			name := function.Name[strings.LastIndex(function.Name, ".")+1:]
			if inside.MatchString(name) {
				continue
			}
			seen++
			lines := startsOf(t, "../../"+source)
			assert.Contains(t, lines[name], int(function.StartLine), "%s: %s of %s", file, name, function.Filename)
		}
		assert.NotZero(t, seen, file)
	}
}

// inside are the names of functions inside of others.
var inside = regexp.MustCompile(`-range\d|^func\d`)

// startsOf has the lines at which the functions of a file begin, by their names without receivers.
func startsOf(t *testing.T, file string) map[string][]int {
	fset := token.NewFileSet()
	parsed, err := parser.ParseFile(fset, file, nil, parser.SkipObjectResolution)
	require.NoError(t, err)
	lines := map[string][]int{}
	for _, d := range parsed.Decls {
		if f, ok := d.(*ast.FuncDecl); ok {
			lines[f.Name.Name] = append(lines[f.Name.Name], fset.Position(f.Pos()).Line)
		}
	}
	return lines
}
