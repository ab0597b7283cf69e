package launch

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"raysteps/common/turns"
	"raysteps/scripts/internal/cli"
)

func silent() *cli.Env { return &cli.Env{Stdout: &bytes.Buffer{}, Stderr: &bytes.Buffer{}} }

// fake stands for a process with two subjects that note when they were asked.
type fake struct {
	name   string
	log    *[]string
	loads  int
	failAt int // the slice that fails
	cycles map[uint64]int
}

func (f *fake) Load(group any) ([]turns.Subject, error) {
	f.loads++
	return []turns.Subject{{Name: f.name + "a"}, {Name: f.name + "b", Config: map[string]string{"workers": "2"}}}, nil
}

func (f *fake) Take(r turns.Request) (all []turns.Values, err error) {
	for _, i := range r.Subjects {
		*f.log = append(*f.log, fmt.Sprint(f.name, "ab"[i:i+1]))
		f.cycles[r.Cycle]++
		if len(*f.log) == f.failAt {
			return nil, errors.New("out of apples")
		}
		all = append(all, turns.Values{"order": float64(len(*f.log))})
	}
	return all, nil
}

func (f *fake) Close() error { return nil }

func fakes(n int) (servers []Server, log *[]string) {
	log = new([]string)
	for i := range n {
		servers = append(servers, &fake{name: fmt.Sprint(i), log: log, cycles: map[uint64]int{}})
	}
	return servers, log
}

// Each subject has a slice in each cycle, in another order each time, and those of a
// cycle have the same number; the cycles after loading do not count.
func TestTurns(t *testing.T) {
	servers, log := fakes(3)
	group := Group{Cycles: 9, Reload: true}
	subjects, measured, err := group.Take(servers)
	require.NoError(t, err)
	require.Len(t, subjects, 6)
	require.Len(t, measured, 9)
	orders, last := map[string]bool{}, map[string]bool{}
	for cycle := range slices.Chunk(*log, 6) {
		assert.ElementsMatch(t, []string{"0a", "0b", "1a", "1b", "2a", "2b"}, cycle)
		orders[fmt.Sprint(cycle)], last[cycle[5]] = true, true
	}
	assert.Len(t, *log, 6*(9+3), "nine cycles that count and three to warm up")
	assert.Greater(t, len(orders), 9)
	assert.Greater(t, len(last), 2, "neighbors change")
	for i, s := range subjects {
		assert.Equal(t, i/2, s.Server)
		assert.Equal(t, fmt.Sprint(i/2, "ab"[i%2:i%2+1]), s.Name)
		for c, cycle := range measured {
			warm := 6 * (1 + c/3)
			at := int(cycle[i]["order"]) - 1
			assert.Equal(t, s.Name, (*log)[at])
			assert.Equal(t, c, (at-warm)/6, "in its cycle")
		}
	}
	for _, server := range servers {
		f := server.(*fake)
		assert.Equal(t, 3, f.loads)
		assert.Len(t, f.cycles, 12)
		for _, n := range f.cycles {
			assert.Equal(t, 2, n, "the two subjects have the same cycle")
		}
	}
}

func TestFewSlices(t *testing.T) {
	servers, log := fakes(1)
	group := Group{Cycles: 5, Workers: 1}
	_, measured, err := group.Take(servers)
	require.NoError(t, err)
	assert.Len(t, *log, 1+5+1)
	assert.Len(t, measured, 5)
	assert.NotNil(t, measured[0][1])
	assert.NotNil(t, measured[1][0])
	assert.Nil(t, measured[1][1])

	servers, log = fakes(1)
	group = Group{Cycles: 1e6, Until: time.Now().Add(-time.Hour)}
	_, measured, err = group.Take(servers)
	require.NoError(t, err)
	assert.Len(t, measured, 1, "one cycle counts, however late it is")
	assert.Len(t, *log, 4)

	servers, _ = fakes(2)
	for _, server := range servers {
		server.(*fake).failAt = 7
	}
	group = Group{Cycles: 5}
	_, _, err = group.Take(servers)
	assert.ErrorContains(t, err, "out of apples")
}

// TestProcess runs steps 1 and 13 and a copy of step 1, linked in two orders.
func TestProcess(t *testing.T) {
	root, err := cli.ModuleRoot()
	require.NoError(t, err)
	l := &Linker{Root: root, Bin: t.TempDir()}
	p, err := l.Launcher(t.Context(), silent(), "the steps", Build{}, []string{"raysteps/step01", "raysteps/step13", "raysteps/step01/again"})
	require.NoError(t, err)
	require.NoError(t, p.Link(t.Context(), silent(), 2))
	t.Run("fails", func(t *testing.T) { testFailures(t, p) })
	process, err := p.Start(t.Context(), 1)
	require.NoError(t, err)
	dir := t.TempDir()
	load := turns.Pictures{Name: "Render", Scene: "scene=small", Width: 320, Height: 180, Samples: 2, Save: dir, Tracers: []turns.Picture{
		{Package: "raysteps/step01", Workers: 1, Grid: 2, Block: Block, Times: 1},
		{Package: "raysteps/step01/again", Workers: 1, Grid: 2, Block: Block, Times: 2},
		{Package: "raysteps/step13", Workers: 2, Times: 1},
	}}
	subjects, err := process.Load(load)
	require.NoError(t, err)
	require.Len(t, subjects, 3)
	assert.Regexp(t, `^Render/scene=small-\d+$`, subjects[0].Name)
	assert.Equal(t, "raysteps/step13", subjects[2].Config["pkg"])
	assert.Regexp(t, "^(odd|even) (odd|even)$", subjects[0].Config["place"], "of each hot function")
	assert.Equal(t, "8 of 8x4", subjects[1].Config["blocks"])
	assert.Empty(t, subjects[2].Config["blocks"], "the whole picture")

	// The pictures are those of the tracers: equal for the same code, another one for
	// another generator of random numbers, and another one for another scene.
	read := func(name string) string {
		text, err := os.ReadFile(filepath.Join(dir, name+".tga"))
		require.NoError(t, err)
		return string(text)
	}
	first := read("step01")
	assert.Len(t, first, 18+3*320*180)
	assert.Equal(t, first, read("again"))
	assert.NotEqual(t, first, read("step13"))

	slices, err := process.Take(turns.Request{Subjects: []int{2, 0, 1}, Cycle: rand.Uint64()})
	require.NoError(t, err)
	require.Len(t, slices, 3)
	assert.Greater(t, slices[0]["rays/op"], 100e3, "those of the whole picture")
	assert.InEpsilon(t, slices[0]["rays/s"], slices[0]["rays/op"]/slices[0]["sec/op"], 1e-9)
	for _, s := range slices {
		assert.Greater(t, s["rays/s"], 1000.)
		assert.Positive(t, s[turns.SliceTime])
	}
	rays := func(v turns.Values) float64 { return v["rays/s"] * v[turns.SliceTime] }
	assert.Less(t, rays(slices[1]), rays(slices[2]), "twice as many blocks have more rays")
	again, err := process.Take(turns.Request{Subjects: []int{0, 0}, Cycle: 7})
	require.NoError(t, err)
	assert.InDelta(t, rays(again[0]), rays(again[1]), 0.5, "a cycle has the same blocks every time")

	load.Scene, load.Tracers = "scene=large", load.Tracers[:1]
	_, err = process.Load(load)
	require.NoError(t, err)
	assert.NotEqual(t, first, read("step01"), "another scene")
	require.NoError(t, process.Close())
}

func testFailures(t *testing.T, p *Program) {
	for want, load := range map[string]turns.Pictures{
		`unknown package "nobody"`: {Scene: "scene=small", Width: 8, Height: 8, Tracers: []turns.Picture{{Package: "nobody"}}},
		"dark":                     {Scene: "scene=dark", Width: 8, Height: 8},
	} {
		process, err := p.Start(t.Context(), 0)
		require.NoError(t, err)
		_, err = process.Load(load)
		assert.ErrorContains(t, err, want)
		assert.Error(t, process.Close(), "it has ended with a status other than 0")
	}
	ctx, cancel := context.WithCancel(t.Context())
	process, err := p.Start(ctx, 0)
	require.NoError(t, err)
	cancel()
	_, err = process.Load(turns.Pictures{})
	assert.ErrorIs(t, err, context.Canceled)
}
