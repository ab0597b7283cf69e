package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/aymanbagabas/go-udiff"
	"github.com/dustin/go-humanize/english"

	"raysteps/common/outfile"
	"raysteps/scripts/internal/cli"
	"raysteps/scripts/internal/directive"
	"raysteps/scripts/internal/results"
)

// site is one run over all pages.
type site struct {
	root                 string // folder of the module
	check, reset, remake bool   // flags of the command

	kept   map[string]int   // how many regions could not be checked, by the reason
	assets map[string]asset // files that directives make, by path from the root

	read      bool           // whether the next three are known
	published []*results.Set // machines, the reference first
	own       *results.Set   // the reader's, or nil
	readErr   error
}

func newSite(root string) *site {
	return &site{root: root, kept: map[string]int{}, assets: map[string]asset{}}
}

// machines reads the measurements once, and returns the published ones. What is
// wrong with them is said once, and not again for each directive.
func (s *site) machines() ([]*results.Set, error) {
	if !s.read {
		s.read = true
		var own *results.Set
		s.published, own, s.readErr = results.Open(s.root, !s.reset)
		for _, set := range s.published {
			s.readErr = errors.Join(s.readErr, set.Check())
		}
		if s.readErr == nil && !s.reset {
			s.own = own
		}
		return s.published, s.readErr
	}
	if s.readErr != nil {
		return nil, &kept{"the measurements cannot be used"}
	}
	return s.published, nil
}

// kept is the error of a directive that cannot tell whether the content of its
// region is current. The region keeps it, and nothing fails.
type kept struct{ reason string }

func (k *kept) Error() string { return k.reason }

// asset is a file beside the pages, such as a picture.
type asset struct {
	want []byte
	same func(have, want []byte) bool
}

// asset adds a file that is to be written, or checked, together with the
// pages. The path is from the root, with slashes. The file counts as current
// if same says so.
func (s *site) asset(file string, want []byte, same func(have, want []byte) bool) {
	s.assets[file] = asset{want, same}
}

// page is what a directive is told of the page that it stands in, besides
// its call.
type page struct {
	*site
	name string // its path from the root, with slashes
}

// link returns the address of a file of the module, given by its path from
// the root, as a link in the page has to name it.
func (p *page) link(file string) string {
	return strings.Repeat("../", strings.Count(path.Clean(p.name), "/")) + file
}

// template is what README.md is made from.
const (
	template = "README_template.md"
	readme   = "README.md"
	made     = "<!-- Made from README_template.md by go run ./scripts/readme; what is changed here is lost. -->\n\n"
)

// pages returns the names of the pages that there are.
func (s *site) pages() []string {
	var all []string
	for _, pattern := range []string{template, "docs/*.md", "soagen/README.md"} {
		found, err := fs.Glob(os.DirFS(s.root), pattern)
		if err != nil {
			panic(err) // the pattern is wrong
		}
		all = append(all, found...)
	}
	return all
}

// result is a page or another file as it is and as it should be.
type result struct {
	file      string
	have      []byte // nil if there is no such file
	want      []byte
	different bool
}

// fill makes all pages and then what belongs to them, and writes nothing. The
// error lists what is wrong in any. After each page it calls done.
func (s *site) fill(ctx context.Context, done func()) ([]result, error) {
	var all []result
	var errs []error
	for _, name := range s.pages() {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		r, bad := s.fillPage(name)
		if own := s.own; s.check && r.different && own != nil {
			// Pages with and without the reader's own figures are both current.
			s.own = nil
			other, bad2 := s.fillPage(name)
			if s.own = own; len(bad2) == 0 && !other.different {
				r = other
			}
		}
		all = append(all, r)
		errs = append(errs, bad...)
		done()
	}
	for _, file := range slices.Sorted(maps.Keys(s.assets)) {
		have, err := os.ReadFile(s.path(file))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, err)
		}
		a := s.assets[file]
		all = append(all, result{file, have, a.want, err != nil || !a.same(have, a.want)})
	}
	return all, errors.Join(errs...)
}

func (s *site) fillPage(name string) (result, []error) {
	text, err := os.ReadFile(s.path(name))
	if err != nil {
		return result{}, []error{err}
	}
	to := name
	if name == template {
		to = readme
	}
	p := &page{s, to}
	directives := map[string]directive.Directive{}
	for name, kind := range kinds {
		directives[name] = directive.Directive{Required: kind.required, Optional: kind.optional, Fill: func(c *directive.Call) (string, error) {
			text, err := kind.fill(p, c)
			text, err = s.notYet(c, text, err)
			if reason := (*kept)(nil); errors.As(err, &reason) {
				s.kept[reason.Error()]++
				return c.Old, nil
			}
			return text, err
		}}
	}
	want, errs := directive.Fill(directives, name, text)
	have := text
	if name == template {
		want = append([]byte(made), want...)
		have, err = os.ReadFile(s.path(to))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, err)
		}
	}
	return result{to, have, want, !bytes.Equal(have, want)}, errs
}

// notMeasured stands in a region whose benchmark no machine has measured yet.
const notMeasured = "(not measured)"

// notYet says so of a benchmark that the tests of the package declare. Any other is
// a mistake in the page.
func (s *site) notYet(c *directive.Call, text string, err error) (string, error) {
	if !errors.As(err, new(*results.NotMeasuredError)) {
		return text, err
	}
	pkg := c.Get("pkg") + c.Get("of")
	bench, _, _ := strings.Cut(c.Get("bench"), "/")
	files, _ := filepath.Glob(filepath.Join(s.path(strings.TrimPrefix(results.Package(pkg), cli.Module+"/")), "*_test.go"))
	for _, file := range files {
		if source, err := os.ReadFile(file); pkg != "" && bench != "" && err == nil && bytes.Contains(source, []byte("\nfunc Benchmark"+bench+"(")) {
			s.kept["Benchmark"+bench+" of "+pkg+" was not measured"]++
			return notMeasured, nil
		}
	}
	return text, err
}

func (s *site) path(file string) string { return filepath.Join(s.root, filepath.FromSlash(file)) }

// notChecked says of how many regions it is not known whether they are
// current, one line for each reason.
func (s *site) notChecked() []string {
	var lines []string
	for _, reason := range slices.Sorted(maps.Keys(s.kept)) {
		lines = append(lines, fmt.Sprintf("%s not made anew: %s", english.Plural(s.kept[reason], "region", ""), reason))
	}
	return lines
}

// stale returns the difference of all files, and the names of those that
// differ.
func stale(results []result) (diff string, names []string) {
	var b strings.Builder
	for _, r := range results {
		if r.different {
			names = append(names, r.file)
			if !utf8.Valid(r.have) || !utf8.Valid(r.want) {
				fmt.Fprintf(&b, "%s differs\n", r.file)
				continue
			}
			b.WriteString(udiff.Unified(r.file, r.file+" as it should be", string(r.have), string(r.want)))
		}
	}
	return b.String(), names
}

func (s *site) run(ctx context.Context, env *cli.Env) error {
	bar := env.Progress(int64(len(s.pages())), "pages")
	all, err := s.fill(ctx, func() { _ = bar.Add(1) })
	_ = bar.Exit() // clears it, so that errors stand on lines of their own
	if err != nil {
		return err
	}
	for _, line := range s.notChecked() {
		fmt.Fprintln(env.Stdout, line)
	}
	if s.check {
		diff, names := stale(all)
		if len(names) > 0 {
			fmt.Fprint(env.Stdout, diff)
			return fmt.Errorf("stale: %s; want what go run ./scripts/readme writes", strings.Join(names, ", "))
		}
		return nil
	}
	// The pages come last, so that they never show what is not there.
	for _, r := range slices.Backward(all) {
		if !r.different {
			continue
		}
		if err := os.MkdirAll(filepath.Dir(s.path(r.file)), 0o777); err != nil {
			return err
		}
		if err := outfile.Write("page", s.path(r.file), r.want); err != nil {
			return err
		}
	}
	for _, r := range all {
		if r.different {
			fmt.Fprintln(env.Stdout, r.file)
		}
	}
	switch {
	case s.own != nil:
		fmt.Fprintf(env.Stdout, "The figures of %s/%s.txt stand in the pages, as yours; go run ./scripts/readme -reset takes them out.\n", results.Local, s.own.Name)
	case s.reset:
		fmt.Fprintln(env.Stdout, "The pages have the published figures alone; go run ./scripts/readme puts yours in again.")
	}
	return nil
}
