package main

import (
	"cmp"
	"context"
	_ "embed"
	"flag"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/perf/benchfmt"

	"raysteps/scripts/internal/cli"
	"raysteps/scripts/internal/measure"
	"raysteps/scripts/internal/results"
	"raysteps/scripts/internal/toolchain"
)

func main() { cli.Main(peersCommand) }

//go:embed doc.go
var manual string

var peersCommand = cli.Command{
	Name:     "peers",
	Synopsis: "[flags]",
	Manual:   manual,
	Setup: func(flags *flag.FlagSet) cli.Run {
		p := peers{}
		flags.StringVar(&p.embree, "embree", packaged, "the `folder` below which Embree is installed")
		flags.StringVar(&p.only, "only", "rays,pictures", "the `kinds` of programs to measure: rays, pictures, flags")
		flags.IntVar(&p.rounds, "rounds", 4, "`number` of rounds")
		flags.StringVar(&p.out, "o", "", "merge the measurements into this `file`, not into that of this machine")
		return p.run
	},
}

// allKinds are those of all programs.
var allKinds = []string{"rays", "pictures", "flags"}

// packaged is the folder below which a package of the system has Embree.
const packaged = "/usr"

// peers are the flags of a run.
type peers struct {
	embree, only, out string
	rounds            int
}

// choose returns the programs to measure, and the root of the module that this one is beside.
func (p *peers) choose() (chosen []program, root string, err error) {
	kinds := strings.Split(p.only, ",")
	unknown := slices.ContainsFunc(kinds, func(kind string) bool { return !slices.Contains(allKinds, kind) })
	if unknown || p.rounds < 1 {
		const want = "rays, pictures or flags, or a list of these, and 1 round or more"
		return nil, "", cli.Misuse("-only %q -rounds %d: want %s", p.only, p.rounds, want)
	}
	chosen = slices.DeleteFunc(programs(), func(x program) bool {
		isChosen := func(kind string) bool { return slices.Contains(kinds, kind) }
		return !slices.ContainsFunc(strings.Fields(x.kinds), isChosen)
	})
	if info, err := os.Stat(p.embree); p.embree != packaged && (err != nil || !info.IsDir()) {
		return nil, "", cli.Misuse("-embree %q: is not a folder; want the one below which Embree is installed", p.embree)
	}
	if root, err = cli.ModuleRoot(); err != nil {
		return nil, "", err
	}
	if err := results.Check(root, p.out); err != nil {
		return nil, "", cli.Misuse("%w", err)
	}
	return chosen, root, nil
}

func (p *peers) run(ctx context.Context, env *cli.Env, _ []string) error {
	start := time.Now()
	chosen, root, err := p.choose()
	if err != nil {
		return err
	}
	bin, err := os.MkdirTemp("", "raysteps-peers-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(bin)
	vars := p.vars(root, bin)
	w, err := newWorkshop(env, vars)
	if err = cmp.Or(err, scenesFor(bin), overlays(vars)); err != nil {
		return err
	}
	w.env, _ = toolchain.WithSIMD(root)
	release, err := measure.Lock(ctx, env.Stderr)
	if err != nil {
		return err
	}
	defer release()
	lines, stopped := w.measure(ctx, chosen, p.rounds)
	// In an order in which chance has no part: that of tables' columns.
	slices.SortStableFunc(lines, func(a, b *benchfmt.Result) int {
		return strings.Compare(a.GetConfig("pkg"), b.GetConfig("pkg"))
	})
	where, err := results.Record(ctx, root, p.out, lines)
	if err != nil {
		return cmp.Or(stopped, err)
	}
	fmt.Fprintf(env.Stdout, "Measured for %v, building included. The measurements are in %s.\n", time.Since(start).Round(time.Second), where)
	return cmp.Or(stopped, show(env.Stdout, lines))
}

// vars returns the variables of all recipes.
func (p *peers) vars(root, bin string) map[string]string {
	major := "3"
	if _, err := os.Stat(filepath.Join(p.embree, "include", "embree4")); err == nil {
		major = "4"
	}
	here := filepath.Join(root, "scripts", "peers")
	return map[string]string{
		"ROOT": root, "CLONES": filepath.Dir(root), "BIN": bin,
		"CPP": filepath.Join(here, "cpp"), "TRACERS": filepath.Join(here, "tracers"),
		"EMBREE": p.embree, "MAJOR": major,
	}
}

// show prints a table of our pictures and one of the rays, as far as they were measured.
func show(w io.Writer, lines []*benchfmt.Result) error {
	set, err := results.NewSet(lines, "this run")
	if err != nil {
		return err
	}
	seconds := []results.Column{{Unit: "sec/op"}}
	rates := []results.Column{{Unit: "rays/s"}, {Unit: "rays/s", Base: "peer"}}
	times := []results.Column{{Unit: "sec/ray"}, {Unit: "rays/s", Base: "peer"}}
	const plain = `-pkg:/x86-64-v2|step09$|step1[01]$|toy0/ /scene:(small OR medium OR large)`
	for _, spec := range []results.Spec{
		{Bench: "Picture", Where: plain, Rows: "step,program", Cols: "/scene", Columns: seconds},
		{Bench: "Picture", Where: "pkg:/raysteps/", Rows: "/scene,step", Columns: rates},
		{Bench: "Rays", Where: "pkg:/raysteps/", Rows: "/scene,/order,step", Columns: times},
	} {
		if table, err := set.Table(spec); err == nil { // it was measured
			if spec.Cols == "" {
				slices.SortStableFunc(table.Rows, func(a, b []string) int {
					return strings.Compare(a[0], b[0])
				})
			}
			fmt.Fprint(w, "\n", table.Text())
		}
	}
	return nil
}

// clone returns the folder in which the clone of a recipe's repository is.
func (r *recipe) clone(clones string) string { return filepath.Join(clones, path.Base(r.repository)) }
