package main

import (
	"bytes"
	"crypto/sha256"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"raysteps/scripts/internal/testbinary"
)

// sameFile reports whether two files can be read and are equal.
func sameFile(a, b string) bool {
	first, err := os.ReadFile(a)
	second, failed := os.ReadFile(b)
	return err == nil && failed == nil && bytes.Equal(first, second)
}

// sameTestdata reports whether what the tests of two versions of a package may read is the same: what
// is in folders that the go command ignores, testdata above all, of the package and of those above
// it, up to the module's.
func sameTestdata(a, b *testbinary.Package) bool { return testdata(a) == testdata(b) }

// testdata returns a sum of that.
func testdata(p *testbinary.Package) (sum [sha256.Size]byte) {
	all := sha256.New()
	for dir := p.Dir; ; dir = filepath.Dir(dir) {
		entries, _ := os.ReadDir(dir)
		for _, e := range entries {
			if e.IsDir() && (e.Name() == "testdata" || strings.HasPrefix(e.Name(), "_")) {
				root := filepath.Join(dir, e.Name())
				filepath.WalkDir(root, func(name string, e fs.DirEntry, err error) error {
					if err == nil && !e.IsDir() {
						text, _ := os.ReadFile(name) // what cannot be read is so for both
						one := sha256.Sum256(text)
						within, _ := filepath.Rel(p.Module.Dir, name)
						all.Write(append([]byte(within), one[:]...))
					}
					return nil
				})
			}
		}
		if dir == p.Module.Dir || dir == filepath.Dir(dir) {
			return [sha256.Size]byte(all.Sum(nil))
		}
	}
}
