package toolchain

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestUsesSIMD(t *testing.T) {
	tests := []struct {
		name, file, text string
		want             bool
	}{
		{"with", "a.go", "// Package a.\n\n//go:build goexperiment.simd && amd64\n\npackage a\n", true},
		{"without", "a.go", "//go:build !(amd64 && goexperiment.simd)\n\npackage a\n", true},
		{"another experiment", "a.go", "//go:build goexperiment.simdx\n\npackage a\n", false},
		{"another constraint", "a.go", "//go:build amd64\n\npackage a\n", false},
		{"in a sentence", "a.go", "// A line //go:build goexperiment.simd would do.\npackage a\n", false},
		{"no Go file", "a.txt", "//go:build goexperiment.simd\n", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			require.NoError(t, os.WriteFile(filepath.Join(dir, tt.file), []byte(tt.text), 0o666))
			got, err := UsesSIMD(dir)
			require.NoError(t, err)
			assert.Equal(t, tt.want, got)
		})
	}
}

func TestHasSIMD(t *testing.T) {
	assert.False(t, HasSIMD(t.TempDir(), append(os.Environ(), "GOEXPERIMENT=nosuchexperiment")))
}
