package main

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"raysteps/scripts/internal/cli"
)

// fake is a source whose launches do nothing, or what these functions say, and
// which remembers them.
type fake struct {
	onStart  func(launch int) error
	onOpen   func(*fakeSession) error
	onSlice  func(s *fakeSession, i int) (values, error)
	sessions []*fakeSession
}

type fakeSession struct {
	*fake
	launch, order int // of them from 1, and from 0
	opened        []string
	turns         []int // of the group that was opened last
	turnsOf       map[string][]int
	closed        int
}

func (f *fake) launch(_ context.Context, order int) (session, error) {
	launch := len(f.sessions) + 1
	if f.onStart != nil {
		if err := f.onStart(launch); err != nil {
			return nil, err
		}
	}
	s := &fakeSession{fake: f, launch: launch, order: order, turnsOf: map[string][]int{}}
	f.sessions = append(f.sessions, s)
	return s, nil
}

func (s *fakeSession) open(g *group) error {
	s.opened, s.turns = append(s.opened, g.title), nil
	if s.onOpen != nil {
		return s.onOpen(s)
	}
	return nil
}

func (s *fakeSession) slice(i int) (values, error) {
	s.turns = append(s.turns, i)
	s.turnsOf[s.opened[len(s.opened)-1]] = s.turns
	if s.onSlice != nil {
		return s.onSlice(s, i)
	}
	return values{"rays/s": 1}, nil
}

func (s *fakeSession) close() { s.closed++ }

func silent() *cli.Env { return &cli.Env{Stdout: &bytes.Buffer{}, Stderr: &bytes.Buffer{}} }

func isPermutation(list []int, of int) bool {
	list = slices.Sorted(slices.Values(list))
	return slices.Equal(list, upTo(of))
}

func upTo(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	return list
}

func TestMeasure(t *testing.T) {
	groups := []group{
		{title: "a", cycles: 5, subjects: make([]subject, 7)},
		{title: "b", cycles: 2, subjects: make([]subject, 3)},
		{title: "c", subjects: make([]subject, 1)},
	}
	for g := range groups {
		for i := range groups[g].subjects {
			groups[g].subjects[i] = subject{pkg: groups[g].title, name: fmt.Sprint(i)}
		}
	}
	const orders, launches = 4, 3
	src := &fake{}
	kept := 0
	done, err := measure(t.Context(), silent(), src, groups, schedule{orders, launches}, func(records []record) error {
		kept++
		require.Len(t, records, 11)
		for i, r := range records {
			want := groups[0].subjects[min(i, 6)]
			if i >= 7 {
				want = slices.Concat(groups[1].subjects, groups[2].subjects)[i-7]
			}
			assert.Equal(t, want, r.subject, "in the order of the groups, not in that of the turns")
			assert.Equal(t, kept, r.launch)
			assert.Equal(t, src.sessions[kept-1].order+1, r.order)
			assert.Equal(t, map[string]int{"a": 5, "b": 2, "c": 1}[r.pkg], r.slices)
			assert.InDelta(t, 1, r.values["rays/s"], 1e-9)
		}
		return nil
	}, func() string { return "" })
	require.NoError(t, err)
	assert.Equal(t, orders*launches, done)
	assert.Equal(t, orders*launches, kept)

	first := map[string]bool{} // cycles that were seen
	for i, s := range src.sessions {
		assert.Equal(t, 1, s.closed)
		if i%orders == 0 {
			var all []int
			for _, s := range src.sessions[i : i+orders] {
				all = append(all, s.order)
			}
			assert.True(t, isPermutation(all, orders), "all link orders once, then all again: %v", all)
		}
		assert.ElementsMatch(t, []string{"a", "b", "c"}, s.opened)
		for _, g := range groups {
			n := len(g.subjects)
			cycles := slices.Collect(slices.Chunk(s.turnsOf[g.title], n))
			require.Len(t, cycles, max(1, g.cycles))
			for c, cycle := range cycles {
				assert.True(t, isPermutation(cycle, n), "cycle %d of %s: %v", c, g.title, cycle)
				if c%2 == 1 {
					back := slices.Clone(cycle)
					slices.Reverse(back)
					assert.Equal(t, cycles[c-1], back, "the one before backward")
				}
			}
			first[g.title+fmt.Sprint(cycles[0])] = true
			if g.title == "a" {
				first["third "+fmt.Sprint(cycles[2])] = true
			}
		}
	}
	// Twelve times the same one of 5,040 orders is no accident.
	assert.Greater(t, len(first), 2+6+1+1, "the orders change")
}

func TestKeepFails(t *testing.T) {
	src := &fake{}
	done, err := measure(t.Context(), silent(), src, []group{{title: "a", subjects: make([]subject, 2)}}, schedule{3, 1}, func(records []record) error {
		return failAt(2, records[0].launch, assert.AnError)
	}, func() string { return "" })
	assert.Equal(t, assert.AnError, err)
	assert.Equal(t, 1, done)
	assert.Len(t, src.sessions, 2)
}

func TestSummarize(t *testing.T) {
	// two makes cycles of two subjects, in one unit.
	two := func(unit string, pairs ...[2]float64) [][]values {
		var cycles [][]values
		for _, p := range pairs {
			cycle := make([]values, 2)
			for i, v := range p {
				if v >= 0 {
					cycle[i] = values{unit: v}
				} else {
					cycle[i] = values{"another": 1} // it says nothing in the unit
				}
			}
			cycles = append(cycles, cycle)
		}
		return cycles
	}
	const missing = -1
	tests := []struct {
		name   string
		cycles [][]values
		ratio  float64
	}{
		{"drift that both share", two("x", [2]float64{10, 20}, [2]float64{20, 40}, [2]float64{5, 10}, [2]float64{1, 2}), 2},
		{"a slice that is disturbed", two("x", [2]float64{10, 20}, [2]float64{20, 40}, [2]float64{5, 10}, [2]float64{10, 0.1}, [2]float64{7, 14}), 2},
		{"a value that is missing", two("x", [2]float64{10, 20}, [2]float64{missing, 4000}, [2]float64{5, 10}), 2},
		{"a unit that the first cycle lacks", two("x", [2]float64{missing, missing}, [2]float64{3, 6}, [2]float64{5, 10}), 2},
		{"counts of which one is zero", two("x", [2]float64{4, 6}, [2]float64{0, 5}, [2]float64{2, 5}), 2.5},
		{"an even number of counts", two("x", [2]float64{4, 6}, [2]float64{0, 6}), 3},
	}
	g := &group{subjects: []subject{{name: "A"}, {name: "B"}}}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := summarize(g, tt.cycles)
			require.Len(t, got, 2)
			assert.Equal(t, "B", got[1].name)
			assert.Equal(t, len(tt.cycles), got[0].slices)
			assert.InEpsilon(t, tt.ratio, got[1].values["x"]/got[0].values["x"], 1e-9)
		})
	}

	zeros := summarize(g, two("x", [2]float64{0, 4}, [2]float64{0, 6}, [2]float64{0, 5}))
	assert.Equal(t, values{"x": 0}, zeros[0].values)
	assert.Equal(t, values{"x": 5}, zeros[1].values)
	alone := summarize(g, two("x", [2]float64{missing, 3}, [2]float64{missing, 3}))
	assert.NotContains(t, alone[0].values, "x", "what was never said has no value")
	level := summarize(&group{subjects: g.subjects[:1]}, [][]values{{{"x": 2}}, {{"x": 8}}, {{"x": 3}}})
	assert.InDelta(t, 3, level[0].values["x"], 1e-9, "a subject without others has its median")
}
