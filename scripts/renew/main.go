package main

import (
	"bytes"
	"cmp"
	"context"
	_ "embed"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"golang.org/x/perf/benchfmt"

	"raysteps/scripts/internal/cli"
	"raysteps/scripts/internal/results"
)

func main() { cli.Main(command) }

//go:embed doc.go
var manual string

var command = cli.Command{Name: "renew", Synopsis: "[flags] RELEASE", Manual: manual, MaxArgs: 1, Setup: func(flags *flag.FlagSet) cli.Run {
	out := ""
	flags.Func("o", "write to this `file`, such as "+results.Folder+"/"+results.Reference+".txt", func(name string) error {
		out = name
		return results.Check(name)
	})
	limit := flags.Duration("time", 0, "measure each of the three for about so `long`; 0 for as long as bench does by itself")
	countOnly := flags.Bool("counts", false, "count and run the traps, and measure nothing")
	return func(ctx context.Context, env *cli.Env, args []string) error {
		if len(args) == 0 || !regexp.MustCompile(`^go1\.\d+\S*$`).MatchString(args[0]) {
			return cli.Misuse("want a release of Go, such as go1.27.4")
		}
		return renew(ctx, env, args[0], out, *limit, *countOnly)
	}
}}

const (
	kernels = "raysteps/beyond/archsimd/kernels"
	tracer  = "raysteps/beyond/archsimd"
)

func renew(ctx context.Context, env *cli.Env, release, file string, limit time.Duration, countOnly bool) error {
	root, err := cli.ModuleRoot()
	if err != nil {
		return err
	}
	page, err := os.ReadFile(filepath.Join(root, "docs", "archsimd.md"))
	if err != nil {
		return err
	}
	published, err := read(filepath.Join(root, results.Folder, results.Reference+".txt"))
	if err != nil {
		return err
	}
	goCommand := func(args ...string) *exec.Cmd {
		cmd := exec.CommandContext(ctx, "go", args...)
		cmd.Dir, cmd.Env = root, append(os.Environ(), "GOTOOLCHAIN="+release, "GOEXPERIMENT=simd")
		return cmd
	}
	if out, err := goCommand("test", "./beyond/archsimd/...").CombinedOutput(); err != nil {
		return fmt.Errorf("the tests, with %s: %w\n%s", release, err, out)
	}
	traps, err := goCommand("run", "./beyond/archsimd/traps").CombinedOutput()
	if err != nil {
		return fmt.Errorf("the traps, with %s: %w\n%s", release, err, traps)
	}
	var counts []*benchfmt.Result
	for _, arch := range []string{"amd64", "arm64", "wasm"} {
		build := goCommand("build", "-gcflags=-S", "-asmflags=-S", "./beyond/archsimd/...", "./step12", "./beyond/avx512")
		build.Env = append(build.Env, "GOARCH="+arch, "GOOS="+map[string]string{"wasm": "js"}[arch], "GOAMD64=v1")
		listing, err := build.CombinedOutput()
		if err != nil {
			return fmt.Errorf("building for %s with %s: %w", arch, release, cli.Failure(ctx, err, string(listing)))
		}
		counts = append(counts, count(string(listing), arch, release)...)
	}
	written, err := results.Record(ctx, root, file, counts)
	if err != nil {
		return err
	}
	for _, what := range []string{"Kernels,Widths", "Kernels"} {
		args := []string{"run", "./scripts/bench", "-experiments", what}
		if file != "" {
			args = append(args, "-o", file)
		}
		if limit > 0 {
			args = append(args, "-time", limit.String())
		}
		if what == "Kernels" {
			args = append(args, "-builds", "v1,v3,v4")
		}
		if countOnly {
			break
		}
		cmd := goCommand(args...)
		cmd.Stdout, cmd.Stderr = env.Stderr, env.Stderr
		if err := cmd.Run(); err != nil {
			return cli.ErrReported
		}
	}
	fresh := counts
	if file == "" {
		written = filepath.Join(root, filepath.FromSlash(written))
	}
	if !countOnly {
		if fresh, err = read(written); err != nil {
			return err
		}
	}
	lines, err := changes(published, fresh)
	lines = append(differences(string(page), string(traps)), lines...)
	if len(lines) == 0 {
		lines = []string{"nothing differs from the page"}
	}
	fmt.Fprintln(env.Stdout, strings.Join(lines, "\n"))
	return err
}

// read returns the lines of a file of results that are of the page.
func read(file string) (all []*benchfmt.Result, err error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	for r := benchfmt.NewReader(bytes.NewReader(text), file); r.Scan(); {
		if line, ok := r.Result().(*benchfmt.Result); ok && (line.GetConfig("pkg") == kernels || line.GetConfig("pkg") == tracer) {
			all = append(all, line.Clone())
		}
	}
	return all, nil
}

var trap = regexp.MustCompile(`(?m)^go\S+ (.+?) +right: (true|false)$`)

// differences says which traps are others than on the page.
func differences(page, now string) (lines []string) {
	old := map[string]string{}
	for _, m := range trap.FindAllStringSubmatch(page, -1) {
		old[m[1]] = m[2]
	}
	for _, m := range trap.FindAllStringSubmatch(now, -1) {
		if old[m[1]] != m[2] {
			lines = append(lines, fmt.Sprintf("trap %s: right is %s, and %s on the page", m[1], m[2], cmp.Or(old[m[1]], "nothing")))
		}
	}
	return lines
}

// changes says which counts differ and which ratios have moved.
func changes(published, fresh []*benchfmt.Result) (lines []string, err error) {
	old, err := results.Of(published, "the page")
	if err != nil {
		return nil, err
	}
	now, err := results.Of(fresh, "this run")
	if err != nil {
		return nil, err
	}
	counted := map[string]float64{}
	for _, line := range published {
		if v, ok := line.Value(perIteration); ok {
			counted[name(line)] = v
		}
	}
	for _, line := range fresh {
		pkg, full := line.GetConfig("pkg"), name(line)
		if v, ok := line.Value(perIteration); ok {
			if before, there := counted[full]; there && before != v {
				lines = append(lines, fmt.Sprintf("%s: %.0f instructions, and %.0f on the page", full, v, before))
			}
			continue
		}
		column := results.Column{Unit: "sec/op", Base: pkg + " " + way.ReplaceAllString(full, "/way=plain/bits=64")}
		if pkg == tracer {
			column = results.Column{Unit: "rays/s", Base: pkg + " " + way.ReplaceAllString(full, "/way=assembly/bits=256")}
		}
		before, ok := old.Quantity(pkg, full, "", column)
		after, ok2 := now.Quantity(pkg, full, "", column)
		if ok && ok2 && (after.Lo > before.Hi || after.Hi < before.Lo) {
			lines = append(lines, fmt.Sprintf("%s over %s: %s, and %s on the page", full, strings.Fields(column.Base)[1], after, before))
		}
	}
	slices.Sort(lines)
	return slices.Compact(lines), nil // a line a launch
}

var (
	way        = regexp.MustCompile(`/way=.*$`)
	processors = regexp.MustCompile(`-\d+$`)
)

func name(line *benchfmt.Result) string { return processors.ReplaceAllString(string(line.Name), "") }
