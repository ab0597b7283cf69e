// Package ab measures the benchmarks of any Go package: it links the test binary of a
// [Package] in many orders, with a server of slices in it, and a [Measurement] compares
// two versions. The package and its module stay as they are: the server is put beside the
// tests by an overlay.
package ab

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"raysteps/common/turns"
	"raysteps/common/turns/benchturns"
	"raysteps/scripts/internal/cli"
)

// Package is a package with benchmarks.
type Package struct {
	Dir, ImportPath string
	Module          struct{ Path, Dir string }
	Functions       []Function // benchmarks

	start   string   // folder in which the go command runs
	flags   []string // of go build
	env     []string
	overlay string // file
}

// Function is a benchmark function.
type Function struct {
	Name    string
	Workers bool // starts goroutines
}

// added names what the overlay adds: a folder of the module, two files and a test.
const added = "raysteps_ab"

var (
	// benchmark matches the head of a benchmark function, workers what starts goroutines.
	benchmark = regexp.MustCompile(`^(Benchmark(?:[^\p{Ll}\s(\[][^\s(\[]*)?)\(\w+ \*(?:\w+\.)?B\) *\{`)
	workers   = regexp.MustCompile(`\bgo [\w.]+\(|\.RunParallel\(`)
	// embedding matches what needs a newer language than a module may have.
	embedding = regexp.MustCompile(`(?m)^(\t_ "embed"|//go:embed).*\n`)
)

// Find returns the package that a pattern of the go command names in a folder. The
// overlay is written to another folder, which the caller removes.
func Find(ctx context.Context, dir, pattern, overlay string, env, flags []string) (*Package, error) {
	p := &Package{start: dir, env: env, flags: flags, overlay: filepath.Join(overlay, "overlay.json")}
	text, err := p.run(ctx, append(append([]string{"list", "-json=Dir,ImportPath,Name,TestGoFiles,XTestGoFiles,Module"}, flags...), pattern)...)
	if err != nil {
		return nil, err
	}
	list := json.NewDecoder(strings.NewReader(text))
	var found struct {
		*Package
		Name                      string
		TestGoFiles, XTestGoFiles []string
	}
	found.Package = p
	if err := list.Decode(&found); err != nil || list.More() {
		return nil, cli.Misuse("%s does not name one package; want one with benchmarks, such as ./fse", pattern)
	}
	if p.Module.Dir == "" {
		return nil, fmt.Errorf("package %s is in no module; want a go.mod in its folder or above", p.ImportPath)
	}
	server := p.Module.Path + "/" + added
	sources := map[string]string{
		filepath.Join(p.Module.Dir, added, "turns", "turns.go"): turns.Source,
		filepath.Join(p.Module.Dir, added, "benchturns.go"):     strings.Replace(benchturns.Source, "raysteps/common/turns", server+"/turns", 1),
	}
	for i, files := range [][]string{found.TestGoFiles, found.XTestGoFiles} {
		suffix, calls := []string{"", "_test"}[i], strings.Builder{}
		for _, name := range files {
			source, err := os.ReadFile(filepath.Join(p.Dir, name))
			if err != nil {
				return nil, err
			}
			for declaration := range strings.SplitSeq("\n"+string(source), "\nfunc ") {
				if m := benchmark.FindStringSubmatch(declaration); m != nil {
					fmt.Fprintf(&calls, "\t%s.Add(%q, %[2]s)\n", added, m[1])
					p.Functions = append(p.Functions, Function{m[1], workers.MatchString(declaration)})
				}
			}
		}
		// Both have the test, and the first serves. Its imports have names that no package has.
		sources[filepath.Join(p.Dir, added+suffix+"_test.go")] = fmt.Sprintf("package %s%s\n\nimport (\n\t%s_testing \"testing\"\n\t%[3]s %q\n)\n\nfunc init() {\n%[5]s}\n\nfunc Test_%[3]s(t *%[3]s_testing.T) {\n\tif err := %[3]s.Serve(); err != nil {\n\t\tt.Fatal(err)\n\t}\n}\n",
			found.Name, suffix, added, server, &calls)
	}
	if len(p.Functions) == 0 {
		return nil, fmt.Errorf("package %s has no benchmarks; want a func BenchmarkName(b *testing.B) in a file that ends in _test.go", p.ImportPath)
	}
	if err := os.MkdirAll(overlay, 0o700); err != nil {
		return nil, err
	}
	replace := map[string]string{}
	for name, text := range sources {
		replace[name] = filepath.Join(overlay, fmt.Sprint(len(replace), ".go"))
		if err := os.WriteFile(replace[name], embedding.ReplaceAll([]byte(text), nil), 0o600); err != nil {
			return nil, err
		}
	}
	overlays, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return nil, err
	}
	return p, os.WriteFile(p.overlay, overlays, 0o600)
}

// Link links the test binary with its functions in an order, a number above 0.
func (p *Package) Link(ctx context.Context, order int, file string) error {
	args := []string{"test", "-c", "-vet=off", "-buildvcs=false", "-o", file, "-overlay", p.overlay, fmt.Sprint("-ldflags=-s -w -randlayout=", order)}
	_, err := p.run(ctx, append(append(args, p.flags...), p.ImportPath)...)
	return err
}

// run runs the go command.
func (p *Package) run(ctx context.Context, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir, cmd.Env = p.start, p.env
	return cli.Output(ctx, cmd)
}

// Command returns what serves slices of a linked binary, in the folder of the package as
// go test does it: a command for [raysteps/scripts/internal/launch.Start], and groups are
// [benchturns.Group]. Processors is a value of -cpu, or empty.
func (p *Package) Command(ctx context.Context, file, processors string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, file, "-test.run=^Test_"+added+"$", "-test.cpu="+processors)
	cmd.Dir, cmd.Env = p.Dir, p.env
	cmd.WaitDelay = time.Second // for what the benchmarks have started
	return cmd
}

// ChangedSince returns a file of the package that was changed after a time, or nothing.
func (p *Package) ChangedSince(t time.Time) string {
	files, _ := filepath.Glob(filepath.Join(p.Dir, "*.go"))
	for _, name := range files {
		if info, err := os.Stat(name); err == nil && info.ModTime().After(t) {
			return name
		}
	}
	return ""
}
