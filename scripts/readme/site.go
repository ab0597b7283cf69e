package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dustin/go-humanize/english"

	"raysteps/common/outfile"
	"raysteps/scripts/internal/cli"
	"raysteps/scripts/internal/page"
	"raysteps/scripts/internal/results"
)

// site is one run over all pages.
type site struct {
	root  string // folder of the module
	reset bool   // without the reader's measurements

	published []*results.Set      // the reference first
	own       *results.Set        // the reader's measurements, or nil
	kept      map[string]int      // how many regions could not be checked, by the reason
	assets    map[string]result   // files that directives make, by path from the root
	captions  map[string][]string // parts of the first of each page
}

// newSite reads the measurements. Those that are published must meet the bar.
func newSite(root string, reset bool) (*site, error) {
	s := &site{root: root, reset: reset, kept: map[string]int{}, assets: map[string]result{}, captions: map[string][]string{}}
	var err error
	s.published, s.own, err = results.Open(root, !reset)
	for _, set := range s.published {
		err = errors.Join(err, set.Check())
	}
	return s, err
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

// asset adds a file beside the pages, such as a picture. The path is from the root,
// with slashes. The file counts as current if same says so.
func (s *site) asset(file string, want []byte, same func(have, want []byte) bool) error {
	have, err := s.read(file)
	s.assets[file] = result{file, have, want, have == nil || !same(have, want)}
	return err
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
	// The pages come last, so that they never show what is not there.
	assets := slices.SortedFunc(maps.Values(s.assets), func(a, b result) int { return strings.Compare(a.file, b.file) })
	return append(assets, all...), errors.Join(errs...)
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
	text, err := s.read(name)
	if err != nil {
		return result{}, []error{err}
	}
	delete(s.captions, name)
	want, errs := page.Fill(s.directives(), name, text)
	if name == template {
		name, want = readme, append([]byte(made), want...)
		if text, err = s.read(readme); err != nil {
			errs = append(errs, err)
		}
	}
	return result{name, text, want, !bytes.Equal(text, want)}, errs
}

func (s *site) path(file string) string { return filepath.Join(s.root, filepath.FromSlash(file)) }

func (s *site) run(ctx context.Context, env *cli.Env) error {
	bar := env.Progress(int64(len(s.pages())), "pages")
	all, err := s.fill(ctx, func() { _ = bar.Add(1) })
	_ = bar.Exit() // clears it, so that errors stand on lines of their own
	if err != nil {
		return err
	}
	for _, reason := range slices.Sorted(maps.Keys(s.kept)) {
		fmt.Fprintf(env.Stdout, "%s not made anew: %s\n", english.Plural(s.kept[reason], "region", ""), reason)
	}
	for _, r := range all {
		if !r.different {
			continue
		}
		if err := os.MkdirAll(filepath.Dir(s.path(r.file)), 0o777); err != nil {
			return err
		}
		if err := outfile.Write("page", s.path(r.file), r.want); err != nil {
			return err
		}
		fmt.Fprintln(env.Stdout, r.file)
	}
	switch {
	case s.own != nil:
		fmt.Fprintf(env.Stdout, "The figures of %s/%s.txt stand in the pages, as yours; go run ./scripts/readme -reset takes them out.\n", results.Local, s.own.Name)
	case s.reset:
		fmt.Fprintln(env.Stdout, "The pages have the published figures alone; go run ./scripts/readme puts yours in again.")
	}
	return nil
}
