package benchturns

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"raysteps/common/turns"
)

// runPlan runs benchmarks by a plan and returns what it writes.
func runPlan(t *testing.T, benchmarks ...testing.InternalBenchmark) (string, error) {
	dir := t.TempDir()
	out := filepath.Join(dir, "out")
	text, err := json.Marshal(turns.Plan{Cycles: 4, Out: out})
	require.NoError(t, err)
	plan := filepath.Join(dir, "plan")
	require.NoError(t, os.WriteFile(plan, text, 0o600))
	t.Setenv("RAYSTEPS_PLAN", plan)
	err = Run(benchmarks)
	written, _ := os.ReadFile(out)
	return string(written), err
}

func TestRun(t *testing.T) {
	calls := map[string]int{}
	variants := func(b *testing.B) {
		for _, name := range []string{"a", "b"} {
			b.Run("variant="+name, func(b *testing.B) {
				calls[name]++
				for b.Loop() {
					time.Sleep(time.Microsecond)
				}
				b.ReportMetric(map[string]float64{"a": 2, "b": 6}[name], "apples")
			})
		}
	}
	text, err := runPlan(t, testing.InternalBenchmark{Name: "BenchmarkFruit", F: variants})
	require.NoError(t, err)
	lines := regexp.MustCompile(`(?m)^Benchmark.*`).FindAllString(text, -1)
	require.Len(t, lines, 2, text)
	for i, name := range []string{"a", "b"} {
		assert.Regexp(t, `^BenchmarkFruit/variant=`+name+`(-\d+)? 4 `, lines[i])
		assert.Regexp(t, map[string]string{"a": ` (2|1\.9999999\d*|2\.0000000\d*) apples`, "b": ` (6|5\.9999999\d*|6\.0000000\d*) apples`}[name], lines[i])
		assert.Contains(t, lines[i], " sec/op")
		assert.Equal(t, 1+5, calls[name], "once to find it, once to warm up, and the turns")
	}
}

func TestFailing(t *testing.T) {
	_, err := runPlan(t, testing.InternalBenchmark{Name: "BenchmarkBad", F: func(b *testing.B) { b.Fatal("no apples") }})
	require.Error(t, err)
	assert.Regexp(t, "^BenchmarkBad.*: .*no apples", err.Error())
	text, err := runPlan(t, testing.InternalBenchmark{Name: "BenchmarkSkipped", F: func(b *testing.B) { b.Skip() }})
	assert.NoError(t, err)
	assert.Empty(t, text)
}
