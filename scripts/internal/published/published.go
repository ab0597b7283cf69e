// Package published keeps the files of measurements that the pages show. They are
// in the folder results, and results/published names one of each kind.
package published

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"raysteps/scripts/internal/results"
)

// Paths from the root of the module, with slashes.
const (
	ListFile = "results/published"
	Folder   = "results"
	Local    = "results/local" // scripts/bench writes there
)

// SecondMachine is the kind of the steps, measured on another machine.
const SecondMachine results.Kind = "second-machine"

// MoreExperiments is the kind of experiments that want another release of Go than
// the rest. The pages look there for those that the file of experiments lacks.
const MoreExperiments results.Kind = "more-experiments"

// Kinds lists the kinds that can be published, in the order of the list.
func Kinds() []results.Kind { return append(results.Kinds(), SecondMachine, MoreExperiments) }

// List holds the names of the files in the folder results, by kind.
type List map[results.Kind]string

// MissingError says that no file of a kind is published.
type MissingError struct{ Kind results.Kind }

func (e *MissingError) Error() string {
	command := "go run ./scripts/publish "
	switch e.Kind {
	case SecondMachine:
		command += "-second "
	case MoreExperiments:
		command += "-more "
	}
	return fmt.Sprintf("%s names no file of %s; %sFILE publishes one", ListFile, e.Kind, command)
}

// Read reads the list. It is empty if there is none.
func Read(root string) (List, error) {
	list := List{}
	text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(ListFile)))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	n := 0
	for line := range strings.Lines(string(text)) {
		n++
		line = strings.TrimSpace(line)
		word, name, ok := strings.Cut(line, ": ")
		kind := results.Kind(word)
		switch {
		case !ok || !slices.Contains(Kinds(), kind):
			var kinds []string
			for _, kind := range Kinds() {
				kinds = append(kinds, string(kind))
			}
			return nil, fmt.Errorf("%s:%d: %q; want KIND: FILE, where KIND is one of %s", ListFile, n, line, strings.Join(kinds, ", "))
		case strings.ContainsAny(name, `/\`) || !filepath.IsLocal(name):
			return nil, fmt.Errorf("%s:%d: %q; want the name of a file in %s, without a folder", ListFile, n, name, Folder)
		case list[kind] != "":
			return nil, fmt.Errorf("%s:%d: a second file of %s; want one of each kind", ListFile, n, kind)
		}
		list[kind] = name
	}
	return list, nil
}

// text returns the list as it is written to its file.
func (l List) text() []byte {
	var b strings.Builder
	for _, kind := range Kinds() {
		if l[kind] != "" {
			fmt.Fprintf(&b, "%s: %s\n", kind, l[kind])
		}
	}
	return []byte(b.String())
}

// Set reads the measurements of a kind. The error may be a [MissingError].
func (l List) Set(root string, kind results.Kind) (*results.Set, error) {
	if l[kind] == "" {
		return nil, &MissingError{kind}
	}
	file := path.Join(Folder, l[kind])
	text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(file)))
	if errors.Is(err, fs.ErrNotExist) {
		err = errors.New("which does not exist; want a file in " + Folder)
	}
	if err != nil {
		return nil, fmt.Errorf("%s names %s, %w", ListFile, file, err)
	}
	set, err := readSet(file, text)
	if err != nil {
		return nil, err
	}
	want := kind
	switch kind {
	case SecondMachine:
		want = results.OfSteps
	case MoreExperiments:
		want = results.OfExperiments
	}
	if set.Kind() != want {
		return nil, fmt.Errorf("%s names %s, which holds %s; want %s", ListFile, file, set.Kind(), want)
	}
	return set, nil
}
