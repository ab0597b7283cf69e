package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"raysteps/scripts/internal/cli"
	"raysteps/scripts/internal/estimate"
	"raysteps/scripts/internal/measure"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/perf/benchfmt"
)

// made returns what a run may have measured: of each benchmark the time of the sides in each
// link order.
func made(benchmarks ...[][]float64) *comparison {
	c := &comparison{within: 1, over: math.Inf(1), limit: time.Hour, started: time.Now(), versions: [2]version{{label: "v1"}, {label: "v2"}}, packages: []*pkg{{path: "example.com/a", unit: &measure.Unit{}, reached: true}}}
	for i, orders := range benchmarks {
		r := &row{pkg: c.packages[0], name: fmt.Sprintf("B%d", i), group: &measure.Group{}}
		for _, times := range orders {
			for side, seconds := range times {
				line := &benchfmt.Result{Name: benchfmt.Name(r.name), Iters: 1, Values: []benchfmt.Value{{Value: seconds, Unit: "sec/op"}}}
				line.SetConfig("side", sides[side])
				r.group.Lines = append(r.group.Lines, line)
			}
		}
		c.rows, c.m.OrderCount = append(c.rows, r), len(orders)
	}
	return c
}

// scores scatter as normal values do.
var scores = []float64{-0.31, 1.12, -1.63, 0.10, 0.79, -0.54, 0.31, -1.12, 1.63, -0.10, -0.79, 0.54}

// seeded draws the same in each run.
func seeded() *rand.Rand { return rand.New(rand.NewPCG(1, 2)) }

// measured returns the same of 24 link orders that scatter at random: by how much each
// benchmark is slower.
func measured(random *rand.Rand, changes ...float64) *comparison {
	return measuredIn(24, random, changes...)
}

// measuredIn does what measured does of so many link orders.
func measuredIn(n int, random *rand.Rand, changes ...float64) *comparison {
	var benchmarks [][][]float64
	for _, change := range changes {
		var orders [][]float64
		for range n {
			noise := func() float64 { return 1e-6 * math.Exp(0.012*random.NormFloat64()) }
			orders = append(orders, []float64{noise(), noise() * change})
		}
		benchmarks = append(benchmarks, orders)
	}
	return made(benchmarks...)
}

// reported returns what is printed, and what is beyond the limits.
func reported(t *testing.T, c *comparison) (text string, over error) {
	var b bytes.Buffer
	c.env = &cli.Env{Stdout: &b, Stderr: &b}
	all := c.judge()
	require.NoError(t, c.print(all))
	return b.String(), c.answer(all)
}

// Of sixteen benchmarks one is 3 % slower: that is said, and nothing else.
func TestVerdict(t *testing.T) {
	if testing.Short() {
		t.Skip("not tested with -short: hundreds of simulated runs")
	}
	right, random := 0, seeded()
	for range 100 {
		changes := slices.Repeat([]float64{1}, 16)
		changes[3] = 1.03
		text, _ := reported(t, measured(random, changes...))
		if regexp.MustCompile(`(?m)^Slower: B3 1\.0\d+\.$`).MatchString(text) && !strings.Contains(text, "Faster") && !strings.Contains(text, "Do not believe") {
			right++
		}
	}
	assert.GreaterOrEqual(t, right, 85)
}

// report adds a figure to the lines of a side, one for each link order.
func (r *row) report(side int, unit string, value func(order int) float64) {
	n := 0
	for _, line := range r.group.Lines {
		if line.GetConfig("side") == sides[side] {
			line.Values = append(line.Values, benchfmt.Value{Value: value(n), Unit: unit})
			n++
		}
	}
}

// single returns what may have been measured of one benchmark in twelve link orders: how much the new
// version differs, by how much it scatters, and what every other link order of the old one has more.
func single(change, scatter, noise float64) *comparison {
	var orders [][]float64
	for i := range 12 {
		old := 1e-6 * math.Exp(0.001*scores[i])
		if i%2 == 1 { // which is the other half
			old *= noise
		}
		orders = append(orders, []float64{old, 1e-6 * change * math.Exp(scores[i]*scatter)})
	}
	return made(orders)
}

// with returns a comparison that a function has changed.
func with(c *comparison, change func(c *comparison)) *comparison {
	change(c)
	return c
}

var update = flag.Bool("update", false, "write testdata/reports")

// What is printed, and what is answered, is in testdata/reports, which the flag -update writes.
func TestReports(t *testing.T) {
	limit := func(percent float64) func(c *comparison) { return func(c *comparison) { c.over = percent } }
	for name, c := range map[string]*comparison{
		"slower":                    with(single(1.2, 0.001, 1), limit(10)),
		"slower, perhaps by ten":    with(single(1.12, 0.08, 1), limit(10)),
		"the same":                  with(single(1.004, 0.02, 1), limit(10)),
		"too wide":                  with(single(1.01, 0.08, 1), limit(5)),
		"too wide, without a limit": single(1.01, 0.08, 1),
		"noise is larger":           with(single(1.5, 0.001, 1.6), limit(60)),
		"many":                      measured(seeded(), slices.Repeat([]float64{2}, 8)...),
		"markdown":                  with(measured(seeded(), 2, 1), func(c *comparison) { c.markdown = true }),
		"allocations":               allocating(),
		"absent":                    with(absent(), limit(5)),
		"absent, as JSON":           with(absent(), func(c *comparison) { c.json = true }),
		"absent in both":            with(absentInBoth(), limit(5)),
		"few link orders":           with(few(), limit(5)),
		"canary":                    with(measured(seeded(), 1.03, 1.03, 1.001, 1.05), func(c *comparison) { c.canary, c.over = 3, 2 }),
		"floor":                     with(measured(seeded(), 1, 1, 1), func(c *comparison) { c.floor = true }),
		"floor of few link orders":  with(few(), func(c *comparison) { c.floor = true }),
		"counts":                    counted(),
	} {
		t.Run(name, func(t *testing.T) {
			text, answer := reported(t, c)
			if answer != nil {
				text += fmt.Sprintf("-- answer --\n%v\n", answer)
			}
			file := filepath.Join("testdata", "reports", strings.ReplaceAll(strings.ReplaceAll(name, ",", ""), " ", "-")+".txt")
			if *update {
				require.NoError(t, os.WriteFile(file, []byte(text), 0o666))
			}
			want, err := os.ReadFile(file)
			require.NoError(t, err, "go test ./scripts/ab -update writes it")
			assert.Equal(t, string(want), text)
		})
	}
}

// allocating has allocations, which are compared exactly, but for those that scatter.
func allocating() *comparison {
	random := seeded()
	c := measured(random, 2, 1, 1)
	for _, r := range c.rows[:2] {
		for side := range sides[:again] {
			r.report(side, "allocs/op", func(order int) float64 {
				if side != after || r.name == "B1" && order == 0 {
					return 0
				}
				return 1
			})
		}
	}
	for side := range sides[:again] { // other medians, within the scatter
		c.rows[1].report(side, "B/op", func(int) float64 { return 100 + 20*random.Float64() })
		c.rows[2].report(side, "B/op", func(int) float64 { return []float64{64, 48}[side] })
	}
	c.failAllocs = true
	return c
}

// absent has, beside a benchmark that is measured, some of all that are not.
func absent() *comparison {
	c := measured(seeded(), 1)
	p := c.packages[0]
	add := func(name string, change func(r *row)) {
		r := &row{pkg: p, name: name, group: &measure.Group{}}
		change(r)
		c.rows = append(c.rows, r)
	}
	add("Fails", func(r *row) { r.lacks = [2]string{"", "a_test.go:3: no apples"} })
	add("Panics", func(r *row) { r.lacks = [2]string{"panic: no pears", "panic: no pears"} })
	add("Failed", func(r *row) { r.lacks = [2]string{"a_test.go:3: no apples", ""} })
	add("FailsLate", func(r *row) { r.group.Err = errors.New("a_test.go:3: no apples") })
	add("Skips", func(r *row) { r.lacks, r.skipped = [2]string{"a_test.go:4: no plums", "a_test.go:4: no plums"}, true })
	add("SkipsNow", func(r *row) { r.lacks, r.skipped = [2]string{"", "a_test.go:4: no plums"}, true })
	add("Added", func(r *row) { r.lacks = [2]string{missing, ""} })
	add("Removed", func(r *row) { r.lacks = [2]string{"", missing} })
	add("Long", func(r *row) { r.late = "takes 3s at a time" })
	for i := range 9 {
		add(fmt.Sprint("Late", i), func(*row) {})
	}
	c.packages = append(c.packages, &pkg{path: "example.com/late"})
	c.broken = []*pkg{{path: "example.com/broken", broken: [2]string{"", "a.go:1:2: no such pear"}}, {path: "example.com/both", broken: [2]string{"b", "b"}}}
	c.equal, c.apart = []string{"example.com/same"}, []string{"example.com/new"}
	return c
}

// absentInBoth has what no limit minds: what failed before, too, and what is no more.
func absentInBoth() *comparison {
	c := absent()
	c.rows = slices.DeleteFunc(c.rows, func(r *row) bool { a := r.absence(c); return a != nil && a.lost })
	c.packages, c.broken = c.packages[:1], c.broken[1:]
	return c
}

// few has two and three link orders of benchmarks, after half a minute.
func few() *comparison {
	three := [][]float64{{1e-6, 1.02e-6}, {1e-6, 0.99e-6}, {1e-6, 1.01e-6}}
	c := made(three, [][]float64{{1e-6, 9.1e-6}, {1e-6, 9e-6}}, [][]float64{{1e-6, 3e-6}})
	c.m.OrderCount, c.limit = 3, time.Minute
	c.started, c.linked = time.Now().Add(-33*time.Second), time.Now().Add(-30*time.Second)
	return c
}

// counted has counts and times that do not change together.
func counted() *comparison {
	c := measured(seeded(), 1, 2, 2)
	for i, now := range []float64{90, 100, 200} {
		c.rows[i].counts = [2][]count{{{100, 0.1}, {10, 0}}, {{now, 0.1}, {10, 0}}}
	}
	return c
}

// What the smallest limit is: a whole interval below it, or an interval that is no wider.
func TestTells(t *testing.T) {
	for _, tt := range []struct{ lo, hi, limit float64 }{
		{0.5, 0.6, 0}, {0.99, 1.01, 0.01}, {1.03, 1.05, 0.04}, {0.9, 1.3, 0.3}, {1.2, 1.21, 0.2},
	} {
		e := estimate.Estimate{Center: math.Sqrt(tt.lo * tt.hi), Lo: tt.lo, Hi: tt.hi, Orders: 12}
		assert.InDelta(t, tt.limit, max(0, smallest(e)), 0.006, "%v", tt)
		assert.True(t, tells(e, tt.limit+0.007))
		assert.False(t, tells(e, tt.limit-0.007) && tt.limit > 0)
	}
	assert.False(t, tells(estimate.Estimate{Hi: math.Inf(1)}, 100))
}

// Runs of the same code hold the limit that one of them says in 199 of 200, or nearly.
func TestFloor(t *testing.T) {
	if testing.Short() {
		t.Skip("not tested with -short: hundreds of simulated runs")
	}
	random, holds := seeded(), 0
	const runs = 60
	for range runs {
		limit := measuredIn(12, random, 1, 1, 1).smallestLimit()
		c := measuredIn(12, random, 1, 1, 1)
		c.over = 100 * limit
		if _, answer := reported(t, c); answer == nil {
			holds++
		}
	}
	assert.GreaterOrEqual(t, holds, runs-2)
}

// A benchmark whose time is 0 is not left out in silence, and a limit is not answered without it.
func TestNoTime(t *testing.T) {
	c := made([][]float64{{1e-6, 1e-6}, {1e-6, 1e-6}}, [][]float64{{0, 0}, {0, 0}})
	c.over = 50
	text, err := reported(t, c)
	assert.Regexp(t, `Not measured: B1: takes\s+0\s+s:\s+want\s+a\s+benchmark`, text)
	assert.Error(t, err)
}
