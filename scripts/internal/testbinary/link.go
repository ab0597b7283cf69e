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
// The go command compiles and links it the first time. A third of its time it looks for what has
// changed. So from then on the linker runs alone, by the command that -x prints, if that can be read,
// and not at all if the binary is linked in that order.
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
	var command []string
	linked := "" // the layout that the file has
	return func(ctx context.Context, order int) (err error) {
		layout := fmt.Sprint("-randlayout=", number(order))
		if layout == linked {
			return nil
		}
		linked = ""
		if command == nil || p.relink(ctx, file, layout, command) != nil {
			command, err = p.build(ctx, append(slices.Clip(args), ldflags+" "+layout, p.ImportPath))
		}
		if err == nil {
			linked = layout
		}
		return err
	}
}

// build compiles and links by the go command, and returns the command that it links by, or none if that
// cannot be read.
func (p *Package) build(ctx context.Context, args []string) (command []string, err error) {
	said := slices.Insert(slices.Clone(args), 2, "-x", "-work")
	_, text, err := tool.Execute(ctx, p.Dir, p.env, "go", said...)
	if err == nil {
		return linking.FindStringSubmatch(text), nil
	}
	_, err = tool.Output(ctx, p.Dir, p.env, "go", args...) // which says nothing but why
	return nil, err
}

// relink links by a command of the go command's, in another layout.
func (p *Package) relink(ctx context.Context, file, layout string, command []string) error {
	line := strings.ReplaceAll(command[3], "$WORK", command[1])
	fields := strings.Fields(regexp.MustCompile(`-randlayout=\d+`).ReplaceAllString(line, layout))
	env := append(slices.Clip(p.env), "GOROOT="+command[2])
	_, err := tool.Output(ctx, p.Dir, env, fields[0], append([]string{"-o", file}, fields[3:]...)...)
	return err
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
