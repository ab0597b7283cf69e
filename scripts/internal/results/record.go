package results

import (
	"bytes"
	"context"
	_ "embed"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"golang.org/x/perf/benchfmt"

	"raysteps/common/outfile"
	"raysteps/scripts/internal/measure"
)

// units says what is better, and what is the same every time. A file begins with it.
//
//go:embed units.txt
var units string

// Record adds to lines, which are of one run, what describes the machine, the revision of
// the module at root and the time, and merges them into a file, or if that is empty into
// the reader's own file. It returns the name of the file. Only one command at a time may do
// so: those that measure hold [cli.LockMeasuring]. What was measured before Ctrl-C is kept, so
// the context may be canceled.
func Record(ctx context.Context, root, file string, lines []*benchfmt.Result) (name string, err error) {
	if len(lines) == 0 {
		return "", fmt.Errorf("results %q: nothing was measured; want benchmark lines", file)
	}
	config, err := describe(context.WithoutCancel(ctx), root)
	if err != nil {
		return "", err
	}
	var fresh []*benchfmt.Result
	for _, r := range lines {
		r = r.Clone()
		for _, c := range config {
			if _, ok := r.ConfigIndex(c[0]); !ok {
				measure.SetConfig(r, c[0], c[1])
			}
		}
		fresh = append(fresh, r)
	}
	if file != "" {
		return file, merge(file, fresh, false)
	}
	return Local, merge(filepath.Join(root, filepath.FromSlash(Local)), fresh, true)
}

// Check says whether measurements can be recorded in a file: one that is not there yet, or
// has measurements and nothing else that would be lost.
func Check(file string) error {
	err := outfile.Check("results", file)
	if err != nil {
		return err
	}
	lines, err := readFile(file)
	if info, _ := os.Stat(file); err == nil && len(lines) == 0 && info != nil && info.Size() > 0 {
		return fmt.Errorf("results %q: there is something else in it; want a file of measurements, or a new one", file)
	}
	return err
}

// CheckOwn says whether they can be recorded in the reader's own file, whose folder it makes.
func CheckOwn(root string) error {
	file := filepath.Join(root, filepath.FromSlash(Local))
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		return err
	}
	return Check(file)
}

// merge puts fresh measurements into the file of a machine, which it makes if there is
// none. Those of a package, a benchmark and a configuration take the place of the ones
// that stand there; the rest stays, but nothing of another machine in a file of one. The file is
// replaced as a whole.
//
// All launches of a benchmark stand together, as what changes is written again, and in the
// order of declaration: the first variant is the one to compare with.
func merge(file string, fresh []*benchfmt.Result, one bool) error {
	lines, err := readFile(file)
	if err != nil {
		return err
	}
	keyOf := func(line *benchfmt.Result) [2]any { return [2]any{idOf(line), configuration(line)} }
	machine := func(line *benchfmt.Result) string { return line.GetConfig("cpu") + line.GetConfig("cpu-generation") }
	replaced, first := map[[2]any]bool{}, map[id]int{}
	for _, line := range fresh {
		replaced[keyOf(line)] = true
	}
	old := func(line *benchfmt.Result) bool {
		return replaced[keyOf(line)] || one && machine(line) != machine(fresh[0])
	}
	lines = append(slices.DeleteFunc(lines, old), fresh...)
	for _, line := range lines {
		if _, seen := first[idOf(line)]; !seen {
			first[idOf(line)] = len(first)
		}
	}
	slices.SortStableFunc(lines, func(a, b *benchfmt.Result) int { return first[idOf(a)] - first[idOf(b)] })
	out := bytes.NewBufferString(units)
	w := benchfmt.NewWriter(out)
	for _, line := range lines {
		if err := w.Write(line); err != nil {
			return err
		}
	}
	return outfile.Write("results", file, out.Bytes())
}
