package results

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"golang.org/x/perf/benchfmt"

	"raysteps/common/outfile"
	"raysteps/scripts/internal/cli"
)

// units says what is better, and what is the same every time.
const units = `Unit rays/s better=higher
Unit branches/ray assume=exact
Unit indirect/ray assume=exact
Unit instructions/ray assume=exact
Unit loads/ray assume=exact
Unit mispredicted/ray assume=exact
Unit stores/ray assume=exact

`

// Record adds to lines, which are of one run, what describes the machine, the revision of
// the module at root and the time, and merges them into a file, or if that is empty into
// the reader's own file of this machine. It returns the name of the file. Only one command
// at a time may do so: those that measure hold [cli.LockMeasuring].
func Record(ctx context.Context, root, file string, lines []*benchfmt.Result) (name string, err error) {
	described, err := describe()
	if err != nil {
		return "", err
	}
	described = append(described, benchfmt.Config{Key: "pgo", Value: []byte("off")},
		benchfmt.Config{Key: "revision", Value: []byte(revision(ctx, root))},
		benchfmt.Config{Key: "measured", Value: time.Now().UTC().AppendFormat(nil, time.RFC3339)})
	// All launches of a benchmark together, as what changes is written again, and in the
	// order of declaration: the first variant is the one to compare with.
	first := map[string]int{}
	key := func(r *benchfmt.Result) string { return idOf(r).String() }
	var fresh []*benchfmt.Result
	for i, r := range lines {
		if _, seen := first[key(r)]; !seen {
			first[key(r)] = i
		}
		r = r.Clone()
		for _, line := range described {
			if _, ok := r.ConfigIndex(line.Key); !ok {
				SetConfig(r, line.Key, string(line.Value))
			}
		}
		fresh = append(fresh, r)
	}
	if len(fresh) == 0 {
		return "", fmt.Errorf("results %q: nothing was measured; want benchmark lines", file)
	}
	slices.SortStableFunc(fresh, func(r, s *benchfmt.Result) int { return first[key(r)] - first[key(s)] })
	if file != "" {
		return file, merge(file, fresh)
	}
	name = Local + "/" + fileName(fresh[0]) + ".txt"
	return name, merge(filepath.Join(root, filepath.FromSlash(name)), fresh)
}

// merge puts fresh measurements into the file of a machine, which it makes if there is
// none. Those of a package, a benchmark and a configuration take the place of the ones
// that stand there; the rest stays. The file is replaced as a whole.
func merge(file string, fresh []*benchfmt.Result) error {
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		return err
	}
	text, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	old, err := parse(text, file)
	if err != nil {
		return err
	}
	keyOf := func(line *benchfmt.Result) [2]any { return [2]any{idOf(line), configuration(line)} }
	replaced := map[[2]any]bool{}
	for _, line := range fresh {
		replaced[keyOf(line)] = true
	}
	old = slices.DeleteFunc(old, func(line *benchfmt.Result) bool { return replaced[keyOf(line)] })
	out := bytes.NewBufferString(units)
	w := benchfmt.NewWriter(out)
	for _, line := range slices.Concat(old, fresh) {
		if err := w.Write(line); err != nil {
			return err
		}
	}
	return outfile.Write("results", file, out.Bytes())
}

// SetConfig gives a line a configuration that the file shows; an empty value takes it
// away.
func SetConfig(r *benchfmt.Result, key, value string) {
	r.SetConfig(key, value)
	if i, ok := r.ConfigIndex(key); ok {
		r.Config[i].File = true
	}
}

// revision returns the commit of a tree, with a + if files were changed since, or
// "unknown" of one that is no clone.
func revision(ctx context.Context, root string) string {
	out, err := cli.Output(ctx, "", nil, "git", "-C", root, "describe", "--always", "--dirty=+", "--exclude=*", "--abbrev=10")
	if err != nil {
		return "unknown"
	}
	return strings.TrimSpace(out)
}

// notInName is what the name of a file does without.
var notInName = regexp.MustCompile(`(\(r\)|\(tm\)| processor| cpu|[^a-z0-9])+`)

// fileName is that of a machine's file: amd-epyc-zen-5.
func fileName(r *benchfmt.Result) string {
	name := strings.ToLower(r.GetConfig("cpu") + " " + r.GetConfig("cpu-generation"))
	return cmp.Or(strings.Trim(notInName.ReplaceAllString(name, "-"), "-"), "machine")
}
