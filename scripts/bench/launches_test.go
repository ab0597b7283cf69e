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
	"raysteps/scripts/internal/launch"
)

// fake is a source whose launches do nothing, or what these functions say, and
// which remembers them.
type fake struct {
	onStart  func(launch int) error
	onOpen   func(*fakeSession) error
	onSlice  func(s *fakeSession, i int) (launch.Values, error)
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

func (f *fake) Launch(_ context.Context, order int) (launch.Session, error) {
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

func (s *fakeSession) Open(g *launch.Group) error {
	s.opened, s.turns = append(s.opened, g.Title), nil
	if s.onOpen != nil {
		return s.onOpen(s)
	}
	return nil
}

func (s *fakeSession) Slice(i int) (launch.Values, error) {
	s.turns = append(s.turns, i)
	s.turnsOf[s.opened[len(s.opened)-1]] = s.turns
	if s.onSlice != nil {
		return s.onSlice(s, i)
	}
	return launch.Values{"rays/s": 1}, nil
}

func (s *fakeSession) Close() { s.closed++ }

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
	groups := []launch.Group{
		{Title: "a", Cycles: 5, Subjects: make([]launch.Subject, 7)},
		{Title: "b", Cycles: 2, Subjects: make([]launch.Subject, 3)},
		{Title: "c", Subjects: make([]launch.Subject, 1)},
	}
	for g := range groups {
		for i := range groups[g].Subjects {
			groups[g].Subjects[i] = launch.Subject{Package: groups[g].Title, Name: fmt.Sprint(i)}
		}
	}
	const orders, launches = 4, 3
	src := &fake{}
	kept := 0
	done, err := launch.Measure(t.Context(), silent(), src, groups, launch.Schedule{Orders: orders, Launches: launches}, func(records []launch.Record) error {
		kept++
		require.Len(t, records, 11)
		for i, r := range records {
			want := groups[0].Subjects[min(i, 6)]
			if i >= 7 {
				want = slices.Concat(groups[1].Subjects, groups[2].Subjects)[i-7]
			}
			assert.Equal(t, want, r.Subject, "in the order of the groups, not in that of the turns")
			assert.Equal(t, kept, r.Launch)
			assert.Equal(t, src.sessions[kept-1].order+1, r.Order)
			assert.Equal(t, map[string]int{"a": 5, "b": 2, "c": 1}[r.Package], r.Slices)
			assert.InDelta(t, 1, r.Values["rays/s"], 1e-9)
		}
		return nil
	}, "steps")
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
			n := len(g.Subjects)
			cycles := slices.Collect(slices.Chunk(s.turnsOf[g.Title], n))
			require.Len(t, cycles, max(1, g.Cycles))
			for c, cycle := range cycles {
				assert.True(t, isPermutation(cycle, n), "cycle %d of %s: %v", c, g.Title, cycle)
				if c%2 == 1 {
					back := slices.Clone(cycle)
					slices.Reverse(back)
					assert.Equal(t, cycles[c-1], back, "the one before backward")
				}
			}
			first[g.Title+fmt.Sprint(cycles[0])] = true
			if g.Title == "a" {
				first["third "+fmt.Sprint(cycles[2])] = true
			}
		}
	}
	// Twelve times the same one of 5,040 orders is no accident.
	assert.Greater(t, len(first), 2+6+1+1, "the orders change")
}

func TestKeepFails(t *testing.T) {
	src := &fake{}
	done, err := launch.Measure(t.Context(), silent(), src, []launch.Group{{Title: "a", Subjects: make([]launch.Subject, 2)}}, launch.Schedule{Orders: 3, Launches: 1}, func(records []launch.Record) error {
		return failAt(2, records[0].Launch, assert.AnError)
	}, "steps")
	assert.Equal(t, assert.AnError, err)
	assert.Equal(t, 1, done)
	assert.Len(t, src.sessions, 2)
}
