package wavefront

import (
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write stages_avx2.go anew")

// The stages for AVX2 are those for AVX-512 with half as many lanes:
//
//	go test ./beyond/wavefront -run Generated -update
func TestGenerated(t *testing.T) {
	source, err := os.ReadFile("stages_avx512.go")
	require.NoError(t, err)
	head, stages, found := strings.Cut(string(source), "package wavefront\n")
	require.True(t, found)
	narrow := strings.NewReplacer("AVX512", "AVX2", "AVX-512", "AVX2", "avx512", "avx2", "sixteen rays", "eight rays", "16", "8")
	want := "// Code generated from stages_avx512.go by generated_test.go; DO NOT EDIT.\n\n" +
		head + "package wavefront\n" + narrow.Replace(stages)
	if *update {
		require.NoError(t, os.WriteFile("stages_avx2.go", []byte(want), 0o644))
	}
	got, err := os.ReadFile("stages_avx2.go")
	require.NoError(t, err)
	assert.Equal(t, want, string(got), "stages_avx2.go is not what the flag -update would write")
}
