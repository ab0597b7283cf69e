package results

import (
	"bytes"
	"cmp"
	"context"
	_ "embed"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/perf/benchfmt"

	"raysteps/common/outfile"
)

// units says what is better, and what is the same every time. A file begins with it.
//
//go:embed units.txt
var units string

// Record adds to lines, which are of one run, what describes the machine, the revision of
// the module at root and the time, and merges them into a file, or if that is empty into
// the reader's own file. It returns the name of the file. Only one command at a time may do
// so: those that measure hold [measure.Lock]. What was measured before Ctrl-C is kept, so
// the context may be canceled.
func Record(ctx context.Context, root, file string, lines []*benchfmt.Result) (name string, err error) {
	if len(lines) == 0 {
		return "", fmt.Errorf("results %q: nothing was measured; want benchmark lines", file)
	}
	config, err := machineConfig(context.WithoutCancel(ctx), root)
	if err != nil {
		return "", err
	}
	for _, line := range lines {
		for _, c := range config {
			said := line.GetConfig(c[0])
			value := cmp.Or(strings.TrimSpace(said), c[1]) // some processors end their name with blanks
			if value != said {
				SetConfig(line, c[0], value)
			}
		}
	}
	return cmp.Or(file, Local), merge(cmp.Or(file, filepath.Join(root, Local)), lines, file == "")
}

// SetConfig gives a line a configuration that a file shows; an empty value takes it away.
func SetConfig(line *benchfmt.Result, key, value string) {
	line.SetConfig(key, value)
	if i, ok := line.ConfigIndex(key); ok {
		line.Config[i].File = true
	}
}

// Check says whether measurements can be recorded in a file, as [Record] takes it: one that is
// not there yet, or has measurements and nothing else that would be lost. It makes the folder of
// the reader's own.
func Check(root, file string) error {
	name := cmp.Or(file, filepath.Join(root, Local))
	if file == "" {
		_ = os.MkdirAll(filepath.Dir(name), 0o777) // or there is none, as the next line says
	}
	err := outfile.Check("results", name)
	if err == nil { // or it may be a device, whose text has no end
		_, err = readFile(name)
	}
	return err
}

// merge puts fresh measurements into the file of a machine, which it makes if there is none.
// They take the place of those of the same package, benchmark and build. The rest stays where it
// is, so that a difference shows what was measured, but nothing of another machine in a file of
// one. The file is replaced as a whole.
func merge(file string, fresh []*benchfmt.Result, one bool) error {
	lines, err := readFile(file)
	if err != nil {
		return err
	}
	machine := func(line *benchfmt.Result) string {
		return strings.TrimSpace(line.GetConfig("cpu")) + line.GetConfig("cpu-generation")
	}
	replaced := map[id]bool{}
	for _, line := range fresh {
		replaced[idOf(line)] = true
	}
	kept, at := lines[:0], -1
	for _, line := range lines {
		switch {
		case replaced[idOf(line)]:
			at = len(kept) // and the last one counts
		case !one || machine(line) == machine(fresh[0]):
			kept = append(kept, line)
		}
	}
	if at < 0 {
		at = len(kept)
	}
	out := bytes.NewBufferString(units)
	w := benchfmt.NewWriter(out)
	for _, line := range slices.Insert(kept, at, fresh...) {
		_ = w.Write(line) // a buffer takes it
	}
	return outfile.Write("results", file, out.Bytes())
}
