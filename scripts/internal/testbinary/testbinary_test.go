package testbinary

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"raysteps/scripts/internal/measure"
)

// write writes the files of an archive to a new folder.
func write(t *testing.T, archive string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	for _, file := range txtar.Parse([]byte(archive)).Files {
		name := filepath.Join(dir, filepath.FromSlash(file.Name))
		require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o700))
		require.NoError(t, os.WriteFile(name, file.Data, 0o600))
	}
	return dir
}

// environment links the same wherever a program is.
func environment() []string { return append(os.Environ(), "GOFLAGS=-trimpath") }

// Benchmarks are those of go test, and are served with work in their loops, where a test imports its
// package with a dot, and where another package is broken.
func TestFind(t *testing.T) {
	archive, err := os.ReadFile("testdata/module.txtar")
	require.NoError(t, err)
	dir, file := write(t, string(archive)), filepath.Join(t.TempDir(), "test.exe")
	all, err := FindPlanted(t.Context(), dir, t.TempDir(), environment(), "./...")
	require.NoError(t, err)
	require.Len(t, all, 2)
	assert.Contains(t, all[1].Error.Err, "string literal not terminated")
	assert.Nil(t, all[0].Error)
	assert.Equal(t, []string{"BenchmarkInside", "BenchmarkLines", "BenchmarkNoName", "Benchmark世界", "BenchmarkSkips", "BenchmarkRests", "BenchmarkOutside"}, all[0].Functions)

	side := all[0].Side(file, func(int) int { return 7 }, nil)
	require.NoError(t, side.Link(t.Context(), 0))
	type state struct {
		failure string
		skipped bool
	}
	found := map[string]state{}
	for _, function := range all[0].Functions {
		benchmarks, err := side.Benchmarks(t.Context(), function, ".", 1, time.Millisecond)
		require.NoError(t, err, function)
		for _, b := range benchmarks {
			found[b.Name] = state{b.Failure, b.Skipped}
		}
	}
	assert.Equal(t, map[string]state{"Inside": {}, "Lines/a": {}, "NoName": {}, "世界": {}, "Outside": {}, "Skips/runs": {},
		"Skips/rests": {"inside_test.go:45: no apples", true}, "Rests": {"skips itself", true}}, found)

	server, err := side.Start(t.Context(), 1)
	require.NoError(t, err)
	defer server.Close()
	for name, calls := range map[string]int{"Inside": 6, "Lines/a": 6, "NoName": 0, "Outside": 6} { // one before all
		slice := measure.SliceRequest{Name: name, N: 5, Work: 3000}
		ran, err := server.Ask(measure.Request{Slices: []measure.SliceRequest{slice}})
		require.NoError(t, err)
		assert.Equal(t, calls, ran[0].Calls, name)
	}
}

// That no package can be loaded is an error.
func TestFindNothing(t *testing.T) {
	dir := write(t, "-- go.mod --\nmodule example.com/m\n")
	_, err := Find(t.Context(), dir, t.TempDir(), environment(), "./nowhere")
	assert.ErrorContains(t, err, "nowhere: directory not found")
	_, err = Find(t.Context(), write(t, ""), t.TempDir(), environment(), "./...")
	assert.Error(t, err)
}

// What the go command writes while it builds is in the folder of the overlay, which the caller
// removes, also if the build fails or ends with its time.
func TestNothingIsLeft(t *testing.T) {
	dir, temporary := write(t, "-- go.mod --\nmodule example.com/m\n-- a_test.go --\npackage m\n\nvar one int = \"one\"\n"), t.TempDir()
	t.Setenv("TMPDIR", temporary)
	t.Setenv("TMP", temporary)
	all, err := Find(t.Context(), dir, t.TempDir(), environment(), ".")
	require.NoError(t, err)
	side := all[0].Side(filepath.Join(t.TempDir(), "test.exe"), func(int) int { return 7 }, nil)
	assert.ErrorContains(t, side.Link(t.Context(), 0), `cannot use "one"`)
	limited, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	assert.Error(t, side.Link(limited, 0))
	left, err := os.ReadDir(temporary)
	require.NoError(t, err)
	assert.Empty(t, left)
}

// The linker runs alone but for the first time, and makes what the go command does. What is linked in an
// order is not linked in it again.
func TestLink(t *testing.T) {
	dir, file := t.TempDir(), filepath.Join(t.TempDir(), "test.exe")
	for name, text := range map[string]string{"go.mod": "module example.com/x\n\ngo 1.21\n", "x_test.go": "package x\n"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	env := append(os.Environ(), "GOFLAGS=-trimpath") // else the program says how it was linked
	all, err := Find(t.Context(), dir, t.TempDir(), env, ".")
	require.NoError(t, err)
	numbers := []int{7, 8, 9, 7}
	side := all[0].Side(file, func(order int) int { return numbers[order] }, nil, "-ldflags=-buildid=") // of all alike
	var binaries [][]byte
	for order := range numbers {
		require.NoError(t, side.Link(t.Context(), order))
		t.Setenv("PATH", "") // and so there is no go
		binary, err := os.ReadFile(file)
		require.NoError(t, err)
		binaries = append(binaries, binary)
	}
	assert.True(t, bytes.Equal(binaries[0], binaries[3]))
	assert.False(t, bytes.Equal(binaries[0], binaries[2]))
	require.NoError(t, os.Remove(file))
	require.NoError(t, side.Link(t.Context(), 3))
	assert.NoFileExists(t, file)
	side = all[0].Side(file, func(int) int { return 7 }, nil)
	assert.Error(t, side.Link(t.Context(), 0), "which is for the go command")
}
