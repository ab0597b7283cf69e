// Package ab measures the benchmarks of any Go package: it links the test binary of a
// [Package] in many orders, with a server of slices that an overlay puts beside the tests,
// and a [Measurement] compares two versions.
package ab

import (
	"context"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"raysteps/common/turns"
	"raysteps/common/turns/benchturns"
	"raysteps/scripts/internal/cli"
	"raysteps/scripts/internal/launch"
)

// Package is a package with benchmarks.
type Package struct {
	Dir, ImportPath, Name     string
	Module                    struct{ Path, Dir string }
	TestGoFiles, XTestGoFiles []string
	Functions                 []Function // benchmarks

	env     []string
	overlay string // file
}

// Function is a benchmark function.
type Function struct {
	Name    string
	Workers bool // starts goroutines
}

// added names what the overlay adds: a folder of the module, two files and a test, which
// both have and the first serves. Its imports have names that no package has.
const (
	added = "raysteps_ab"
	test  = "package %s\n\nimport (\n\traysteps_testing \"testing\"\n\traysteps_ab %q\n)\n\nfunc init() {\n%s}\n\nfunc Test_raysteps_ab(t *raysteps_testing.T) {\n\tif err := raysteps_ab.Serve(); err != nil {\n\t\tt.Fatal(err)\n\t}\n}\n"
)

var (
	// benchmark matches the head of a benchmark function, workers what starts goroutines.
	benchmark = regexp.MustCompile(`^func Benchmark(\P{Ll}[^(\[]*)?\(\w+ \*(\w+\.)?B\) *\{`)
	workers   = regexp.MustCompile(`\bgo [\w.]+\(|\.RunParallel\(`)
	// embedding matches what needs a newer language than a module may have.
	embedding = regexp.MustCompile(`(?m)^(\t_ "embed"|//go:embed).*\n`)
)

// Find returns the packages that patterns of the go command name in a folder. The
// overlay is written to another folder, which the caller removes.
func Find(ctx context.Context, dir, overlay string, env []string, patterns ...string) (all []*Package, err error) {
	text, err := cli.Output(ctx, dir, env, "go", append([]string{"list", "-json=Dir,ImportPath,Name,TestGoFiles,XTestGoFiles,Module"}, patterns...)...)
	if err != nil {
		return nil, err
	}
	sources := map[string]string{}
	for list := json.NewDecoder(strings.NewReader(text)); list.More(); {
		p := &Package{env: env, overlay: filepath.Join(overlay, "overlay.json")}
		if err := list.Decode(p); err != nil {
			return nil, err
		}
		all = append(all, p)
		server := p.Module.Path + "/" + added
		for name, source := range map[string]string{
			filepath.Join("turns", "turns.go"): turns.Source,
			"benchturns.go":                    strings.Replace(benchturns.Source, "raysteps/common/turns", server+"/turns", 1),
		} {
			sources[filepath.Join(p.Module.Dir, added, name)] = embedding.ReplaceAllString(source, "")
		}
		for i, files := range [][]string{p.TestGoFiles, p.XTestGoFiles} {
			suffix, calls := []string{"", "_test"}[i], ""
			for _, name := range files {
				source, err := os.ReadFile(filepath.Join(p.Dir, name))
				if err != nil {
					return nil, err
				}
				file, _ := parser.ParseFile(token.NewFileSet(), name, source, parser.SkipObjectResolution) // its errors are the compiler's to say
				for _, declaration := range file.Decls {
					text := source[declaration.Pos()-file.FileStart : declaration.End()-file.FileStart]
					if f, ok := declaration.(*ast.FuncDecl); ok && benchmark.Match(text) {
						calls += fmt.Sprintf("\t%s.Add(%q, %[2]s)\n", added, f.Name.Name)
						p.Functions = append(p.Functions, Function{f.Name.Name, workers.Match(text)})
					}
				}
			}
			sources[filepath.Join(p.Dir, added+suffix+"_test.go")] = fmt.Sprintf(test, p.Name+suffix, server, calls)
		}
	}
	_, err = launch.WriteOverlay(overlay, sources)
	return all, err
}

// Link links the test binary with its functions in an order, a number above 0.
func (p *Package) Link(ctx context.Context, order int, file string) error {
	_, err := cli.Output(ctx, p.Dir, p.env, "go", "test", "-c", "-vet=off", "-buildvcs=false", "-o", file, "-overlay", p.overlay, fmt.Sprint("-ldflags=-s -w -randlayout=", order), p.ImportPath)
	return err
}

// Command returns what serves slices of a linked binary in the folder of the package: groups
// are [benchturns.Group]. With -test.cpu=1 there is less noise, as the garbage collections
// before a slice wake no other processor.
func (p *Package) Command(ctx context.Context, file string, flags ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, file, append(flags, "-test.run=^Test_"+added+"$")...)
	cmd.Dir, cmd.Env = p.Dir, p.env
	cmd.WaitDelay = time.Second // for what the benchmarks have started
	return cmd
}
