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

	"raysteps/common/outfile"
	"raysteps/scripts/internal/cli"
	"raysteps/scripts/internal/directive"
	"raysteps/scripts/internal/results"
)

// site is one run over all pages.
type site struct {
	root  string // folder of the module
	check bool   // nothing is written
	// What another compiler said stays as it is: in a check it cannot be told
	// whether it is right, and measurements are no reason to change it.
	keep bool

	kept   []*directive.Kept // regions that could not be checked
	assets map[string]asset  // files that directives make, by path from the root
	sets   map[results.Kind]*results.Set
	names  map[results.Kind]string // of the files in results after publishing, or nil
	trace  []byte                  // that is being published, or nil
}

func newSite(root string, check bool) *site {
	return &site{root: root, check: check, assets: map[string]asset{}, sets: map[results.Kind]*results.Set{}}
}

// asset is a file beside the pages, such as a picture.
type asset struct {
	want []byte
	same func(have, want []byte) bool
}

// asset adds a file that is to be written, or checked, together with the
// pages. The path is from the root, with slashes. The file counts as current
// if same says so, or if it is equal should same be nil.
func (s *site) asset(file string, want []byte, same func(have, want []byte) bool) {
	if same == nil {
		same = bytes.Equal
	}
	s.assets[file] = asset{want, same}
}

// page is what a directive is told of the page that it stands in, besides
// its call.
type page struct {
	*site
	path string // of the page that is written, from the root, with slashes
}

// link returns the address of a file of the module, given by its path from
// the root, as a link in the page has to name it.
func (p *page) link(file string) string {
	return strings.Repeat("../", strings.Count(path.Clean(p.path), "/")) + file
}

// origin is where the text of a page comes from.
type origin struct {
	page     string // that is filled
	template string // that it is made from; the page itself, mostly
}

const (
	readme   = "README.md"
	template = "README_template.md"
	header   = `<!-- Generated from README_template.md by "go run ./scripts/readme"; edit the template. -->`
)

// origins returns the pages that there are.
func (s *site) origins() ([]origin, error) {
	var all []origin
	files := os.DirFS(s.root)
	if _, err := fs.Stat(files, template); err == nil {
		all = append(all, origin{readme, template})
	}
	found, err := fs.Glob(files, "docs/*.md")
	if err != nil {
		return nil, err
	}
	slices.Sort(found)
	if text, err := fs.ReadFile(files, "soagen/README.md"); err == nil && bytes.Contains(text, []byte("raysteps:")) {
		found = append(found, "soagen/README.md")
	}
	for _, page := range found {
		all = append(all, origin{page, page})
	}
	return all, nil
}

// result is a page or another file as it is and as it should be.
type result struct {
	file      string
	have      []byte
	want      []byte
	exists    bool
	different bool
}

// fill makes all pages and then what belongs to them, and writes nothing. The
// error lists what is wrong in any.
func (s *site) fill(ctx context.Context, done func()) ([]result, error) {
	origins, err := s.origins()
	if err != nil {
		return nil, err
	}
	var all []result
	var errs []error
	for _, src := range origins {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		r, bad := s.fillPage(src)
		all = append(all, r)
		errs = append(errs, bad...)
		done()
	}
	for _, file := range slices.Sorted(maps.Keys(s.assets)) {
		r := result{file: file, want: s.assets[file].want}
		if err := r.read(s); err != nil {
			errs = append(errs, err)
		}
		r.different = !r.exists || !s.assets[file].same(r.have, r.want)
		all = append(all, r)
	}
	return all, errors.Join(errs...)
}

// read reads the file as it is, which need not exist.
func (r *result) read(s *site) error {
	have, err := os.ReadFile(s.path(r.file))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	r.have, r.exists = have, err == nil
	return err
}

func (s *site) fillPage(src origin) (result, []error) {
	r := result{file: src.page}
	text, err := os.ReadFile(s.path(src.template))
	if err != nil {
		return r, []error{err}
	}
	if err := r.read(s); err != nil {
		return r, []error{err}
	}
	p := &page{s, src.page}
	engine := &directive.Engine{
		Directives: map[string]directive.Directive{},
		Keep:       func(k *directive.Kept) { s.kept = append(s.kept, k) },
	}
	for name, d := range registry {
		filled := d.Directive
		filled.Fill = func(c directive.Call) (string, error) {
			text, err := d.fill(p, c)
			return text, p.notYet(c, err)
		}
		engine.Directives[name] = filled
	}
	var errs []error
	r.want, errs = engine.FillFrom(src.template, text, r.have)
	if src.template != src.page {
		newline := "\n"
		if bytes.Contains(text, []byte("\r\n")) {
			newline = "\r\n"
		}
		r.want = append([]byte(header+newline+newline), r.want...)
	}
	r.different = !r.exists || !bytes.Equal(r.have, r.want)
	return r, errs
}

// notYet turns an error into a [directive.Kept] if a region is empty because its
// benchmark, or its kind, was not measured so far. So a chapter can be written
// before its measurements are published, and a region that has figures never
// keeps them when others are.
func (s *site) notYet(c directive.Call, err error) error {
	var none *results.NotMeasuredError
	var missing *missingError
	switch {
	case c.Old != "":
	case errors.As(err, &none):
		// What does not exist is a mistake in the page.
		folder := strings.TrimPrefix(none.Package, cli.Module+"/")
		if s.declares(folder, "Benchmark"+none.Benchmark) {
			return &directive.Kept{Reason: fmt.Sprintf("Benchmark%s of %s, or that part of it, is not among what was measured", none.Benchmark, folder)}
		}
	case errors.As(err, &missing) && missing.kind != ofSteps && missing.kind != ofExperiments:
		return &directive.Kept{Reason: err.Error()}
	}
	return err
}

// declares reports whether the tests in a folder declare a function.
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
	var reasons []string
	count := map[string]int{}
	for _, k := range s.kept {
		if count[k.Reason]++; count[k.Reason] == 1 {
			reasons = append(reasons, k.Reason)
		}
	}
	for i, reason := range reasons {
		regions := "regions"
		if count[reason] == 1 {
			regions = "region"
		}
		reasons[i] = fmt.Sprintf("%d %s not checked: %s", count[reason], regions, reason)
	}
	return reasons
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
	origins, err := s.origins()
	if err != nil {
		return err
	}
	bar := env.Progress(int64(len(origins)), "pages")
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
