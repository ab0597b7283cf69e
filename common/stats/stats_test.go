package stats

import (
	"fmt"
	"math"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// kinds is a statistic of each kind, and an update of each.
type kinds struct {
	set     Set
	timer   Timer
	updates []func(*Shard)
}

func newKinds() *kinds {
	k := new(kinds)
	k.timer = k.set.Timer("A/Timer")
	counter, memory := k.set.Counter("A/Counter"), k.set.Memory("A/Memory")
	ints, floats := k.set.IntDistribution("A/Integers"), k.set.FloatDistribution("A/Floats")
	percentage, ratio := k.set.Percentage("A/Percentage"), k.set.Ratio("A/Ratio")
	k.updates = []func(*Shard){
		func(s *Shard) { counter.Add(s, 1) },
		func(s *Shard) { memory.Add(s, 2) },
		func(s *Shard) { ints.Add(s, 3) },
		func(s *Shard) { floats.Add(s, 0.5) },
		func(s *Shard) { percentage.Count(s, true) },
		func(s *Shard) { ratio.Add(s, 4, 5) },
		func(s *Shard) { k.timer.Add(s, time.Second) },
	}
	return k
}

// row is a row of a report without its name and alignment.
func row(v Value) string {
	number, unit, note := cells(v)
	return strings.Join(strings.Fields(number+" | "+unit+" | "+note), " ")
}

// distribution is the value of one whose values come from different workers.
func distribution(values ...float64) Value {
	var set Set
	floats := set.FloatDistribution("A/Floats")
	run := set.NewRun()
	for _, v := range values {
		shard := run.NewShard()
		floats.Add(shard, v)
		shard.Close()
	}
	return run.Report().Value("A/Floats")
}

func TestCells(t *testing.T) {
	for _, tt := range []struct {
		value Value
		want  string
	}{
		{Count(math.MaxInt64), "9,223,372,036,854,775,807 | |"},

		{Bytes(-2 << 20), "-2.000 | MiB | -2,097,152 bytes"},
		{Bytes(1023), "1,023 | B |"},
		{Bytes(1<<20 - 1), "1,023.999 | KiB | 1,048,575 bytes"},
		{Bytes(math.MaxInt64), "8.000 | EiB | 9,223,372,036,854,775,807 bytes"},

		{Ints{3, -1, 1000, 7}, "2.333 | mean | -1 to 1,000, 3 values"},
		{distribution(), "- | | no values"},
		{distribution(7), "7 | mean | 7 to 7, 1 value"},
		{distribution(6, 2, 1), "3 | mean | 1 to 6, 3 values"},
		{distribution(1, math.NaN(), 2), "NaN | mean | 1 to 2, 3 values"},
		{distribution(math.Inf(1), 5), "+Inf | mean | 5 to +Inf, 2 values"},

		{Share{1, 0}, "- | | 1 of 0"},
		{Share{93612, 2374244}, "3.943 | % | 93,612 of 2,374,244"},

		{Quotient{-12345678, 1000}, "-12,345.678 | | -12,345,678 / 1,000"},

		{Elapsed{}, "0.000 | ns | 0 calls"},
		{Elapsed{999999999 * time.Nanosecond, 2}, "1.000 | s | 2 calls"},
		{Elapsed{2 * time.Hour, 1000}, "7,200.000 | s | 1,000 calls"},
	} {
		assert.Equal(t, tt.want, row(tt.value), "%T%v", tt.value, tt.value)
	}
}

// Columns are as wide as their letters are many, which have one byte or more.
func TestColumns(t *testing.T) {
	var set Set
	counter, timer := set.Counter("Größe/Zähler"), set.Timer("Größe/Uhr")
	run := set.NewRun()
	shard := run.NewShard()
	counter.Add(shard, 1234)
	timer.Add(shard, 1500*time.Nanosecond)
	shard.Close()
	assert.Equal(t, "Größe\n  Uhr     1.500 µs  1 call\n  Zähler  1,234\n", run.Report().String())
}

func TestDeclarePanics(t *testing.T) {
	for _, title := range []string{"", "Rays", "/Rays", "Rays/", "Rays / Camera", "Rays/Camera ", "Rays/Camera\n", "Declared/Counter"} {
		var set Set
		set.Counter("Declared/Counter")
		assert.Panics(t, func() { set.Memory(title) }, "%q", title)
		// The set is as it was, and not locked.
		set.Counter("Declared/Twice")
		assert.Len(t, set.NewRun().Report().Statistics, 2)
	}
}

func TestCloseTwice(t *testing.T) {
	var set Set
	c := set.Counter("A/B")
	run := set.NewRun()
	first, second := run.NewShard(), run.NewShard()
	c.Add(first, 1)
	c.Add(second, 10)
	first.Close()
	first.Close()
	assert.Equal(t, "A\n  B  1\nNot included: what is in 1 open shard.\n", run.Report().String())
	second.Close()
	assert.Equal(t, "A\n  B  11\n", run.Report().String())
	assert.Equal(t, Count(0), set.NewRun().Report().Value("A/B"), "another run of the set")
}

// An update that has no place panics and changes nothing; one of no shard is none.
func TestMisplacedUpdates(t *testing.T) {
	k := newKinds()
	run := k.set.NewRun()
	want := run.Report()
	shard := run.NewShard()
	late := k.set.Counter("C/Declared after the run")
	assert.Panics(t, func() { late.Add(shard, 1) })
	shard.Close()
	none := (*Run)(nil).NewShard()
	require.Nil(t, none)
	for i, u := range k.updates {
		assert.Panics(t, func() { u(shard) }, "update %d through a closed shard", i)
		u(none)
	}
	k.timer.Since(none, time.Now())
	none.Close()
	assert.Equal(t, want, run.Report())
}

// Reports that are made while workers run, and others declare, are of whole
// shards.
func TestReportsWhileWorkersRun(t *testing.T) {
	k := newKinds()
	run := k.set.NewRun()
	const workers, shards, updates = 4, 20, 50
	var working sync.WaitGroup
	for range workers {
		working.Go(func() {
			for range shards {
				shard := run.NewShard()
				for range updates {
					for _, u := range k.updates {
						u(shard)
					}
				}
				shard.Close()
				n := run.Report().Value("A/Counter").(Count)
				assert.True(t, n > 0 && n%updates == 0, "%d", n)
			}
		})
	}
	for i := range 10 {
		k.set.Counter(fmt.Sprintf("Late/%d", i))
	}
	working.Wait()
	const all = workers * shards * updates
	r := run.Report()
	for title, want := range map[string]Value{
		"A/Counter": Count(all), "A/Memory": Bytes(2 * all), "A/Integers": Ints{all, 3, 3, 3 * all}, "A/Floats": Floats{all, 0.5, 0.5, all / 2},
		"A/Percentage": Share{all, all}, "A/Ratio": Quotient{4 * all, 5 * all}, "A/Timer": Elapsed{all * time.Second, all},
	} {
		assert.Equal(t, want, r.Value(title))
	}
}

// Nothing is lost of shards that are made or closed at one moment.
func TestShardsAtOnce(t *testing.T) {
	const shards = 64
	rounds := 100
	if testing.Short() {
		rounds = 10
	}
	var set Set
	var counters [512]Counter // so many that merging takes a while
	for i := range counters {
		counters[i] = set.Counter(fmt.Sprint("A/", i))
	}
	for range rounds {
		run, start := set.NewRun(), make(chan struct{})
		var opening sync.WaitGroup
		for range shards {
			opening.Go(func() {
				<-start
				for range shards {
					run.NewShard()
				}
			})
		}
		close(start)
		opening.Wait()
		require.Equal(t, shards*shards, run.Report().OpenShards)
	}
	for range rounds {
		run, start := set.NewRun(), make(chan struct{})
		var working sync.WaitGroup
		for range shards {
			shard := run.NewShard()
			for _, c := range counters {
				c.Add(shard, 1)
			}
			working.Go(func() {
				<-start
				shard.Close()
			})
		}
		close(start)
		for open := shards; open > 0; { // what is not open is in the totals, all of it
			report := run.Report()
			open = report.OpenShards
			for _, s := range report.Statistics {
				require.Equal(t, Count(shards-open), s.Value)
			}
		}
		working.Wait()
	}
}

func TestUpdatesDoNotAllocate(t *testing.T) {
	k := newKinds()
	shard := k.set.NewRun().NewShard()
	defer shard.Close()
	assert.Zero(t, testing.AllocsPerRun(100, func() {
		for _, u := range k.updates {
			u(shard)
		}
		func() { defer k.timer.Since(shard, time.Now()) }()
	}))
}
