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
	charts    []result            // that directives made
	captions  map[string][]string // parts of the first of each page
}

// newSite reads the measurements.
func newSite(root string, reset bool) (*site, error) {
	s := &site{root: root, reset: reset, kept: map[string]int{}, captions: map[string][]string{}}
	var err error
	if s.published, s.own, err = results.Open(root); reset {
		s.own = nil
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
func (s *site) pages() (all []string) {
	for _, pattern := range []string{template, "docs/*.md", "soagen/README.md"} {
		names, _ := fs.Glob(os.DirFS(s.root), pattern) // the patterns are right
		all = append(all, names...)
	}
	return all
}

// result is a page or a chart as it is and as it should be.
type result struct {
	file       string // from the root, with slashes
	have, want []byte // have is nil if there is no such file
}

func (r result) differs() bool { return !bytes.Equal(r.have, r.want) }

// fill makes all pages and their charts, and writes nothing. The error lists what is wrong
// in any. After each page it calls done.
func (s *site) fill(ctx context.Context, done func()) (all []result, err error) {
	var mistakes []error
	for _, name := range s.pages() {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		text, err := s.read(name)
		if err != nil {
			return nil, err
		}
		r := result{file: name, have: text}
		want, errs := page.Fill(s.directives(), name, text)
		if r.want = want; name == template {
			r.file, r.want = readme, append([]byte(made), want...)
			if r.have, err = s.read(readme); err != nil {
				return nil, err
			}
		}
		all, mistakes = append(all, r), append(mistakes, errs...)
		done()
	}
	// The pages come last, so that they never show what is not there.
	slices.SortFunc(s.charts, func(a, b result) int { return strings.Compare(a.file, b.file) })
	return slices.Concat(s.charts, all), errors.Join(mistakes...)
}

func (s *site) path(file string) string { return filepath.Join(s.root, filepath.FromSlash(file)) }

// read returns the content of a file, nil if there is none.
func (s *site) read(file string) ([]byte, error) {
	text, err := os.ReadFile(s.path(file))
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return text, err
}

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
		if !r.differs() {
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
		fmt.Fprintf(env.Stdout, "The figures of %s stand in the pages, as yours; go run ./scripts/readme -reset takes them out.\n", results.Local)
	case s.reset:
		fmt.Fprintln(env.Stdout, "The pages have the published figures alone; go run ./scripts/readme puts yours in again.")
	}
	return nil
}
