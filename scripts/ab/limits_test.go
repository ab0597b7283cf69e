package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The old version in odd link orders takes a tenth longer: that is 1.10, and not 0.91.
func TestNoise(t *testing.T) {
	var orders [][]float64
	for order := range 24 {
		time := 1e-6 * (1 + 0.1*float64(order%2) + 1e-5*float64(order%5))
		orders = append(orders, []float64{time, time})
	}
	text, _ := reported(t, made(orders))
	assert.Regexp(t, `(?m)^ B0 .* 1\.100? \(1\.\d+ to 1\.\d+\)$`, text)
}

// Allocations differ if they do in the same direction in all link orders but a quarter.
func TestQuarter(t *testing.T) {
	for others, want := range map[int]bool{0: true, 6: true, 7: false} { // of 24
		c := measured(seeded(), 1)
		for side := range sides[:again] {
			c.rows[0].report(side, "allocs/op", func(order int) float64 {
				if side == after && order >= others {
					return 1
				}
				return 0
			})
		}
		_, _, differ := c.rows[0].medians("allocs/op")
		assert.Equal(t, want, differ, others)
	}
}

// Measurements that cannot be written are said to be lost, with the status that doc.go gives what
// is not known, 3, and the table is printed. The folder goes once it has been found to be there.
func TestNotWritten(t *testing.T) {
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("the file is for another system")
	}
	real, err := exec.LookPath("go")
	require.NoError(t, err)
	bin, out := t.TempDir(), filepath.Join(t.TempDir(), "out")
	write(t, bin, "\n-- go --\n#!/bin/sh\nrm -rf '"+out+"'\nexec '"+real+"' \"$@\"\n")
	require.NoError(t, os.Chmod(filepath.Join(bin, "go"), 0o700))
	require.NoError(t, os.Mkdir(out, 0o700))
	t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	repository := repositoryOf(t, "\n-- go.mod --\nmodule example.com/a\n\ngo 1.24\n-- a_test.go --\npackage a\n\nimport \"testing\"\n\nvar sink int\n\nfunc BenchmarkSum(b *testing.B) {\n\tfor b.Loop() {\n\t\tsink++\n\t}\n}")
	status, stdout, stderr := execute(t, t.Context(), "-C", repository, "-new-flags", "-pgo=off -ldflags=-funcalign=64", "-time", "10m", "-o", filepath.Join(out, "ab.txt"))
	assert.Equal(t, 3, status)
	assert.Regexp(t, `^old: the folder as it is\nnew: the folder as it is -pgo=off -ldflags=-funcalign=64\n\n benchmark .*\n Sum `, stdout)
	assert.Contains(t, stderr, "ab: measurements ")
	assert.Contains(t, stderr, "is not a folder; want one that exists\n")
}
