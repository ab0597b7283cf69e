package measure

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"golang.org/x/perf/benchfmt"

	"raysteps/scripts/internal/cli"
)

// Package is a package with benchmarks.
type Package struct {
	Dir, ImportPath, Name     string
	Module                    struct{ Path, Dir string }
	TestGoFiles, XTestGoFiles []string
	Functions                 []string // benchmarks

	env     []string
	overlay string // file
}

//go:embed serve.go
var served string

// added names what the overlay adds: a folder of the module with the server, two files and
// a test, which both have and the first serves. Its imports have names that no package has.
const (
	added = "raysteps_ab"
	test  = "package %s\n\nimport (\n\traysteps_testing \"testing\"\n\traysteps_ab %q\n)\n\nfunc init() {\n%s}\n\nfunc Test_raysteps_ab(t *raysteps_testing.T) {\n\tif err := raysteps_ab.Serve(); err != nil {\n\t\tt.Fatal(err)\n\t}\n}\n"
)

// benchmark matches the head of a benchmark function.
var benchmark = regexp.MustCompile(`^func Benchmark(\P{Ll}[^(\[]*)?\(\w+ \*(\w+\.)?B\) *\{`)

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
		sources[filepath.Join(p.Module.Dir, added, "serve.go")] = strings.Replace(served, "package measure", "package "+added, 1)
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
						p.Functions = append(p.Functions, f.Name.Name)
					}
				}
			}
			sources[filepath.Join(p.Dir, added+suffix+"_test.go")] = fmt.Sprintf(test, p.Name+suffix, p.Module.Path+"/"+added, calls)
		}
	}
	return all, writeOverlay(overlay, sources)
}

// writeOverlay writes texts and overlay.json for the go command, by which they stand in
// place of files, to a folder.
func writeOverlay(folder string, texts map[string]string) error {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return err
	}
	replace := map[string]string{}
	for file, text := range texts {
		replace[file] = filepath.Join(folder, fmt.Sprint(len(replace), ".go"))
		if err := os.WriteFile(replace[file], []byte(text), 0o600); err != nil {
			return err
		}
	}
	text, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(folder, "overlay.json"), text, 0o600)
}

// link returns how the test binary is linked in an order, of which a function returns the number,
// above 0. Linker flags among the flags come behind those of this package.
//
// A third of the time the go command looks for what has changed. So that is for the first order, and
// in others the linker runs alone, by the command that -x prints, if that can be read.
func (p *Package) link(file string, number func(order int) int, flags []string) func(context.Context, int) error {
	args, ldflags := []string{"test", "-c", "-vet=off", "-buildvcs=false", "-o", file, "-overlay", p.overlay}, "-ldflags=-s -w"
	for _, flag := range flags {
		if more, ok := strings.CutPrefix(flag, "-ldflags="); ok {
			ldflags += " " + more
		} else {
			args = append(args, flag)
		}
	}
	var command [][]byte
	return func(ctx context.Context, order int) error {
		layout := fmt.Sprint("-randlayout=", number(order))
		all := append(slices.Clip(args), ldflags+" "+layout, p.ImportPath)
		if order == 1 {
			cmd := exec.CommandContext(ctx, "go", slices.Insert(slices.Clone(all), 2, "-x", "-work")...)
			cmd.Dir, cmd.Env = p.Dir, append(slices.Clip(p.env), "GOTMPDIR="+filepath.Dir(p.overlay))
			text, _ := cmd.CombinedOutput()
			command = linking.FindSubmatch(text)
		}
		if order > 0 && command != nil {
			line := strings.ReplaceAll(string(command[3]), "$WORK", string(command[1]))
			fields := strings.Fields(regexp.MustCompile(`-randlayout=\d+`).ReplaceAllString(line, layout))
			env := append(slices.Clip(p.env), "GOROOT="+string(command[2]))
			if _, err := cli.Output(ctx, p.Dir, env, fields[0], append([]string{"-o", file}, fields[3:]...)...); err == nil {
				return nil
			}
		}
		_, err := cli.Output(ctx, p.Dir, p.env, "go", all...)
		return err
	}
}

// linking matches the folder and the linker in what go test -c -x prints, unless something is quoted.
var linking = regexp.MustCompile(`(?s)^WORK=(\S+)\n.*\nGOROOT='(\S*)' (\S+ -o \$WORK\S+ -importcfg [^\n'"\\]+)\n`)

// Side returns the package as a side, of which lines have a configuration. Its binary is
// linked with flags, in the orders of the numbers that a function returns, each above 0. It
// runs in the folder of the package, on so many processors. On one there is less noise, as
// the garbage collections before a slice wake no other.
func (p *Package) Side(file string, number func(order int) int, config map[string]string, flags ...string) *Side {
	return &Side{
		Package: p.ImportPath,
		Config:  config,
		Link:    p.link(file, number, flags),
		Start: func(ctx context.Context, cpu int) (Server, error) {
			cmd := exec.CommandContext(ctx, file, fmt.Sprint("-test.cpu=", cpu), "-test.run=^Test_"+added+"$")
			cmd.Dir, cmd.Env = p.Dir, p.env
			// While others have their turn a process gives memory back, and each slice that allocates
			// would get it again: on Linux pages stay until the system needs them.
			cmd.Env = append(cmd.Environ(), "GODEBUG=madvdontneed=0,"+os.Getenv("GODEBUG"))
			cmd.WaitDelay = time.Second // for what the benchmarks have started
			return Start(ctx, cmd)
		},
	}
}

// CheckOut writes a revision of a repository to a folder, and returns its commit. The
// repository is only read: this has an index of its own.
func CheckOut(ctx context.Context, root, revision, folder string) (commit string, err error) {
	// The revision may begin with a minus.
	commit, err = cli.Output(ctx, root, nil, "git", "rev-parse", "--verify", "--quiet", "--short", "--end-of-options", revision+"^{commit}")
	if exit := new(exec.ExitError); errors.As(err, &exit) { // git is there
		err = cli.Misuse("no revision %q in %s; want one that git log shows (git fetch --unshallow completes a shallow clone)", revision, root)
	}
	env := append(os.Environ(), "GIT_INDEX_FILE="+folder+".index")
	for _, args := range [][]string{{"read-tree", commit}, {"checkout-index", "--all", "--prefix=" + folder + "/"}} {
		if err == nil {
			args = append([]string{"-c", "core.splitIndex=false", "-c", "core.fsmonitor=false"}, args...)
			_, err = cli.Output(ctx, root, env, "git", args...)
		}
	}
	return commit, err
}

// Slice is what was measured of one benchmark.
type Slice struct {
	Name    string             // without "Benchmark"
	N       int                // iterations
	Took    time.Duration      // with what it does beside its iterations
	Values  map[string]float64 // by unit
	Failure string             // why it failed, or empty

	Disturbed bool // others had its processor, and what that cost is not known well
}

// Processors is the unit of how many processors the process had while it was timed.
const Processors = "processors"

// Server runs slices: a process that [Start] starts, or what stands for one in a test. Its
// owner has to close it; one request may run at a time, and none after an error.
type Server interface {
	Ask(Request) ([]*Slice, error)
	Close() error
}

// process is a test binary that serves slices.
type process struct {
	ctx    context.Context
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    *bufio.Reader
	stderr bytes.Buffer // to be read once the process has ended
}

// Start starts a process. The command is one of exec.CommandContext with this context.
func Start(ctx context.Context, cmd *exec.Cmd) (Server, error) {
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	p := &process{ctx: ctx, cmd: cmd, in: in, out: bufio.NewReader(out)}
	cmd.Stderr = &p.stderr
	return p, cmd.Start()
}

// Ask sends a request and waits for the slices. If the process has ended, the error says
// what it printed last. A slice that failed is an error, unless it was only looked for.
func (p *process) Ask(r Request) (all []*Slice, err error) {
	var printed strings.Builder
	reply, marked := "", false
	for err = json.NewEncoder(p.in).Encode(r); err == nil && !marked; {
		var line, other string
		line, err = p.out.ReadString('\n')
		other, reply, marked = strings.Cut(line, mark) // the program may have printed the beginning of the line
		printed.WriteString(other)
	}
	if err != nil {
		p.in.Close()
		err = fmt.Errorf("the process ended: %w", cmp.Or(p.cmd.Wait(), err))
		return nil, cli.Failure(p.ctx, err, p.stderr.String()+printed.String())
	}
	var runs []Ran
	if err := json.Unmarshal([]byte(reply), &runs); err != nil {
		return nil, err
	}
	for i, ran := range runs {
		found := readSlices(ran)
		all = append(all, found...)
		if len(r.Slices) == 0 {
			break
		}
		switch name := r.Slices[i].Name; {
		case len(found) != 1 || found[0].Name != name:
			return nil, fmt.Errorf("%s is not among the benchmarks of %s", name, p.cmd.Path)
		case found[0].Failure != "":
			return nil, fmt.Errorf("%s: %s", name, found[0].Failure)
		}
	}
	return all, nil
}

// Close ends the process and waits for it. What it still prints is read, or it would wait
// for that.
func (p *process) Close() error {
	p.in.Close()
	io.Copy(io.Discard, p.out)
	return p.cmd.Wait()
}

// failure matches what the testing package prints of a benchmark that fails, and why.
var failure = regexp.MustCompile(`--- FAIL: Benchmark(\S+)(?:\n +(\S+\.go:\d+: .*))?`)

// readSlices reads what the testing package printed of benchmarks, and takes off what others
// had of the time.
func readSlices(ran Ran) (all []*Slice) {
	for _, m := range failure.FindAllStringSubmatch(ran.Text, -1) {
		inner := func(s *Slice) bool { return strings.HasPrefix(s.Name, m[1]+"/") } // by which it fails
		if !slices.ContainsFunc(all, inner) {
			all = append(all, &Slice{Name: m[1], Failure: cmp.Or(m[2], "fails")})
		}
	}
	for r := benchfmt.NewReader(strings.NewReader(ran.Text), ""); r.Scan(); {
		if line, ok := r.Result().(*benchfmt.Result); ok {
			s := &Slice{Name: string(line.Name), N: line.Iters, Took: time.Duration(1e9 * ran.Took), Values: map[string]float64{}}
			for _, v := range line.Values {
				s.Values[v.Unit] = v.Value
			}
			s.account(ran)
			all = append(all, s)
		}
	}
	return all
}

// account takes off what others had of the time, if one processor was enough, or else says
// how many processors the benchmark had: one beside what is timed.
func (s *Slice) account(ran Ran) {
	timed := float64(s.N) * s.Values["sec/op"]
	if ran.Used > 0 && timed > 0 {
		s.Values[Processors] = (ran.Used - (ran.Took - timed)) / timed
	}
	// A wait that is longer than what is beside what is timed was in that. A shorter one is shared
	// out, and has a cost of its own, as it is made up of many interruptions.
	own := 1 - ran.Waited/timed
	if ran.Waited < ran.Took-timed {
		own = 1 - ran.Waited/ran.Took
		s.Disturbed = own < 15./16
	}
	if own > 0.2 { // else nothing is corrected, and the slice is slow
		for unit, value := range s.Values {
			if strings.HasPrefix(unit, "sec/") {
				s.Values[unit] = value * own
			} else if strings.HasSuffix(unit, "/s") {
				s.Values[unit] = value / own
			}
		}
	}
}
