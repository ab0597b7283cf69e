package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"raysteps/scripts/internal/cachegrind"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A count that scatters does not differ.
func TestCountsDiffer(t *testing.T) {
	assert.False(t, count{100, 5}.differs(count{110, 0}))
	assert.True(t, count{100, 1}.differs(count{110, 0}))
	assert.True(t, count{100, 5}.unknown(count{110, 0}))
	assert.False(t, count{100, 5}.unknown(count{100.4, 0}))
	assert.False(t, count{100, 1}.unknown(count{110, 0}))
}

// Instructions are counted where there is valgrind, and the same in each run.
func TestCountsFlag(t *testing.T) {
	if err := cachegrind.Installed(); err != nil {
		t.Skip(err)
	}
	repository := repositoryOf(t, "\n-- go.mod --\nmodule example.com/a\n\ngo 1.24\n-- a_test.go --\npackage a\n\nimport \"testing\"\n\nconst more = 0\n\nvar sink int\n\nfunc BenchmarkSum(b *testing.B) {\n\tfor b.Loop() {\n\t\tfor i := range 1000 {\n\t\t\tsink += i\n\t\t\tif more > 0 {\n\t\t\t\tsink ^= sink>>3\n\t\t\t}\n\t\t}\n\t}\n}")
	source, err := os.ReadFile(filepath.Join(repository, "a_test.go"))
	require.NoError(t, err)
	write(t, repository, "\n-- a_test.go --\n"+strings.Replace(string(source), "more = 0", "more = 1", 1))
	status, stdout, stderr := execute(t, t.Context(), "-C", repository, "-time", "10m", "-counts")
	require.Equal(t, 0, status, stderr)
	if strings.Contains(stdout, "was not counted") {
		if err := cachegrind.Works(t.Context()); err != nil {
			t.Skip(err)
		}
	}
	assert.Regexp(t, `(?m)^ Sum instructions/op +[45]\.\d+k +[6-9]\.\d+k +more\n Sum branches/op +1\.0\d+k +1\.0\d+k +the same$`, stdout)
}

// endingValgrind puts a valgrind in front of others that ends at once. The file is for systems with sh.
func endingValgrind(t *testing.T) (ok bool) {
	if _, err := exec.LookPath("sh"); err != nil {
		return false
	}
	bin := t.TempDir()
	write(t, bin, "\n-- valgrind --\n#!/bin/sh\necho Warning: one >&2\necho Warning: two >&2\nexit 7\n")
	require.NoError(t, os.Chmod(filepath.Join(bin, "valgrind"), 0o700))
	t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	return true
}

// Without valgrind nothing is counted, nor measured.
func TestNoValgrind(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	var errs strings.Builder
	assert.Equal(t, 2, command(0, 0).Exec(context.Background(), []string{"-counts"}, &errs, &errs))
	assert.Regexp(t, `^ab: -counts: valgrind is not installed.*apt-get install valgrind.*\n$`, errs.String())
}
