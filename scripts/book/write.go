package main

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"sync"

	"golang.org/x/sync/errgroup"

	"raysteps/scripts/internal/cli"
)

// mark is the file that a site is known by.
const mark = "assets/book.css"

// checkFolder says why a site cannot be written into a folder: one that is new or empty, or has a
// site that may be written in part.
func checkFolder(dir string) error {
	parent := filepath.Dir(filepath.Clean(dir))
	if info, err := os.Stat(parent); err != nil || !info.IsDir() {
		return cli.Misuse("-o %q: %q is not a folder; want one that exists", dir, parent)
	}
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return cli.Misuse("-o %q: %w; want a folder, an empty or a new one", dir, errors.Unwrap(err))
	}
	if _, err := os.Stat(filepath.Join(dir, filepath.FromSlash(mark))); err != nil && len(entries) > 0 {
		return cli.Misuse("-o %q: holds other files; want an empty folder, a new one, or one that this command wrote", dir)
	}
	return nil
}

// write writes everything into a folder. A new one is there once it is complete; in one that was
// there, files are written anew, one after the other.
func (b *book) write(ctx context.Context, env *cli.Env, dir string) error {
	if err := checkFolder(dir); err != nil {
		return err
	}
	site := filepath.Clean(dir)
	if _, missing := os.Stat(site); missing != nil {
		site = filepath.Join(filepath.Dir(site), fmt.Sprintf(".raysteps-%x", rand.Uint64()))
		if err := os.Mkdir(site, 0o777); err != nil {
			return fmt.Errorf("-o %q: %w", dir, errors.Unwrap(err))
		}
		defer os.RemoveAll(site) // which is gone if it was renamed
	}
	err := b.writeFiles(ctx, env, site)
	if err == nil && site != filepath.Clean(dir) {
		err = os.Rename(site, dir)
	}
	if err == nil {
		_, err = fmt.Fprintf(env.Stdout, "%d files; open %s\n", len(b.entries)+1, filepath.Join(dir, "index.html"))
	}
	return err
}

func (b *book) writeFiles(ctx context.Context, env *cli.Env, dir string) error {
	b.site = true
	b.keepCharts()
	sums, mu := map[string][sha256.Size]byte{}, sync.Mutex{}
	bar := env.Progress(int64(len(b.entries)), "pages")
	defer bar.Exit()
	write := func(address string) error {
		text, err := b.entries[address]()
		if err != nil {
			return fmt.Errorf("%s: %w", address, err)
		}
		mu.Lock()
		sums[address] = sha256.Sum256(text)
		mu.Unlock()
		_ = bar.Add(1)
		return put(dir, address, text)
	}
	// The file that a site is known by is there first, also of one that is written in part.
	if err := write(mark); err != nil {
		return err
	}
	g, rest := errgroup.WithContext(ctx)
	g.SetLimit(runtime.GOMAXPROCS(0))
	for address := range b.entries {
		if address != mark && rest.Err() == nil { // or one has failed
			g.Go(func() error { return write(address) })
		}
	}
	err := cmp.Or(g.Wait(), ctx.Err())
	if err == nil {
		err = put(dir, worker, offline(sums))
	}
	_ = bar.Clear()
	return err
}

// put writes a file of a site. One that is written in part is written anew; a rename and a sync
// for each file would take ten times as long.
func put(dir, address string, text []byte) error {
	file := filepath.Join(dir, filepath.FromSlash(address))
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		return err
	}
	return os.WriteFile(file, text, 0o666)
}
