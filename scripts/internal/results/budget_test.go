package results

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestBudget(t *testing.T) {
	const machine = "goos: linux\ncpu-generation: Zen 5\ncpu-clock: 2.00 GHz\ncpu-cores: 2\ngomaxprocs: 2\ngoversion: go1.26.8\n"
	set := readText(t, textOf(machine, 1,
		rate("raysteps/step01", "Render/scene=large", 2e9/484/10), of("raysteps/step01", "Count/scene=large", "instructions/ray", 484*64),
		rate("raysteps/step06", "Render/scene=large", 2e9/484/9), of("raysteps/step06", "Count/scene=large", "instructions/ray", 484*16),
		rate("raysteps/step13", "Render/scene=small", 4e9/100),
		of("raysteps/step07", "FirstPass/centers=vectors/resliced=no", "ns/op", 484*4)))
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
		{"raysteps/step07", "FirstPass/centers=vectors/resliced=no", "arithmetic-cycles/sphere", 6},
		{"raysteps/step07", "FirstPass/centers=vectors/resliced=no", "front-cycles/sphere", 39. / 8},
		{"raysteps/step07", "FirstPass/centers=vectors/resliced=no", "cycles/sphere", 8},
	} {
		v, there := set.figure(tt.pkg, tt.name, tt.unit)
		require.True(t, there, tt)
		assert.InEpsilon(t, tt.want, v.Center, 1e-5, tt)
	}
	older := readText(t, textOf(strings.Replace(machine, "Zen 5", "Zen 3", 1), 1,
		of("raysteps/step07", "FirstPass/centers=vectors/resliced=no", "ns/op", 484*4)))
	v, _ := older.figure("raysteps/step07", "FirstPass/centers=vectors/resliced=no", "front-cycles/sphere")
	assert.InEpsilon(t, 39./6, v.Center, 1e-5, "a Zen 3 begins six")

	_, there := set.figure("raysteps/step06", "Render/scene=large", "instructions-cycles/sphere")
	assert.False(t, there, "all are begun beside the arithmetic")
}

// What follows from lines stands in tables, and not in the lines.
func TestLinesStay(t *testing.T) {
	lines, err := Parse([]byte("cpu-generation: Zen 5\ncpu-clock: 2.00 GHz\nBenchmarkRender/scene=large 1 5e5 rays/s\n"), "")
	require.NoError(t, err)
	line := lines[0]
	SetConfig(line, "pkg", "raysteps/step04")
	before := line.Clone()
	set, err := NewSet(lines, "")
	require.NoError(t, err)
	table, err := set.Table(Spec{Rows: "step,label", Columns: columns(t, "cycles/ray")})
	require.NoError(t, err)
	assert.Equal(t, [][]string{{"4", "a slice of values", "4.000k"}}, table.Rows)
	assert.Equal(t, before.Values, line.Values)
	assert.Equal(t, before.Config, line.Config)
}

// No published loop or render takes less than its arithmetic, and no core begins more
// than its vendor says, or much less.
func TestPeak(t *testing.T) {
	machines, err := published()
	require.NoError(t, err)
	floors := 0
	for _, set := range machines {
		for _, b := range set.benchmarks {
			floor, there := b.estimate("arithmetic-cycles/sphere")
			if all, _ := b.estimate("cycles/sphere"); there {
				assert.Greater(t, all.Center, floor.Center, "%s: %s takes less than its floor", set.Name, b.id)
				floors++
			}
			rate, there := b.estimate("op/cycle")
			if c, known := coreOf(b.last()); there && known {
				most := map[string]float64{"add": c.additions, "mul": c.multiplications, "fma": c.multiplications,
					"add+mul": c.additions + c.multiplications, "nop": c.instructions, "load": 2}[b.key("op")]
				assert.Greater(t, rate.Center, 0.8*most, "%s: %s", set.Name, b.id)
				assert.Less(t, rate.Center, 1.02*most, "%s: %s", set.Name, b.id)
			}
		}
	}
	assert.Greater(t, floors, 20)
}
