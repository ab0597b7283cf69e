package main

import (
	"errors"
	"io/fs"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestVerdict(t *testing.T) {
	died := errors.New("exit status 2")
	for _, tt := range []struct {
		name, out string
		err       error
		want      string
	}{
		{"right", "qemu: warning\nright\n", nil, "fixed"},
		{"wrong", "wrong\n", nil, "not fixed: a wrong result"},
		{"nothing is not right", "", nil, "not fixed: a wrong result"},
		{"another processor", "cannot happen here: it takes AVX-512\n", nil, "cannot happen here: it takes AVX-512"},
		{"an instruction", "SIGILL: illegal instruction\nPC=0x49b7e3\n", died, "not fixed: SIGILL"},
		{"the compiler", "# x\nx.go:5:6: internal compiler error: missing Types entry\n", died, "not fixed: internal compiler error"},
		{"a mistake of ours", "x.go:5:6: undefined: y\n", died, "not asked: exit status 2: x.go:5:6: undefined: y"},
	} {
		assert.Equal(t, tt.want, verdict(tt.out, tt.err), tt.name)
	}
}

// Each program is one of the traps.
func TestPrograms(t *testing.T) {
	files, err := fs.Glob(programs, "testdata/*.go")
	assert.NoError(t, err)
	var listed []string
	for _, trap := range traps {
		listed = append(listed, "testdata/"+trap.file+".go")
	}
	assert.ElementsMatch(t, files, listed)
}
