package published

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"

	"raysteps/common/outfile"
	"raysteps/common/scene"
	"raysteps/scripts/internal/cli"
	"raysteps/scripts/internal/results"
	"raysteps/scripts/internal/steps"
)

// Request is what is to be published.
type Request struct {
	Files   []string // one of a kind at the most
	Machine string   // names the copies, or empty: made from what the files say
	Second  bool     // the files are of a second machine
	More    bool     // the file has experiments beside those that are published
}

// Publish makes files those that the pages show: it copies them into the folder
// results under the name of the machine, unless they are there already, and
// writes the list. Nothing is written if a file is refused. It returns the paths
// of the files that it wrote, from the root.
func Publish(root string, r Request) ([]string, error) {
	list, err := Read(root)
	if err != nil {
		return nil, err
	}
	copies := map[string][]byte{} // by name in the folder results
	given := map[results.Kind]bool{}
	for _, file := range r.Files {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, cli.Misuse("results %q: %w; want a file that scripts/bench wrote", file, errors.Unwrap(err))
		}
		kind, name, err := accept(root, file, text, r)
		if err != nil {
			return nil, err
		}
		if given[kind] {
			return nil, cli.Misuse("results %q: a second file of %s; want one of each kind", file, kind)
		}
		given[kind], list[kind] = true, name
		if !inFolder(root, file) || filepath.Base(file) != name {
			copies[name] = text
		}
	}
	kindOf := map[string]results.Kind{}
	for _, kind := range Kinds() {
		name := list[kind]
		if first, taken := kindOf[name]; taken && name != "" {
			return nil, cli.Misuse("%s/%s would hold the %s and the %s; want another -machine", Folder, name, first, kind)
		}
		kindOf[name] = kind
	}
	var written []string
	for name, text := range copies {
		written = append(written, path.Join(Folder, name))
		if err := outfile.Write("results", filepath.Join(root, Folder, name), text); err != nil {
			return nil, err
		}
	}
	slices.Sort(written)
	// The list is written even if it stays as it is: its time says which of the
	// measurements in results/local are newer.
	return append(written, ListFile), outfile.Write("results", filepath.Join(root, filepath.FromSlash(ListFile)), list.text())
}

// accept checks a file, and returns its kind and the name that it has in the
// folder results, or gets there.
func accept(root, file string, text []byte, r Request) (kind results.Kind, name string, err error) {
	machine := slug(r.Machine)
	if r.Machine != "" && (machine == "" || len(machine) > 100) {
		return "", "", cli.Misuse("-machine is %q; want a name with letters a to z or digits, 100 at the most", r.Machine)
	}
	set, err := acceptSet(file, text)
	if err != nil {
		return "", "", err
	}
	kind = set.Kind()
	machine = cmp.Or(machine, slug(strings.Join([]string{set.Config["cpu"], set.Config["cpu-family"], set.Config["goos"]}, " ")))
	name = machine + ".txt"
	switch {
	case r.Second && kind != results.OfSteps:
		return "", "", cli.Misuse("results %q: holds %s; want steps, with -second", file, kind)
	case r.More && (r.Second || kind != results.OfExperiments):
		return "", "", cli.Misuse("results %q: holds %s; want experiments, with -more and without -second", file, kind)
	case r.Second:
		kind = SecondMachine
	case r.More:
		kind = MoreExperiments
		name = machine + "-" + string(kind) + ".txt"
	case kind != results.OfSteps:
		name = machine + "-" + string(kind) + ".txt"
	}
	switch {
	case r.Machine == "" && inFolder(root, file):
		return kind, filepath.Base(file), nil
	case machine == "":
		return "", "", cli.Misuse("results %q: does not say of which machine it is; want a name for the machine, with -machine", file)
	}
	return kind, name, nil
}

// readSet reads measurements, and checks that none of them is missing.
func readSet(file string, text []byte) (*results.Set, error) {
	set, err := results.Read(bytes.NewReader(text), file)
	if err != nil {
		return nil, err
	}
	return set, set.Whole()
}

func acceptSet(file string, text []byte) (*results.Set, error) {
	set, err := readSet(file, text)
	if err != nil {
		return nil, cli.Misuse("%w", err)
	}
	if err := Check(set); err != nil {
		return nil, cli.Misuse("results %q: %w", file, err)
	}
	return set, nil
}

// minOrders is how many link orders published measurements have at the least. Those
// of whole pictures and of their tiles have fewer, since each takes so long.
const minOrders = 16

// Check says why measurements cannot be published.
func Check(set *results.Set) error {
	kind := set.Kind()
	if launches, orders := set.Launches(); orders < minOrders && !slices.Contains([]results.Kind{results.OfFull, results.OfPeers, results.OfSchedules}, kind) {
		return fmt.Errorf("too few link orders, %d in %d launches; want %d or more", orders, launches, minOrders)
	}
	if err := set.Noisy(); err != nil {
		return err
	}
	if kind == results.OfExperiments || kind == results.OfPeers {
		return nil
	}
	known := []string{results.Again(steps.All()[0])}
	for _, step := range steps.All() {
		known = append(known, step.Package())
	}
	for _, key := range set.Keys() {
		if !slices.Contains(known, key.Package) {
			return fmt.Errorf("%s is no step of this version; want what its own scripts/bench measured", cmp.Or(key.Package, "a package without a name"))
		}
	}
	if kind == results.OfSteps {
		// What is beyond may be missing: the tables leave it out.
		for _, step := range steps.Numbered() {
			for _, name := range scene.Names() {
				if key := results.RenderKey(step.Package(), name); !set.Has(key) {
					return fmt.Errorf("%s is missing; want all steps and scenes", key)
				}
			}
		}
	}
	return nil
}

// Newest returns the newest file in results/local, as a path from the root, that
// is newer than the list and can be published, of the steps: it turns the pages
// into the reader's own. It is empty if there is none. The reason why a file that
// is newer still was passed over is returned, too.
func Newest(root string) (file, reason string, err error) {
	entries, err := os.ReadDir(filepath.Join(root, filepath.FromSlash(Local)))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", "", err
	}
	var published time.Time
	if info, err := os.Stat(filepath.Join(root, filepath.FromSlash(ListFile))); err == nil {
		published = info.ModTime()
	}
	var newer []fs.FileInfo
	for _, entry := range entries {
		if info, err := entry.Info(); err == nil && info.Mode().IsRegular() && info.ModTime().After(published) {
			newer = append(newer, info)
		}
	}
	slices.SortFunc(newer, func(a, b fs.FileInfo) int { return b.ModTime().Compare(a.ModTime()) })
	for _, info := range newer {
		file = path.Join(Local, info.Name())
		text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(file)))
		if err != nil {
			return "", "", err
		}
		set, err := acceptSet(file, text)
		if err == nil {
			launches, orders := set.Launches()
			switch {
			case set.Kind() != results.OfSteps:
				err = fmt.Errorf("results %q: it holds %s; publish it with go run ./scripts/publish %s", file, set.Kind(), file)
			case launches < 2*orders: // it cannot be told what link orders differ by
				err = fmt.Errorf("results %q: it has one launch of each link order, as -quick measures; publish it all the same with go run ./scripts/publish %s", file, file)
			default:
				return file, reason, nil
			}
		}
		reason = cmp.Or(reason, err.Error())
	}
	return "", reason, nil
}

// inFolder reports whether a file is in the folder results.
func inFolder(root, file string) bool {
	folder, err := os.Stat(filepath.Join(root, Folder))
	if err != nil {
		return false
	}
	info, err := os.Stat(filepath.Dir(file))
	return err == nil && os.SameFile(folder, info)
}

var notInSlug = regexp.MustCompile(`[^a-z0-9]+`)

// slug turns the name of a machine into that of a file.
func slug(name string) string {
	name = strings.Map(unicode.ToLower, name)
	return strings.Trim(notInSlug.ReplaceAllString(name, "-"), "-")
}
