package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/dustin/go-humanize/english"

	"raysteps/common/outfile"
	"raysteps/scripts/internal/cli"
	"raysteps/scripts/internal/page"
	"raysteps/scripts/internal/results"
)

// site is one run over all pages.
type site struct {
	root      string
	published []*results.Set      // the reference first
	own       *results.Set        // the reader's measurements, or nil
	kept      map[string]int      // how many regions could not be checked, by the reason
	captions  map[string][]string // parts of the first of each page
	files     map[string]string   // pages and charts as they should be, by their paths from the root, with slashes
}

// newSite reads the measurements; with reset the reader's are left out.
func newSite(root string, reset bool) (*site, error) {
	s := &site{root: root, kept: map[string]int{}, captions: map[string][]string{}, files: map[string]string{}}
	var err error
	if s.published, s.own, err = results.Open(root); reset {
		s.own = nil
	}
	return s, err
}

// template is what README.md is made from.
const (
	template = "README_template.md"
	made     = "<!-- Made from README_template.md by go run ./scripts/readme; what is changed here is lost. -->\n\n"
)

// pages returns the names of the pages that there are.
func (s *site) pages() (all []string) {
	for _, pattern := range []string{template, "docs/*.md", "soagen/README.md"} {
		names, _ := fs.Glob(os.DirFS(s.root), pattern) // the patterns are right
		all = append(all, names...)
	}
	return all
}

// fill makes all pages and their charts, and writes nothing. The error lists what is wrong
// in any. After each page it calls done.
func (s *site) fill(ctx context.Context, done func()) error {
	var mistakes []error
	for _, name := range s.pages() {
		text, err := s.read(name)
		if err = cmp.Or(err, ctx.Err()); err != nil {
			return err
		}
		filled, err := page.Fill(s.directives(), name, text)
		if mistakes = append(mistakes, err); name == template {
			name, filled = "README.md", made+filled
		}
		s.files[name] = filled
		done()
	}
	return errors.Join(mistakes...)
}

func (s *site) path(file string) string { return filepath.Join(s.root, filepath.FromSlash(file)) }

// read returns the content of a file, nothing if there is none.
func (s *site) read(file string) (string, error) {
	text, err := os.ReadFile(s.path(file))
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return string(text), err
}

// run makes all pages and writes those that change.
func (s *site) run(ctx context.Context, env *cli.Env) error {
	bar := env.Progress(int64(len(s.pages())), "pages")
	err := s.fill(ctx, func() { _ = bar.Add(1) })
	_ = bar.Exit() // clears it, so that errors stand on lines of their own
	if err != nil {
		return err
	}
	for _, reason := range slices.Sorted(maps.Keys(s.kept)) {
		fmt.Fprintf(env.Stdout, "%s not made anew: %s\n", english.Plural(s.kept[reason], "region", ""), reason)
	}
	for _, file := range slices.Sorted(maps.Keys(s.files)) {
		have, err := s.read(file)
		if err != nil {
			return err
		}
		if have == s.files[file] {
			continue
		}
		if err := os.MkdirAll(filepath.Dir(s.path(file)), 0o777); err != nil {
			return err
		}
		if err := outfile.Write("page", s.path(file), []byte(s.files[file])); err != nil {
			return err
		}
		fmt.Fprintln(env.Stdout, file)
	}
	return nil
}
