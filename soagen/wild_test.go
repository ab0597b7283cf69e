package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"go/types"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/tools/go/packages"
)

var wild = flag.String("wild", "", "TestWild takes these `packages`, patterns with commas between them, such as std,golang.org/x/tools/...; all is the standard library and all modules of go.mod")

// sample is what TestWild takes without -wild: packages with structs of many kinds.
var sample = []string{"archive/tar", "encoding/xml", "html/template", "image/png", "log/slog", "net/netip", "text/tabwriter",
	"golang.org/x/tools/go/ssa", "golang.org/x/tools/go/packages", "golang.org/x/tools/txtar", "github.com/stretchr/testify/assert"}

// flagSets are what structs get containers with, in turns.
var flagSets = []string{"", "-align 16 -pad 4", "-align 0", "-align 32 -pad 3 -methods New,Insert,AppendView,SortFunc", "-pad 1024 -methods All"}

// reasons are those for which a struct may be refused, by what a message says.
var reasons = []string{"has no field to make a column of", "which must not be copied", "with the well-known method", "has for itself",
	"collides with the method", "collides with the column", "is declared already", "which package .* cannot import",
	"the C type .* cannot be named", "is not exported by package", "hides Go's own", "is generated, too"}

// found is what becomes of the structs of packages that nobody wrote for soagen.
type found struct {
	dir                      string            // of the generated files
	env                      []string          // of the go command
	replaced                 map[string]string // files that the go command is to see otherwise
	packages                 []string
	structs, generics, taken int
	refused                  map[string]int
	needed                   map[string]bool // packages that containers import, which would be cycles
	unloadable               []string
}

// A container is made of each struct of large modules. It compiles, go vet is silent, and who
// is refused is refused for a reason that is known.
func TestWild(t *testing.T) {
	if testing.Short() {
		t.Skip("not with -short: it compiles many packages")
	}
	t.Parallel()
	f := &found{dir: module(t, ""), replaced: map[string]string{}, refused: map[string]int{}, needed: map[string]bool{}}
	modules := f.linkModules(t)
	for _, path := range strings.Fields(goCommand(t, f.dir, true, "list", "-deps", "iter", "math", "slices")) {
		f.needed[path] = true
	}
	patterns := sample
	f.env = os.Environ()
	if *wild != "" {
		f.env = append(f.env, "GOFLAGS=-trimpath -mod=mod") // packages that nothing here imports may need more modules
		patterns = strings.Split(*wild, ",")
	}
	if *wild == "all" {
		patterns = append([]string{"std"}, modules...)
	}
	f.load(t, patterns)
	t.Logf("%d packages, and %d that do not load; %d structs, %d of them generic; %d containers", len(f.packages), len(f.unloadable), f.structs, f.generics, f.taken)
	for _, reason := range slices.Sorted(maps.Keys(f.refused)) {
		t.Logf("%5d refused: %s", f.refused[reason], reason)
	}
	if *wild != "" {
		t.Log("do not load: ", strings.Join(f.unloadable, "\n"))
	} else {
		require.Empty(t, f.unloadable)
	}
	require.Positive(t, f.taken)
	f.writeOverlay(t)
	f.goCommand(t, "build", "")
	f.goCommand(t, "vet", `(?m)^.*zz\d+_soa\.go.*|^vet: .*`) // what it says of others is their matter
}

// goCommand runs a command on all packages, which has to succeed, or print no line of a form.
func (f *found) goCommand(t *testing.T, command, bad string) {
	args := []string{command, "-overlay", filepath.Join(f.dir, "overlay.json")}
	cmd := exec.Command("go", append(args, f.packages...)...)
	cmd.Dir, cmd.Env = f.dir, f.env
	out, err := cmd.CombinedOutput()
	if bad == "" {
		assert.NoError(t, err, "%.5000s", out)
		return
	}
	for _, line := range regexp.MustCompile(bad).FindAllString(string(out), 20) {
		t.Errorf("go %s: %s", command, line)
	}
}

// linkModules makes a module that has those of this one in folders, which can have more files
// than the cache of modules: links to it.
func (f *found) linkModules(t *testing.T) (paths []string) {
	mod := regexp.MustCompile(`(?m)^module .*|^\traysteps/.*`).ReplaceAllString(read(t, "..", "go.mod"), "")
	mod = "module wild\n" + mod
	version := regexp.MustCompile(`(?m)^go .*`)
	for line := range strings.Lines(goCommand(t, "..", true, "list", "-m", "-f", "{{.Path}} {{.Dir}}", "all")) {
		path, dir, ok := strings.Cut(strings.TrimSpace(line), " ")
		if !ok || path == "raysteps" {
			continue // it is not in the cache, as nothing of it is built
		}
		link := filepath.Join(f.dir, "modules", strings.ReplaceAll(path, "/", "+"))
		require.NoError(t, os.MkdirAll(filepath.Dir(link), 0o777))
		if err := os.Symlink(dir, link); err != nil {
			t.Skip("cannot make links: ", err)
		}
		mod += fmt.Sprintf("replace %s => %s\n", path, link)
		text := "module " + path + "\n"
		if was, err := os.ReadFile(filepath.Join(dir, "go.mod")); err == nil {
			text = string(was)
		}
		// Most modules support older versions of Go than containers.
		text = version.ReplaceAllString(text, "") + "\ngo 1.26\n"
		f.replace(t, filepath.Join(link, "go.mod"), text)
		paths = append(paths, path+"/...")
	}
	write(t, mod, f.dir, "go.mod")
	write(t, read(t, "..", "go.sum"), f.dir, "go.sum")
	return paths
}

// replace has the go command see a file with a text, or none.
func (f *found) replace(t *testing.T, path, text string) {
	name := fmt.Sprintf("file%d", len(f.replaced))
	if f.replaced[path] = ""; text != "" {
		write(t, text, f.dir, name)
		f.replaced[path] = filepath.Join(f.dir, name)
	}
}

// writeOverlay writes a file for the go command that says what is replaced until now, and returns its name.
func (f *found) writeOverlay(t *testing.T) (name string) {
	text, err := json.Marshal(map[string]any{"Replace": f.replaced})
	require.NoError(t, err)
	write(t, string(text), f.dir, "overlay.json")
	return filepath.Join(f.dir, "overlay.json")
}

// load loads packages and makes containers for them.
func (f *found) load(t *testing.T, patterns []string) {
	// An overlay of the configuration's own would have all that is imported loaded from its source.
	flags := []string{"-overlay=" + f.writeOverlay(t)}
	config := &packages.Config{Mode: mode, Dir: f.dir, Env: f.env, BuildFlags: flags}
	pkgs, err := packages.Load(config, patterns...)
	require.NoError(t, err)
	for _, pkg := range pkgs {
		switch {
		case len(pkg.Errors) > 0 || pkg.IllTyped || len(pkg.GoFiles) == 0:
			f.unloadable = append(f.unloadable, fmt.Sprint(pkg.PkgPath, pkg.Errors))
		case !f.needed[pkg.PkgPath]:
			f.packages = append(f.packages, pkg.PkgPath)
			f.generate(t, pkg)
		}
	}
}

// generate makes containers for the structs of a package.
func (f *found) generate(t *testing.T, pkg *packages.Package) {
	tests, err := filepath.Glob(filepath.Join(pkg.Dir, "*_test.go"))
	require.NoError(t, err)
	for _, path := range tests {
		f.replace(t, path, "") // go vet looks into tests, and they need other modules
	}
	in := &source{pkg: pkg, dir: pkg.Dir}
	in.others()
	cuts := map[string]bool{} // lowerFirst makes one name of A and a
	for _, name := range pkg.Types.Scope().Names() {
		obj, ok := pkg.Types.Scope().Lookup(name).(*types.TypeName)
		if !ok || obj.IsAlias() || name == "_" {
			continue
		}
		if _, ok := obj.Type().Underlying().(*types.Struct); !ok || cuts[lowerFirst(name)] {
			continue
		}
		cuts[lowerFirst(name)] = true
		f.structs++
		if obj.Type().(*types.Named).TypeParams().Len() > 0 {
			f.generics++
		}
		args := append([]string{"-type", name}, strings.Fields(flagSets[f.structs%len(flagSets)])...)
		opts, err := parse(args)
		require.NoError(t, err)
		srcs, err := find(in, opts.types)
		require.NoError(t, err)
		text, err := containers(srcs, opts)
		if err != nil {
			f.refuse(t, pkg, args, err)
			continue
		}
		f.taken++
		f.replace(t, filepath.Join(pkg.Dir, fmt.Sprintf("zz%d_soa.go", f.structs)), string(text))
	}
}

// refuse counts a refusal.
func (f *found) refuse(t *testing.T, pkg *packages.Package, args []string, err error) {
	assert.True(t, errors.As(err, new(*sourceError)), "%s: %v", pkg.PkgPath, err)
	for _, reason := range reasons {
		if regexp.MustCompile(reason).MatchString(err.Error()) {
			f.refused[reason]++
			return
		}
	}
	t.Errorf("%s %s: %v", pkg.PkgPath, args, err)
}
