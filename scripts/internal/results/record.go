package results

import (
	"bytes"
	"cmp"
	"context"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"golang.org/x/perf/benchfmt"

	"raysteps/scripts/internal/cli"
)

// exact are the units of counts, which are the same every time.
var exact = []string{"instructions/ray", "loads/ray", "stores/ray", "branches/ray", "indirect/ray", "mispredicted/ray"}

// Record adds to lines, which are of one run, what describes the machine, the revision of
// the module at root and the time, and merges them into a file, or if that is empty into
// the reader's own file of this machine. It returns the name of the file.
func Record(ctx context.Context, root, file string, lines []*benchfmt.Result) (name string, err error) {
	described, err := describe()
	if err != nil {
		return "", err
	}
	described = append(described, benchfmt.Config{Key: "pgo", Value: []byte("off")},
		benchfmt.Config{Key: "revision", Value: []byte(revision(ctx, root))},
		benchfmt.Config{Key: "measured", Value: time.Now().UTC().AppendFormat(nil, time.RFC3339)})
	var text bytes.Buffer
	text.WriteString("Unit rays/s better=higher\n")
	for _, unit := range exact {
		text.WriteString("Unit " + unit + " assume=exact\n")
	}
	text.WriteString("\n")
	w := benchfmt.NewWriter(&text)
	// All launches of a benchmark together, as what changes is written again, and in the
	// order of declaration: the first variant is the one to compare with.
	first := map[string]int{}
	key := func(r *benchfmt.Result) string { return idOf(r).String() }
	for i, r := range slices.Backward(lines) {
		first[key(r)] = i
	}
	lines = slices.Clone(lines)
	slices.SortStableFunc(lines, func(r, s *benchfmt.Result) int { return first[key(r)] - first[key(s)] })
	for _, r := range lines {
		r = r.Clone()
		for _, line := range described {
			if _, ok := r.ConfigIndex(line.Key); !ok {
				SetConfig(r, line.Key, string(line.Value))
			}
		}
		if err := w.Write(r); err != nil {
			return "", err
		}
		name = Local + "/" + fileName(r) + ".txt"
	}
	if file != "" {
		return file, Merge(file, text.Bytes())
	}
	return name, Merge(filepath.Join(root, filepath.FromSlash(name)), text.Bytes())
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
