// Package toolchain asks tools what explains a figure. A root is the folder of a module.
//
// It runs the go commands whose output the chapters quote: what the compiler inlined, what
// it moved to the heap, which bounds checks it left, and some of its instructions.
//
// And it counts what a processor executes for a ray: instructions, loads, stores, branches and
// indirect jumps. Valgrind executes a program one instruction after the other and counts them, so
// that counts are exact, need no quiet machine and are the same on every machine with the same
// compiler; only mispredicted branches come from a model of a predictor. A count is not a cost: an
// instruction that nothing waits for takes no time. What is counted is a program that renders a
// picture of ten samples, less the same program with a smaller one, over the rays of the difference:
// what it does once does not count.
package toolchain

import (
	"context"
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

	"raysteps/scripts/internal/cachegrind"
	"raysteps/scripts/internal/cli"
	"raysteps/scripts/internal/steps"
	"raysteps/scripts/internal/tool"
)

// settings are the variables that decide what the compiler does, so that its reports
// depend on the source and on the version of Go alone.
var settings = []string{
	"GOOS=linux", "GOARCH=amd64", "GOAMD64=v1", "GOFLAGS=-pgo=off -buildvcs=false", "GOEXPERIMENT=",
	"CGO_ENABLED=0", "GOFIPS140=off", "GOWORK=off", "GO111MODULE=",
}

// command matches what Output runs.
var command = regexp.MustCompile(`^(GOEXPERIMENT=simd )?go ((build|run|tool pprof) .+)$`)

// Output runs a command that a reader can type, in root, and returns what it prints: go build or
// go run, of packages of the module, or go tool pprof of a profile in results, with
// GOEXPERIMENT=simd in front or not. Whatever the machine
// and its settings are, packages are compiled for linux/amd64 with GOAMD64=v1, without cgo,
// profiles and build tags; programs run as on the reader's machine.
func Output(root, text string) (string, error) {
	m := command.FindStringSubmatch(text)
	if m == nil {
		return "", fmt.Errorf("command is %q; want go build or go run, and a package, or go tool pprof and a profile", text)
	}
	cmd := exec.Command("go", strings.Fields(m[2])...)
	cmd.Dir, cmd.Env = root, os.Environ()
	if m[3] == "build" {
		cmd.Env = append(cmd.Env, settings...)
	}
	cmd.Env = append(cmd.Env, strings.Fields(m[1])...)
	printed, err := cmd.CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("%s: %w", text, tool.Failure(context.Background(), err, string(printed)))
	}
	return string(printed), nil
}

// WithSIMD returns the environment in which packages of a module are built with that
// experiment, if its toolchain has it for this processor. Go 1.26 lists the package for arm64
// too, but there it has no types.
func WithSIMD(root string) (env []string, ok bool) {
	env = append(os.Environ(), "GOEXPERIMENT="+strings.Trim(os.Getenv("GOEXPERIMENT")+",simd", ","))
	files, _ := tool.Output(context.Background(), root, env, "go", "list", "-f", "{{.GoFiles}}", "simd/archsimd")
	if strings.Contains(files, "types_"+runtime.GOARCH+".go") {
		return env, true
	}
	return os.Environ(), false
}

// CountUnits are the units of the lines, in their order. All are exact but the last, which is a
// model's.
var CountUnits = []string{"instructions/ray", "loads/ray", "stores/ray", "branches/ray", "indirect/ray", "mispredicted/ray"}

// events are the names of cachegrind's events that each is the sum of.
var events = []string{"Ir", "Dr", "Dw", "Bc", "Bi", "Bcm Bim"}

// Count counts what a processor executes for a ray of packages of the module at root, which may
// be another revision of this one, in some scenes. What it builds is in the folder tmp. The lines
// are in the order of the packages, and of their scenes. They name the kernel as the package does,
// or none: valgrind knows no AVX-512. Variables are for the go command, beside its environment.
func Count(ctx context.Context, env *cli.Env, root, tmp string, variables, packages,
	scenes []string) ([]*benchfmt.Result, error) {
	lines := make([]*benchfmt.Result, len(packages)*len(scenes))
	bar := env.Progress(int64(len(lines)), "counting")
	defer bar.Finish()
	program := func(i int) string { return filepath.Join(tmp, fmt.Sprint(i)) }
	builds, building := errgroup.WithContext(ctx)
	builds.SetLimit(runtime.GOMAXPROCS(0))
	for i, pkg := range packages {
		builds.Go(func() error {
			if err := buildCounted(building, root, program(i), variables, pkg); err != nil {
				return fmt.Errorf("building what is counted: %w", err)
			}
			return nil
		})
	}
	if err := builds.Wait(); err != nil {
		return nil, err
	}
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(runtime.GOMAXPROCS(0))
	for n := range lines {
		i, scene := n/len(scenes), scenes[n%len(scenes)]
		group.Go(func() error {
			line, err := difference(ctx, program(i), scene)
			if err != nil {
				return fmt.Errorf("counting %s in the %s scene: %w", packages[i], scene, err)
			}
			line.Config = append(line.Config, benchfmt.Config{Key: "pkg", Value: []byte(packages[i]), File: true})
			lines[n] = line
			bar.Add(1)
			return nil
		})
	}
	return lines, group.Wait()
}

// countedSource is a program that renders a scene with ten samples, as the picture that is timed has,
// in a size of 16x9 times a number, and says how many rays that took and with which kernel. There is
// one for each package, or the model of a predictor would see all.
const countedSource = `package main

import (
	"fmt"
	"os"
	"strconv"

	"raysteps/common"
	"raysteps/common/film"
	"raysteps/common/scene"
	counted %q
)

func main() {
	sc, err := scene.ByName(os.Args[1])
	if err != nil {
		panic(err)
	}
	times, _ := strconv.Atoi(os.Args[2])
	var t common.Tracer = counted.New(sc)
	s, f, kernel := common.Default(), film.New(16*times, 9*times), ""
	s.Width, s.Height, s.Workers = f.Width, f.Height, 1
	rays := t.Render(f, s)
	if k, ok := t.(common.KernelTracer); ok {
		kernel = k.Kernel()
	}
	fmt.Printf("%%d %%q\n", rays, kernel)
}
`

// buildCounted links the program to a file, in the linker's order, with the debugging information
// by which valgrind knows the files. Its source stands beside it.
func buildCounted(ctx context.Context, root, file string, variables []string, pkg string) error {
	env := os.Environ()
	if step, _ := steps.Find(strings.TrimPrefix(pkg, cli.Module+"/")); step.SIMD {
		env, _ = WithSIMD(root)
	}
	if err := os.WriteFile(file+".go", fmt.Appendf(nil, countedSource, pkg), 0o600); err != nil {
		return err
	}
	_, err := tool.Output(ctx, root, append(env, variables...), "go", "build", "-trimpath", "-buildvcs=false", "-pgo=off", "-o", file, file+".go")
	return err
}

// enough is how many instructions are counted, at least: what a process does
// once differs by some thousands, as the system puts its heap now here, now there.
const enough = 100e6

// difference counts a small picture and a larger one, and returns what a ray of the rest takes. The
// cheaper a ray, the larger the picture: a program that follows thousands of rays at once needs them.
func difference(ctx context.Context, program, scene string) (*benchfmt.Result, error) {
	var sums [2]map[string]float64
	var rays [2]int
	env := append(os.Environ(), "GOMEMLIMIT=2GiB") // nothing is collected, unless somebody allocates much
	times, kernel := 1, ""
	for i := range sums {
		printed, counts, err := cachegrind.Run(ctx, "", env, program+"."+scene+".counts", scheduler, "--cache-sim=yes", program, scene, strconv.Itoa(times))
		if err == nil {
			_, err = fmt.Sscanf(printed, "%d %q", &rays[i], &kernel)
		}
		if err != nil {
			return nil, err
		}
		sums[i] = counts
		times = 1 + int(math.Ceil(math.Sqrt(enough/counts["Ir"])))
	}
	line := &benchfmt.Result{Name: benchfmt.Name("Count/scene=" + scene), Iters: 1}
	if kernel != "" {
		line.Config = []benchfmt.Config{{Key: "kernel", Value: []byte(kernel), File: true}}
	}
	for i, unit := range CountUnits {
		sum := 0.0
		for event := range strings.FieldsSeq(events[i]) {
			sum += sums[1][event] - sums[0][event]
		}
		perRay := max(0, sum/float64(rays[1]-rays[0]))
		line.Values = append(line.Values, benchfmt.Value{Value: math.Round(100*perRay) / 100, Unit: unit})
	}
	return line, nil
}

// scheduler matches the files of the runtime that work by the clock, such as the
// thread that interrupts goroutines each ten milliseconds, and those that look for
// memory where it happens to be: the slower the machine, the more they do. Others copy a
// stack that grows, and look up its frames. What a package allocates, copies and clears does count.
var scheduler = regexp.MustCompile(`^fl=.*runtime/(proc|lock_\w+|sema|time\w*|netpoll\w*|signal_\w+|stack|stkframe|symtab|traceback|mpage\w+|mpallocbits|os_linux\w*|sys_linux_\w+|futex)\.(go|s)$`)
