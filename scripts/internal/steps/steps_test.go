package steps

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"raysteps/common/answers"
	"raysteps/scripts/internal/cli"
)

// unknown is the error about a step that there is not.
func unknown(name string) string { return fmt.Sprintf("unknown step %q; want %s", name, Choices) }

func TestParse(t *testing.T) {
	for _, tt := range []struct{ list, want, err string }{
		{"step04", "4", ""},
		{"4,1,4", "1 4", ""},
		{" 1 , 3 - 4 ", "1 3 4", ""},
		{"avx512,beyond/tree,3", "3 avx512 tree", ""},
		{"13-archsimd", "13 avx512 archsimd", ""},
		{"4-2", "", `range "4-2" runs backward; want the lower step first`},
		{"99", "", unknown("99")},
		{"", "", unknown("")},
		{"1-", "", unknown("")},
		{"1,instrumented", "", unknown("instrumented")},
	} {
		got, err := Parse(tt.list)
		var names []string
		for _, s := range got {
			names = append(names, s.Short())
		}
		assert.Equal(t, tt.want, strings.Join(names, " "), tt.list)
		if tt.err != "" {
			assert.EqualError(t, err, tt.err)
		} else {
			assert.NoError(t, err)
		}
	}
}

func TestFind(t *testing.T) {
	for name, want := range map[string]string{
		" 4 ": "step 4", "04": "step 4", "step4": "step 4", "./step04/": "step 4", "avx512": "avx512", "beyond/avx512": "avx512",
		`.\step04\`: "step 4", `beyond\tree`: "tree",
	} {
		s, err := Find(name)
		require.NoError(t, err)
		assert.Equal(t, want, s.Title(), name)
	}
	for _, name := range []string{"0", "99", "-1", "", "1-2", "step00", "step04/x", "raysteps/step04", "4.0", "Tree", "beyond", "wave", "step0", "avx512x", "instrumented"} {
		_, err := Find(name)
		assert.EqualError(t, err, unknown(name))
	}
}

// The list is what is in the module, and no chapter is missing.
func TestListIsComplete(t *testing.T) {
	root, err := cli.ModuleRoot()
	require.NoError(t, err)
	folders, err := filepath.Glob(filepath.Join(root, "step[0-9]*"))
	require.NoError(t, err)
	for i, s := range All() {
		t.Run(s.Name, func(t *testing.T) {
			if i < len(folders) {
				assert.Equal(t, i+1, s.Number)
				assert.Equal(t, fmt.Sprintf("step%02d", s.Number), s.Folder())
			} else {
				assert.Zero(t, s.Number)
				assert.Equal(t, "beyond/"+s.Name, s.Folder())
				assert.Contains(t, Choices, s.Name)
			}
			assert.NotEmpty(t, s.Label)
			assert.FileExists(t, filepath.Join(root, "docs", s.Name+".md"))
			_, err = Find(s.Before)
			assert.Equal(t, i > 0, err == nil, "what it goes on from")
			assert.Equal(t, answers.Kernel(s.Name), s.Kernel, "the kernel that common/answers has")
			files, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(s.Folder()), "*.go"))
			require.NoError(t, err)
			assert.NotEmpty(t, files)
			assert.Equal(t, s.SIMD, slices.ContainsFunc(files, func(file string) bool {
				text, err := os.ReadFile(file)
				require.NoError(t, err)
				return strings.Contains(string(text), "goexperiment.simd") && !strings.Contains(string(text), "wasm")
			}), "files for GOEXPERIMENT=simd, beside those of the book's tab")
		})
	}
}
