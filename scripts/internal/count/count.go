// Package count counts what a processor executes for a ray: instructions, loads,
// stores, branches and indirect jumps. Valgrind executes a program one
// instruction after the other and counts them, so that counts are exact, need no
// quiet machine and are the same on every machine with the same compiler; only
// mispredicted branches come from a model of a predictor. A count is not a cost:
// an instruction that nothing waits for takes no time.
//
// What is counted is a program that renders an image of 64x36 many times, less the same
// program that does so once, over the rays of the difference: what it does once does
// not count.
package count

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"

	"golang.org/x/perf/benchfmt"
	"golang.org/x/sync/errgroup"

	"raysteps/common/turns"
	"raysteps/scripts/internal/cli"
	"raysteps/scripts/internal/launch"
	"raysteps/scripts/internal/results"
)

// units are what is counted, each by the names of cachegrind's events that it is the
// sum of. All are exact but the last, which is a model's.
var units = [][2]string{
	{"instructions/ray", "Ir"}, {"loads/ray", "Dr"}, {"stores/ray", "Dw"},
	{"branches/ray", "Bc"}, {"indirect/ray", "Bi"}, {"mispredicted/ray", "Bcm Bim"},
}

// Units returns the units of the lines, in their order.
func Units() []string {
	var names []string
	for _, u := range units {
		names = append(names, u[0])
	}
	return names
}

// Available returns an error that says what to do if nothing can be counted here.
func Available() error {
	if _, err := exec.LookPath("valgrind"); err == nil {
		return nil
	}
	if runtime.GOOS == "linux" {
		return errors.New("valgrind is not installed, which counts instructions; apt-get install valgrind, or the like")
	}
	return fmt.Errorf("valgrind, which counts instructions, does not run on %s/%s; the published counts hold for every amd64 machine", runtime.GOOS, runtime.GOARCH)
}

// Measure counts packages of the module at root, which may be another revision of this
// one, in some scenes. Nothing is written there. The lines are in the order of the
// packages, and of their scenes. They name the kernel as the package does, or none:
// valgrind knows no AVX-512.
func Measure(ctx context.Context, env *cli.Env, root string, packages, scenes []string) ([]*benchfmt.Result, error) {
	if err := Available(); err != nil {
		return nil, err
	}
	version, err := cli.Output(ctx, "", nil, "valgrind", "--version")
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "raysteps-count-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	bar := env.Progress(int64(len(packages)*len(scenes)), "counting")
	defer bar.Finish()
	program, err := build(ctx, env, root, dir, packages)
	if err != nil {
		return nil, fmt.Errorf("building what is counted: %w", err)
	}
	lines := make([]*benchfmt.Result, len(packages)*len(scenes))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(runtime.GOMAXPROCS(0))
	for i := range lines {
		pkg, sc := packages[i/len(scenes)], scenes[i%len(scenes)]
		group.Go(func() (err error) {
			if lines[i], err = difference(ctx, program.Binaries[0], filepath.Join(dir, fmt.Sprint(i)), pkg, sc); err != nil {
				return fmt.Errorf("counting %s in the %s scene: %w", pkg, sc, err)
			}
			results.SetConfig(lines[i], "valgrind", strings.TrimPrefix(version, "valgrind-"))
			bar.Add(1)
			return nil
		})
	}
	return lines, group.Wait()
}

// build links the program, with the debugging information by which valgrind knows
// the files.
func build(ctx context.Context, env *cli.Env, root, dir string, packages []string) (*launch.Program, error) {
	linker := launch.Linker{Root: root, Bin: dir, Debug: true}
	p, err := linker.Launcher(ctx, env, "the steps", launch.Build{}, packages)
	if err != nil {
		return nil, err
	}
	return p, p.Link(ctx, env, 1)
}

// enough is how many instructions are counted, at least: what a process does
// once differs by some thousands, as the system puts its heap now here, now there.
const enough = 100e6

// difference counts one render and many, and returns what a ray of the others
// takes.
func difference(ctx context.Context, program, file, pkg, sceneName string) (*benchfmt.Result, error) {
	first, kernel, err := count(ctx, program, file, pkg, sceneName, 1)
	if err != nil {
		return nil, err
	}
	all, _, err := count(ctx, program, file, pkg, sceneName, 2+int(enough/first["Ir"]))
	if err != nil {
		return nil, err
	}
	line := &benchfmt.Result{Name: benchfmt.Name("Count/scene=" + sceneName), Iters: 1}
	results.SetConfig(line, "pkg", pkg)
	results.SetConfig(line, "kernel", kernel)
	for _, u := range units {
		sum := 0.0
		for event := range strings.FieldsSeq(u[1]) {
			sum += all[event] - first[event]
		}
		perRay := max(0, sum/(all[rays]-first[rays]))
		line.Values = append(line.Values, benchfmt.Value{Value: math.Round(100*perRay) / 100, Unit: u[0]})
	}
	return line, nil
}

// rays is the key of how many rays were traced, among the events.
const rays = "rays"

// count renders so often under valgrind and returns the counts of events of the whole
// process, and the kernel.
func count(ctx context.Context, program, file, pkg, sceneName string, renders int) (events map[string]float64, kernel string, err error) {
	// The sizes of the caches do not matter, but those of some virtual machines are
	// more than cachegrind takes.
	valgrind := exec.CommandContext(ctx, "valgrind", "--quiet", "--tool=cachegrind", "--branch-sim=yes", "--cache-sim=yes",
		"--I1=32768,8,64", "--D1=32768,8,64", "--LL=8388608,16,64", "--cachegrind-out-file="+file, program)
	valgrind.Env = append(os.Environ(), "GOMAXPROCS=1", "GODEBUG=asyncpreemptoff=1")
	process, err := launch.Start(ctx, valgrind)
	if err != nil {
		return nil, "", err
	}
	var taken []turns.Values
	loaded, err := process.Load(turns.Pictures{Name: "Count", Scene: "scene=" + sceneName, Width: 64, Height: 36, Samples: 1,
		Tracers: []turns.Picture{{Package: pkg, Workers: 1, Times: renders}}})
	if err == nil {
		taken, err = process.Take(turns.Request{Subjects: []int{0}})
	}
	if err = cmp.Or(err, process.Close()); err != nil {
		return nil, "", err
	}
	text, err := os.ReadFile(file)
	if err == nil {
		events, err = parse(string(text))
	}
	if err != nil {
		return nil, "", err
	}
	events[rays] = math.Round(taken[0]["rays/op"]) * float64(renders)
	return events, loaded[0].Config["kernel"], nil
}

// scheduler matches the files of the runtime that work by the clock, such as the
// thread that interrupts goroutines each ten milliseconds, and those that look for
// memory where it happens to be: the slower the machine, the more they do. Others copy a
// stack that grows, and look up its frames: the launcher renders at a random depth, so
// that is more now and less then. What a package allocates, copies and clears does count.
var scheduler = regexp.MustCompile(`runtime/(proc|lock_\w+|sema|time\w*|netpoll\w*|signal_\w+|stack|stkframe|symtab|traceback|mpage\w+|mpallocbits|os_linux\w*|sys_linux_\w+|futex)\.(go|s)$`)

// parse returns the sums of a file of cachegrind, without what scheduler matches.
func parse(text string) (map[string]float64, error) {
	var names []string
	events := map[string]float64{}
	counts := false
	for line := range strings.Lines(text) {
		fields := strings.Fields(line)
		if file, ok := strings.CutPrefix(line, "fl="); ok {
			counts = !scheduler.MatchString(strings.TrimSpace(file))
		} else if len(fields) > 0 && fields[0] == "events:" {
			names = fields[1:]
		} else if counts && line[0] >= '0' && line[0] <= '9' {
			for i, field := range fields[1:] { // behind the number of a line of source
				n, err := strconv.ParseFloat(field, 64)
				if err != nil || i >= len(names) {
					return nil, fmt.Errorf("cannot read cachegrind's line %q; want counts of %q", strings.TrimSpace(line), names)
				}
				events[names[i]] += n
			}
		}
	}
	return events, nil
}
