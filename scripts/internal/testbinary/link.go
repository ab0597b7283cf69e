package testbinary

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"time"

	"raysteps/scripts/internal/measure"
	"raysteps/scripts/internal/tool"
)

// link returns how the test binary is linked in an order, of which a function returns the number,
// above 0. Linker flags among the flags come behind those of this package.
//
// A third of the time the go command looks for what has changed. So that is for the first order, and
// in others the linker runs alone, by the command that -x prints, if that can be read.
func (p *Package) link(
	file string, number func(order int) int, flags []string,
) func(context.Context, int) error {
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
			cmd.Dir, cmd.Env = p.Dir, p.env
			text, _ := cmd.CombinedOutput()
			command = linking.FindSubmatch(text)
		}
		if order > 0 && command != nil {
			line := strings.ReplaceAll(string(command[3]), "$WORK", string(command[1]))
			fields := strings.Fields(regexp.MustCompile(`-randlayout=\d+`).ReplaceAllString(line, layout))
			env := append(slices.Clip(p.env), "GOROOT="+string(command[2]))
			if _, err := tool.Output(ctx, p.Dir, env, fields[0], append([]string{"-o", file}, fields[3:]...)...); err == nil {
				return nil
			}
		}
		_, err := tool.Output(ctx, p.Dir, p.env, "go", all...)
		return err
	}
}

// linking matches the folder and the linker in what go test -c -x prints, unless something is quoted.
var linking = regexp.MustCompile(`(?s)^WORK=(\S+)\n.*\nGOROOT='(\S*)' (\S+ -o \$WORK\S+ -importcfg [^\n'"\\]+)\n`)

// Side returns the package as a side, of which lines have a configuration. Its binary is
// linked with flags, in the orders of the numbers that a function returns, each above 0. It
// runs in the folder of the package, on so many processors. On one there is less noise, as
// the garbage collections before a slice wake no other.
func (p *Package) Side(
	file string, number func(order int) int, config map[string]string, flags ...string,
) *measure.Side {
	return &measure.Side{
		Package: p.ImportPath,
		Config:  config,
		Skips:   p.skips,
		Link:    p.link(file, number, flags),
		Start: func(ctx context.Context, cpu int) (measure.Server, error) {
			cmd := exec.CommandContext(ctx, file, fmt.Sprint("-test.cpu=", cpu), "-test.run=^Test_"+added+"(_test)?$")
			cmd.Dir, cmd.Env = p.Dir, p.env
			// While others have their turn a process gives memory back, and each slice that allocates
			// would get it again: on Linux pages stay until the system needs them.
			cmd.Env = append(cmd.Environ(), "GODEBUG=madvdontneed=0,"+os.Getenv("GODEBUG"))
			cmd.WaitDelay = time.Second // for what the benchmarks have started
			return measure.Start(ctx, cmd)
		},
	}
}
