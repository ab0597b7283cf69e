package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A log that it writes is one that it reads, from a file or from standard input.
func TestRun(t *testing.T) {
	var log, report, piped bytes.Buffer
	require.NoError(t, run(100, "", nil, &log))
	file := filepath.Join(t.TempDir(), "access.log")
	require.NoError(t, os.WriteFile(file, log.Bytes(), 0o666))
	require.NoError(t, run(0, file, nil, &report))
	assert.Contains(t, report.String(), "\"lines\": 100,\n")
	require.NoError(t, run(0, "", &log, &piped))
	assert.Equal(t, report.String(), piped.String())
	assert.ErrorIs(t, run(0, file+"x", nil, &report), os.ErrNotExist)
	assert.ErrorContains(t, run(0, "", strings.NewReader("x"), &report), "line 1: ")
}
