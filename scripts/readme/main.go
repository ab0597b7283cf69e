package main

import (
	"context"
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"raysteps/common/outfile"
	"raysteps/scripts/internal/cli"
	"raysteps/scripts/internal/results"
)

//go:embed doc.go
var manual string

var command = cli.Command{
	Name:     "readme",
	Synopsis: "[flags]",
	Manual:   manual,
	More:     "\n" + new(site).manual(),
	Setup: func(flags *flag.FlagSet) cli.Run {
		reset := flags.Bool("reset", false, "take the figures of results/local out of the pages")
		return func(ctx context.Context, env *cli.Env, _ []string) error {
			root, err := cli.ModuleRoot()
			if err != nil {
				return err
			}
			s, err := newSite(root, *reset)
			if err != nil {
				return err
			}
			if err := s.fill(ctx, env); err != nil {
				return err
			}
			for _, line := range slices.Compact(s.kept) {
				fmt.Fprintln(env.Stdout, line)
			}
			if err := s.write(env); err != nil {
				return err
			}
			if s.own != nil {
				fmt.Fprintf(env.Stdout, "The figures of %s stand in the pages, as yours; go run ./scripts/readme -reset takes them out.\n", results.Local)
			}
			return nil
		}
	},
}

func main() { cli.Main(command) }

// site is one run over all pages.
type site struct {
	root      string
	published []*results.Set    // the reference first
	own       *results.Set      // the reader's measurements, or nil
	files     map[string]string // pages and charts as they should be, by paths from the root, with slashes
	kept      []string          // which regions could not be checked, and why
	caption   []string          // the parts of the first one of the page that is filled, or nil
}

// write writes the files that are not as they should be, and prints their names.
func (s *site) write(env *cli.Env) error {
	for _, file := range slices.Sorted(maps.Keys(s.files)) {
		name := filepath.Join(s.root, filepath.FromSlash(file))
		if have, err := os.ReadFile(name); err == nil && string(have) == s.files[file] {
			continue
		}
		if err := outfile.Write("page", name, []byte(s.files[file])); err != nil {
			return err
		}
		fmt.Fprintln(env.Stdout, file)
	}
	return nil
}

// newSite reads the measurements; with reset the reader's are left out.
func newSite(root string, reset bool) (*site, error) {
	published, own, err := results.Open(root)
	if reset {
		own = nil
	}
	return &site{root: root, published: published, own: own, files: map[string]string{}}, err
}

// overview is what README.md is made from.
const (
	overview = "README_template.md"
	made     = "<!-- Made from README_template.md by go run ./scripts/readme; what is changed here is lost. -->\n\n"
)

// fill makes all pages and their charts, and writes nothing. The error lists what is wrong
// in any.
func (s *site) fill(ctx context.Context, env *cli.Env) error {
	var pages []string
	for _, pattern := range []string{overview, "docs/*.md", "soagen/README.md"} {
		names, _ := fs.Glob(os.DirFS(s.root), pattern) // the patterns are right
		pages = append(pages, names...)
	}
	bar := env.Progress(int64(len(pages)), "pages")
	defer bar.Exit() // clears it, so that errors stand on lines of their own
	var mistakes []error
	for _, name := range pages {
		text, err := os.ReadFile(filepath.Join(s.root, name))
		if err != nil || ctx.Err() != nil {
			return errors.Join(err, ctx.Err())
		}
		s.caption = nil
		filled, err := s.directives().Page(name, string(text))
		if mistakes = append(mistakes, err); name == overview {
			name, filled = "README.md", made+filled
		}
		s.files[name] = filled
		_ = bar.Add(1)
	}
	return errors.Join(mistakes...)
}
