package results

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestBudget(t *testing.T) {
	root := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(root, Folder), 0o777))
	loops, err := readLoops(root)
	require.NoError(t, err)
	assert.Empty(t, loops, "no file")
	require.NoError(t, os.WriteFile(filepath.Join(root, Folder, loopsFile), []byte("pkg: raysteps/step06\ntimed: raysteps/step07 FirstPass/centers=vectors/resliced=no\n"+
		"BenchmarkLoop 1 2 spheres/iteration 22 additions/iteration 24 multiplications/iteration 104 instructions/iteration 7 Zen-3-cycles/iteration\n"), 0o666))
	loops, err = readLoops(root)
	require.NoError(t, err)
	const machine = "goos: linux\ncpu-generation: Zen 5\ncpu-clock: 2.00 GHz\ncpu-cores: 2\ngomaxprocs: 2\ngoversion: go1.26.8\n"
	set := readText(t, textOf(machine, 1, 0,
		rateOf("raysteps/step01", "Render/scene=large", 2e9/484/10), value("raysteps/step01", "Count/scene=large", "instructions/ray", 484*64),
		rateOf("raysteps/step06", "Render/scene=large", 2e9/484/9), value("raysteps/step06", "Count/scene=large", "instructions/ray", 484*16),
		rateOf("raysteps/step13", "Render/scene=small", 4e9/100),
		value("raysteps/step07", "FirstPass/centers=vectors/resliced=no", "ns/op", 484*4)))
	set.derive(loops)
	for _, tt := range []struct {
		pkg, name, unit string
		want            float64
	}{
		{"raysteps/step01", "Render/scene=large", "cycles/sphere", 10},
		{"raysteps/step01", "Render/scene=large", "arithmetic-cycles/sphere", 6}, // that of step 6
		{"raysteps/step01", "Render/scene=large", "instructions-cycles/sphere", 2},
		{"raysteps/step01", "Render/scene=large", "waiting-cycles/sphere", 2},
		{"raysteps/step01", "Count/scene=large", "instructions/sphere", 64},
		{"raysteps/step06", "Render/scene=large", "waiting-cycles/sphere", 3},
		{"raysteps/step13", "Render/scene=small", "cycles/ray", 100}, // of two cores
		{"raysteps/step06", "Floor", "arithmetic/sphere", 6},
		{"raysteps/step06", "Floor", "front/sphere", 6.5},
		{"raysteps/step06", "Floor", "measured/sphere", 8},
		{"raysteps/step06", "Floor", "floors", 8 / 6.5},
	} {
		v, there := set.figure(id{tt.pkg, tt.name, ""}, tt.unit)
		require.True(t, there, tt)
		assert.InEpsilon(t, tt.want, v.Center, 1e-5, tt)
	}
	_, there := set.figure(id{"raysteps/step06", "Render/scene=large", ""}, "instructions-cycles/sphere")
	assert.False(t, there, "all are begun beside the arithmetic")
}

// No published loop or render takes less than its arithmetic, and no core begins more
// than its vendor says, or much less.
func TestPeak(t *testing.T) {
	machines, err := published()
	require.NoError(t, err)
	shares := 0
	for _, set := range machines {
		for _, b := range set.benchmarks {
			if v, there := b.estimate("floors"); there {
				assert.Greater(t, v.Center, 1., "%s: %s takes less than its floor", set.Name, b.id)
				shares++
			}
			v, there := b.estimate("arithmetic-cycles/sphere")
			if all, _ := b.estimate("cycles/sphere"); there {
				assert.Less(t, v.Center/all.Center, 1., "%s: share of %s", set.Name, b.id)
				shares++
			}
			most := map[string]float64{"add": additions, "mul": multiplications, "fma": multiplications, "add+mul": additions + multiplications, "nop": instructions}[partOf(b, "op")]
			if rate, there := b.estimate("op/cycle"); there && most > 0 && b.line.GetConfig("cpu-generation") == knownCore {
				assert.Greater(t, rate.Center, 0.8*most, "%s: %s", set.Name, b.id)
				assert.Less(t, rate.Center, 1.02*most, "%s: %s", set.Name, b.id)
			}
		}
	}
	assert.Greater(t, shares, 20)
}
