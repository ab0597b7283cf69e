package main

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestGeneratedIsCurrent(t *testing.T) {
	source, err := os.ReadFile("../stages_avx512.go")
	require.NoError(t, err)
	got, err := os.ReadFile("../stages_avx2.go")
	require.NoError(t, err)
	assert.Equal(t, narrowed(string(source)), string(got), "stages_avx2.go is stale; run go generate ./beyond/wavefront")
}
