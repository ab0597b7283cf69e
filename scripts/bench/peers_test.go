package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"raysteps/scripts/internal/launch"
	"raysteps/scripts/internal/steps"
)

func TestFindPeers(t *testing.T) {
	folder := t.TempDir()
	chosen, err := steps.Parse("12,13,wavefront")
	require.NoError(t, err)
	_, err = findPeers(folder, chosen)
	require.EqualError(t, err, "-peers "+folder+": it holds no program; want COMPILER/stepN, such as clang/step12, or toy0 and toy1")

	for _, name := range []string{"clang/step12", "g++/step12", "g++/step11", "g++/build.log", "toy1"} {
		file := filepath.Join(folder, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o777))
		require.NoError(t, os.WriteFile(file, nil, 0o777))
	}
	all, err := findPeers(folder, chosen)
	require.NoError(t, err)
	var names []string
	for _, p := range all {
		names = append(names, p.pkg)
	}
	assert.Equal(t, []string{"peer/clang/step12", "peer/g++/step12", "peer/toy1"}, names)
}

func TestReadPeers(t *testing.T) {
	const scene = "\nelapsed time:   0.500s\ntotal samples:  9216000\ntotal rays:     16000000\nmrays/s:        32.00\n\n"
	tests := []struct {
		name   string
		read   func(string) ([]launch.Record, error)
		output string
		want   []string // scenes
		err    string
	}{
		{"the original", readOriginal, "small" + scene + "medium" + scene + "large" + scene, []string{"small", "medium", "large"}, ""},
		{"two scenes", readOriginal, "small" + scene + "medium" + scene, nil, "it printed 2 scenes; want 3"},
		{"no time", readOriginal, "small\ntotal rays: 5\n", nil, `it printed "total rays: 5"; want a scene, and its time and rays`},
		{"the toy", readToy, "rays 5 seconds 9.0\nrays 16000000 seconds 0.500000\n", []string{"medium"}, ""},
		{"no toy", readToy, "hello\n", nil, `it printed "hello"; want rays N seconds S`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := tt.read(tt.output)
			if tt.err != "" {
				require.EqualError(t, err, tt.err)
				return
			}
			require.NoError(t, err)
			require.Len(t, got, len(tt.want))
			for i, r := range got {
				assert.Equal(t, "Full/scene="+tt.want[i], r.Name)
				assert.Equal(t, launch.Values{"rays/op": 16e6, "sec/op": 0.5, "rays/s": 32e6}, r.Values)
			}
		})
	}
}
