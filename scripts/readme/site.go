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
	"raysteps/common/scene"
	"raysteps/scripts/internal/cli"
	"raysteps/scripts/internal/directive"
	"raysteps/scripts/internal/published"
	"raysteps/scripts/internal/results"
)

// site is one run over all pages.
type site struct {
	root  string // folder of the module
	check bool   // nothing is written

	kept   map[string]int   // how many regions could not be checked, by the reason
	assets map[string]asset // files that directives make, by path from the root
	sets   map[results.Kind]*results.Set
}

func newSite(root string, check bool) *site {
	return &site{root: root, check: check, kept: map[string]int{}, assets: map[string]asset{}, sets: map[results.Kind]*results.Set{}}
}

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

// pages returns the names of the pages that there are.
func (s *site) pages() []string {
	var all []string
	for _, pattern := range []string{"README.md", "docs/*.md", "soagen/README.md"} {
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
	have, err := os.ReadFile(s.path(name))
	if err != nil {
		return result{}, []error{err}
	}
	p := &page{s, name}
	engine := &directive.Engine{
		Directives: map[string]directive.Directive{},
		Keep:       func(reason string) { s.kept[reason]++ },
	}
	for name, d := range registry {
		engine.Directives[name] = directive.Directive{Usage: d.usage, Fill: func(c *directive.Call) (string, error) {
			if c.Has("scene") {
				if _, err := scene.ByName(c.Get("scene")); err != nil {
					return "", err
				}
			}
			text, err := d.fill(p, c)
			return p.notYet(text, err)
		}}
	}
	want, errs := engine.Fill(name, have)
	return result{name, have, want, !bytes.Equal(have, want)}, errs
}

// notMeasured stands in a region whose benchmark does not run on the machine.
const notMeasured = "(not measured)"

// notYet turns an error into a [directive.Kept] if the kind of measurements that a
// region shows is not published, so that a chapter can be written before they are.
// A region never keeps figures when others are published: what these lack, since
// the processor cannot run it, is said to be missing.
func (s *site) notYet(text string, err error) (string, error) {
	var none *results.NotMeasuredError
	switch {
	case errors.As(err, new(*published.MissingError)):
		return "", &directive.Kept{Reason: err.Error()}
	case errors.As(err, &none) && s.declares(strings.TrimPrefix(none.Package, cli.Module+"/"), "Benchmark"+none.Benchmark):
		return notMeasured, nil
	}
	return text, err
}

// declares reports whether the tests in a folder declare a function. What does not
// exist is a mistake in the page.
func (s *site) declares(folder, name string) bool {
	files, err := filepath.Glob(filepath.Join(s.path(folder), "*_test.go"))
	if err != nil {
		return false
	}
	return slices.ContainsFunc(files, func(file string) bool {
		text, err := os.ReadFile(file)
		return err == nil && bytes.Contains(text, []byte("\nfunc "+name+"("))
	})
}

func (s *site) path(file string) string { return filepath.Join(s.root, filepath.FromSlash(file)) }

// notChecked says of how many regions it is not known whether they are
// current, one line for each reason.
func (s *site) notChecked() []string {
	var lines []string
	for _, reason := range slices.Sorted(maps.Keys(s.kept)) {
		lines = append(lines, fmt.Sprintf("%s not checked: %s", english.Plural(s.kept[reason], "region", ""), reason))
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

func run(ctx context.Context, env *cli.Env, s *site) error {
	bar := env.Progress(int64(len(s.pages())), "pages")
	results, err := s.fill(ctx, func() { _ = bar.Add(1) })
	_ = bar.Exit() // clears it, so that errors stand on lines of their own
	if err != nil {
		return err
	}
	for _, line := range s.notChecked() {
		fmt.Fprintln(env.Stdout, line)
	}
	if s.check {
		diff, names := stale(results)
		if len(names) > 0 {
			fmt.Fprint(env.Stdout, diff)
			return fmt.Errorf("stale: %s; want what go run ./scripts/readme writes", strings.Join(names, ", "))
		}
		return nil
	}
	// The pages come last, so that they never show what is not there.
	for _, r := range slices.Backward(results) {
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
	for _, r := range results {
		if r.different {
			fmt.Fprintln(env.Stdout, r.file)
		}
	}
	return nil
}
