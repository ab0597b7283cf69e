package main

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

	"raysteps/common/scene"
	"raysteps/scripts/internal/cli"
	"raysteps/scripts/internal/results"
	"raysteps/scripts/internal/steps"
)

// published names, for each kind, the file in results that the pages show.
const published = "results/published"

// beside is the kind under which the steps of another machine are published.
const beside results.Kind = "beside"

// publishedKinds are those that the list of published files may have, in its
// order.
func publishedKinds() []results.Kind { return append(results.Kinds(), timeline, beside) }

// holds is what a file of a kind must hold.
func holds(kind results.Kind) results.Kind {
	if kind == beside {
		return ofSteps
	}
	return kind
}

func (s *site) readPublished(kind results.Kind) (*results.Set, error) {
	names, err := s.published()
	if err != nil {
		return nil, err
	}
	name, ok := names[kind]
	if !ok {
		return nil, &missingError{kind}
	}
	file := path.Join("results", name)
	text, err := os.ReadFile(s.path(file))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s names %s, which does not exist; want a file in results", published, file)
	}
	if err != nil {
		return nil, fmt.Errorf("%s names %s: %w", published, file, err)
	}
	set, err := readSet(file, text)
	if err != nil {
		return nil, err
	}
	if is := set.Kind(); is != holds(kind) {
		return nil, fmt.Errorf("%s names %s, which holds %s; want %s", published, file, is, holds(kind))
	}
	return set, nil
}

// missingError says that no file of a kind is published.
type missingError struct{ kind results.Kind }

func (e *missingError) Error() string {
	switch e.kind {
	case timeline:
		return fmt.Sprintf("%s names no execution trace; %s takes one, and go run ./scripts/readme -publish FILE puts it there", published, traceCommand)
	case beside:
		return fmt.Sprintf("%s names no second file of steps; put one there with go run ./scripts/readme -compare FILE", published)
	}
	return fmt.Sprintf("%s names no file of %s; put one there with go run ./scripts/readme -publish FILE", published, e.kind)
}

// published reads which files are shown, by kind, or will be after this run.
func (s *site) published() (map[results.Kind]string, error) {
	if s.names != nil {
		return s.names, nil
	}
	names := map[results.Kind]string{}
	text, err := os.ReadFile(s.path(published))
	if errors.Is(err, fs.ErrNotExist) {
		return names, nil
	}
	if err != nil {
		return nil, err
	}
	n := 0
	for line := range strings.Lines(string(text)) {
		n++
		line = strings.TrimSpace(line)
		word, name, ok := strings.Cut(line, ": ")
		kind := results.Kind(word)
		if !ok || !slices.Contains(publishedKinds(), kind) {
			return nil, fmt.Errorf("%s:%d: %q; want KIND: FILE, where KIND is one of %s", published, n, line, kinds(publishedKinds()))
		}
		if strings.ContainsAny(name, `/\`) || !filepath.IsLocal(name) {
			return nil, fmt.Errorf("%s:%d: %q; want the name of a file in results, without a folder", published, n, name)
		}
		if names[kind] != "" {
			return nil, fmt.Errorf("%s:%d: a second file of %s; want one of each kind", published, n, kind)
		}
		names[kind] = name
	}
	return names, nil
}

func kinds(list []results.Kind) string {
	words := make([]string, len(list))
	for i, kind := range list {
		words[i] = string(kind)
	}
	return strings.Join(words, ", ")
}

// request is what is to be published.
type request struct {
	files   []string // one of a kind at the most
	compare string   // the steps of another machine, or empty
	machine string   // names the files, or empty
}

// publish makes the measurements in files those that the pages show: it
// copies them into results under the machine's name, unless they are there
// already. Nothing is written before all pages could be filled. It returns
// the kinds of the files.
func (s *site) publish(r request) (shown []results.Kind, err error) {
	if len(r.files) == 0 && r.compare == "" {
		return nil, nil
	}
	names, err := s.published()
	if err != nil {
		return nil, err
	}
	var traces []traceFile
	for _, file := range r.files {
		text, err := readNamed("-publish", file)
		if err != nil {
			return nil, err
		}
		if isTrace(text) {
			traces = append(traces, traceFile{file, text})
			continue
		}
		set, err := ownSet("-publish", file, text)
		if err != nil {
			return nil, err
		}
		kind := set.Kind()
		if slices.Contains(shown, kind) {
			return nil, cli.Misuse("-publish: results %q: a second file of %s; want one of each kind", file, kind)
		}
		if names[kind], err = s.keepCopy("-publish", file, set, text, r); err != nil {
			return nil, err
		}
		s.sets[kind] = set
		shown = append(shown, kind)
	}
	if len(traces) > 0 {
		// After the measurements, since it takes its name from those of the steps.
		if names[timeline], err = s.publishTrace(traces, r, names[ofSteps]); err != nil {
			return nil, err
		}
		shown = append(shown, timeline)
	}
	if r.compare != "" {
		text, err := readNamed("-compare", r.compare)
		if err != nil {
			return nil, err
		}
		set, err := ownSet("-compare", r.compare, text)
		if err != nil {
			return nil, err
		}
		if kind := set.Kind(); kind != ofSteps {
			return nil, cli.Misuse("-compare: results %q: holds %s; want steps", r.compare, kind)
		}
		if len(r.files) > 0 {
			r.machine = "" // is that of the files
		}
		if names[beside], err = s.keepCopy("-compare", r.compare, set, text, r); err != nil {
			return nil, err
		}
		s.sets[beside] = set
		shown = append(shown, beside)
	}
	users := map[string]results.Kind{}
	for _, kind := range publishedKinds() {
		name := names[kind]
		if other, taken := users[name]; taken && name != "" {
			word := string(kind)
			if kind == beside {
				word = "steps of the second machine"
			}
			return nil, cli.Misuse("%s: results/%s would hold the %s and the %s; want another -machine", r.flag(), name, other, word)
		}
		users[name] = kind
	}
	var list strings.Builder
	for _, kind := range publishedKinds() {
		if names[kind] != "" {
			fmt.Fprintf(&list, "%s: %s\n", kind, names[kind])
		}
	}
	s.asset(published, []byte(list.String()), nil)
	s.names = names
	return shown, nil
}

func (r request) flag() string {
	if len(r.files) == 0 {
		return "-compare"
	}
	return "-publish"
}

// readNamed reads a file that a flag names.
func readNamed(flag, file string) ([]byte, error) {
	if info, err := os.Stat(file); errors.Is(err, fs.ErrNotExist) {
		return nil, cli.Misuse("%s: results %q: does not exist; want a file that scripts/bench wrote", flag, file)
	} else if err == nil && info.IsDir() {
		return nil, cli.Misuse("%s: results %q: is a folder; want a file that scripts/bench wrote", flag, file)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, cli.Misuse("%s: results %q: %w", flag, file, err)
	}
	return text, nil
}

// ownSet returns the measurements in such a file, and checks that they can be
// published.
func ownSet(flag, file string, text []byte) (*results.Set, error) {
	set, err := readSet(file, text)
	if err != nil {
		return nil, cli.Misuse("%s: %w", flag, err)
	}
	if err := publishable(set); err != nil {
		return nil, cli.Misuse("%s: results %q: %w", flag, file, err)
	}
	return set, nil
}

// keepCopy returns the name that a file has in results, or gets there.
func (s *site) keepCopy(flag, file string, set *results.Set, text []byte, r request) (string, error) {
	name := s.inResults(file)
	if name == "" || r.machine != "" {
		var err error
		if name, err = fileName(flag, set, r.machine); err != nil {
			return "", err
		}
	} else {
		return name, nil
	}
	s.asset(path.Join("results", name), text, nil)
	return name, nil
}

// readSet reads the text of a file, and checks that it holds whole launches.
func readSet(name string, text []byte) (*results.Set, error) {
	set, err := results.Read(bytes.NewReader(text), name)
	if err != nil {
		return nil, err
	}
	return set, set.Whole()
}

// minOrders is how many link orders published measurements have at the least.
const minOrders = 16

// publishable says why measurements cannot be published.
func publishable(set *results.Set) error {
	kind := set.Kind()
	if launches, orders := set.Launches(); orders < minOrders && kind != results.OfFull {
		return fmt.Errorf("too few link orders, %d in %d launches; want %d or more", orders, launches, minOrders)
	}
	if err := set.Noisy(); err != nil {
		return err
	}
	if kind == ofExperiments {
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
	if kind == ofSteps {
		// What is beyond may be missing: the tables leave it out.
		if missing := set.Missing(steps.Numbered(), scene.Names()); len(missing) > 0 {
			return fmt.Errorf("%d measurements are missing, %s the first; want all steps and scenes", len(missing), missing[0])
		}
	}
	return nil
}

// local is the folder that scripts/bench writes to.
const local = "results/local"

// newest returns the last file in results/local that is newer than what is
// published and that turns the pages into the reader's own: all steps at full
// size. It is empty if there is none. If the last file of all is not of that
// kind, passed says why it was passed over.
func (s *site) newest() (found, passed string, err error) {
	entries, err := os.ReadDir(s.path(local))
	if errors.Is(err, fs.ErrNotExist) {
		return "", "", nil
	}
	if err != nil {
		return "", "", err
	}
	var last, lastPassed time.Time
	if info, err := os.Stat(s.path(published)); err == nil {
		last, lastPassed = info.ModTime(), info.ModTime()
	}
	for _, e := range entries {
		info, err := e.Info()
		if err != nil || !info.Mode().IsRegular() {
			continue
		}
		file := s.path(path.Join(local, e.Name()))
		if err := replacesAll(file, path.Join(local, e.Name())); err != nil {
			if info.ModTime().After(lastPassed) {
				passed, lastPassed = "Passing over "+err.Error(), info.ModTime()
			}
		} else if info.ModTime().After(last) {
			found, last = file, info.ModTime()
		}
	}
	if !lastPassed.After(last) {
		passed = ""
	}
	return found, passed, nil
}

// replacesAll says why a file, of that name, is not one that turns the pages
// into the reader's own.
func replacesAll(file, name string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	set, err := readSet(name, text)
	if err != nil {
		return err
	}
	if kind := set.Kind(); kind != ofSteps {
		return fmt.Errorf("results %q: it holds %s; publish it with -publish", name, kind)
	}
	if err := publishable(set); err != nil {
		return fmt.Errorf("results %q: %w", name, err)
	}
	return nil
}

// touch makes the list of published files newer than the measurements in
// results/local. An error would only mean that they are found again.
func (s *site) touch() {
	now := time.Now()
	_ = os.Chtimes(s.path(published), now, now)
}

// inResults returns the name of a file that is in the folder results, as it
// is spelled there, and "" for any other.
func (s *site) inResults(file string) string {
	info, err := os.Stat(file)
	if err != nil {
		return ""
	}
	entries, err := os.ReadDir(s.path("results"))
	if err != nil {
		return ""
	}
	for _, e := range entries {
		if other, err := e.Info(); err == nil && os.SameFile(info, other) {
			return e.Name()
		}
	}
	return ""
}

// fileName is that of the published copy of a file.
func fileName(flag string, set *results.Set, machine string) (string, error) {
	if machine == "" {
		cpu := cmp.Or(set.Config["cpu"], set.Config["cpu-brand"])
		machine = strings.Join([]string{cpu, set.Config["cpu-family"], set.Config["goos"]}, " ")
		if slug(machine) == "" {
			return "", cli.Misuse("%s: results %q: says neither cpu nor goos; want a name for the machine, with -machine", flag, set.Name)
		}
	}
	name, err := machineSlug(machine)
	if err != nil {
		return "", err
	}
	if kind := set.Kind(); kind != ofSteps {
		name += "-" + string(kind)
	}
	return name + ".txt", nil
}

// machineSlug is what the names of a machine's files begin with.
func machineSlug(machine string) (string, error) {
	name := slug(machine)
	if name == "" || len(name) > 100 {
		return "", cli.Misuse("-machine is %q; want a name with letters a to z or digits, 100 at the most", machine)
	}
	return name, nil
}

var notInSlug = regexp.MustCompile(`[^a-z0-9]+`)

// slug turns the name of a machine into that of a file.
func slug(name string) string {
	name = strings.Map(unicode.ToLower, name)
	return strings.Trim(notInSlug.ReplaceAllString(name, "-"), "-")
}

// sameMachine reports whether two sets may be of the same machine, as far as
// both say something of it and as far as captions tell.
func sameMachine(a, b *results.Set) bool {
	for _, key := range []string{"goos", "goarch", "cpu", "cpu-brand", "cpu-family", "cpu-cores"} {
		if x, y := a.Config[key], b.Config[key]; x != "" && y != "" && x != y {
			return false
		}
	}
	return true
}

// others says which measurements in the pages are of another machine than
// those of the kinds that were published just now.
func (s *site) others(shown []results.Kind) []string {
	if len(shown) == 0 || shown[0] == beside || shown[0] == timeline {
		return nil
	}
	var lines []string
	for _, kind := range results.Kinds() {
		set := s.sets[kind]
		if set == nil || slices.Contains(shown, kind) || sameMachine(set, s.sets[shown[0]]) {
			continue
		}
		command := kind.Command()
		if kind == ofSteps {
			command += " -quick"
		}
		lines = append(lines, fmt.Sprintf("The %s in the pages are still those of %s, of another machine; %s measures yours", kind, set.Name, command))
	}
	if name := s.names[timeline]; name != "" && slices.Contains(shown, ofSteps) && !slices.Contains(shown, timeline) && name != traceName(s.names[ofSteps]) {
		lines = append(lines, fmt.Sprintf("The timeline in the pages is still that of results/%s, of another machine; %s takes yours", name, traceCommand))
	}
	return lines
}
