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
	"sync"
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
	own    *results.Set     // the reader's measurements, or nil
	open   func() ([]*results.Set, error)
	failed bool // open has, and said so
}

func newSite(root string) *site {
	s := &site{root: root, kept: map[string]int{}, assets: map[string]asset{}}
	s.open = sync.OnceValues(func() ([]*results.Set, error) {
		published, own, err := results.Open(s.root, !s.reset)
		for _, set := range published {
			err = errors.Join(err, set.Check())
		}
		s.own = own
		return published, err
	})
	return s
}

// machines reads the measurements once, and returns the published ones, the reference
// first. What is wrong with them is said once, and not again for each directive.
func (s *site) machines() ([]*results.Set, error) {
	published, err := s.open()
	if err != nil && s.failed {
		return nil, &kept{"the measurements cannot be used"}
	}
	s.failed = err != nil
	return published, err
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
	docs, _ := fs.Glob(os.DirFS(s.root), "docs/*.md") // the pattern is right
	return slices.DeleteFunc(slices.Concat([]string{template}, docs, []string{"soagen/README.md"}), func(name string) bool {
		_, err := os.Stat(s.path(name))
		return err != nil
	})
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
		have, err := s.read(file)
		errs = append(errs, err)
		a := s.assets[file]
		all = append(all, result{file, have, a.want, have == nil || !a.same(have, a.want)})
	}
	return all, errors.Join(errs...)
}

// read returns the content of a file, nil if there is none.
func (s *site) read(file string) ([]byte, error) {
	text, err := os.ReadFile(s.path(file))
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return text, err
}

func (s *site) fillPage(name string) (result, []error) {
	p := &page{s, name}
	if name == template {
		p.name = readme
	}
	directives := map[string]directive.Directive{}
	for name, kind := range kinds {
		directives[name] = directive.Directive{Required: kind.required, Optional: kind.optional, Fill: func(c *directive.Call) (string, error) {
			text, err := kind.fill(p, c)
			if errors.As(err, new(*results.NotMeasuredError)) {
				text, err = s.notYet(c, err)
			}
			if reason := (*kept)(nil); errors.As(err, &reason) {
				s.kept[reason.Error()]++
				return c.Old, nil
			}
			return text, err
		}}
	}
	text, err := s.read(name)
	if err != nil {
		return result{}, []error{err}
	}
	want, errs := directive.Fill(directives, name, text)
	if name == template {
		want = append([]byte(made), want...)
		if text, err = s.read(readme); err != nil {
			errs = append(errs, err)
		}
	}
	return result{p.name, text, want, !bytes.Equal(text, want)}, errs
}

// notMeasured stands in a region whose benchmark no machine has measured yet.
const notMeasured = "(not measured)"

// notYet says so of a benchmark that the tests of the package declare. Any other is
// a mistake in the page.
func (s *site) notYet(c *directive.Call, err error) (string, error) {
	pkg := c.Get("pkg") + c.Get("of")
	bench, _, _ := strings.Cut(c.Get("bench"), "/")
	files, _ := filepath.Glob(filepath.Join(s.path(strings.TrimPrefix(results.Package(pkg), cli.Module+"/")), "*_test.go"))
	for _, file := range files {
		if source, err := os.ReadFile(file); bench != "" && err == nil && bytes.Contains(source, []byte("\nfunc Benchmark"+bench+"(")) {
			s.kept["Benchmark"+bench+" of "+pkg+" was not measured"]++
			return notMeasured, nil
		}
	}
	return "", err
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
	for _, r := range results {
		switch {
		case !r.different:
			continue
		case utf8.Valid(r.have) && utf8.Valid(r.want):
			diff += udiff.Unified(r.file, r.file+" as it should be", string(r.have), string(r.want))
		default:
			diff += r.file + " differs\n"
		}
		names = append(names, r.file)
	}
	return diff, names
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
	diff, names := stale(all)
	if s.check && len(names) > 0 {
		fmt.Fprint(env.Stdout, diff)
		return fmt.Errorf("stale: %s; want what go run ./scripts/readme writes", strings.Join(names, ", "))
	}
	if s.check {
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
	for _, name := range names {
		fmt.Fprintln(env.Stdout, name)
	}
	switch {
	case s.own != nil:
		fmt.Fprintf(env.Stdout, "The figures of %s/%s.txt stand in the pages, as yours; go run ./scripts/readme -reset takes them out.\n", results.Local, s.own.Name)
	case s.reset:
		fmt.Fprintln(env.Stdout, "The pages have the published figures alone; go run ./scripts/readme puts yours in again.")
	}
	return nil
}
