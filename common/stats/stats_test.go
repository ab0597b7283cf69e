package stats

import (
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"raysteps/common/mem"
)

var update = flag.Bool("update", false, "write the golden files")

// all is a statistic of each kind, some with several.
type all struct {
	set         Set
	counters    [3]Counter
	memory      Memory
	ints        [2]IntDistribution
	floats      [2]FloatDistribution
	percentages [2]Percentage
	ratio       Ratio
	timer       Timer
}

func newAll() *all {
	a := new(all)
	for i := range a.counters {
		a.counters[i] = a.set.Counter(fmt.Sprintf("Counters/%d", i))
	}
	a.memory = a.set.Memory("Others/Memory")
	for i := range a.ints {
		a.ints[i] = a.set.IntDistribution(fmt.Sprintf("Distributions/Integers %d", i))
		a.floats[i] = a.set.FloatDistribution(fmt.Sprintf("Distributions/Floats %d", i))
		a.percentages[i] = a.set.Percentage(fmt.Sprintf("Percentages/%d", i))
	}
	a.ratio = a.set.Ratio("Others/Ratio")
	a.timer = a.set.Timer("Others/Timer")
	return a
}

// updates returns an update of each statistic.
func (a *all) updates(rng *rand.Rand) []func(*Shard) {
	var list []func(*Shard)
	add := func(f func(*Shard)) { list = append(list, f) }
	for _, c := range a.counters {
		n := anyInt(rng)
		add(func(s *Shard) { c.Add(s, n) })
	}
	n, m := anyInt(rng), anyInt(rng)
	add(func(s *Shard) { a.memory.Add(s, n) })
	add(func(s *Shard) { a.ratio.Add(s, n, m) })
	add(func(s *Shard) { a.timer.Add(s, time.Duration(m)) })
	for i := range a.ints {
		n, m, v := anyInt(rng), anyInt(rng), exactFloat(rng)
		add(func(s *Shard) { a.ints[i].Add(s, n) })
		add(func(s *Shard) { a.floats[i].Add(s, v) })
		add(func(s *Shard) { a.percentages[i].Add(s, n, m) })
		add(func(s *Shard) { a.percentages[i].Count(s, n%2 == 0) })
	}
	return list
}

// anyInt is small or anything.
func anyInt(rng *rand.Rand) int64 {
	if rng.IntN(2) == 0 {
		return rng.Int64N(100) - 20
	}
	return int64(rng.Uint64())
}

// exactFloat is a number of which sums are exact, or one that does not count.
func exactFloat(rng *rand.Rand) float64 {
	switch rng.IntN(20) {
	case 0:
		return math.NaN()
	case 1:
		return math.Inf(rng.IntN(2)*2 - 1)
	case 2:
		return math.Copysign(0, -1)
	}
	return float64(rng.IntN(1<<20)-1<<19) / 8
}

// However updates are divided among shards, in whatever order these are closed,
// the report is the same.
func TestAnySplitGivesTheSameReport(t *testing.T) {
	a := newAll()
	rng := rand.New(rand.NewPCG(6, 1))
	for range 100 {
		var updates []func(*Shard)
		for range rng.IntN(20) {
			updates = append(updates, a.updates(rng)...)
		}
		one := a.set.NewRun()
		shard := one.NewShard()
		for _, u := range updates {
			u(shard)
		}
		shard.Close()
		want := one.Report()

		split := a.set.NewRun()
		shards := make([]*Shard, 1+rng.IntN(10))
		for i := range shards {
			shards[i] = split.NewShard()
		}
		for _, i := range rng.Perm(len(updates)) {
			updates[i](shards[rng.IntN(len(shards))])
		}
		for _, i := range rng.Perm(len(shards)) {
			shards[i].Close()
		}
		got := split.Report()

		require.Equal(t, want, got)
		require.Equal(t, marshal(t, want), marshal(t, got))
		require.Zero(t, got.OpenShards+int(got.LostUpdates))
	}
}

func marshal(t testing.TB, r *Report) string {
	t.Helper()
	text, err := json.MarshalIndent(r, "", "  ")
	require.NoError(t, err)
	return string(text) + "\n"
}

// Values are those of a computation that cannot overflow or round.
func TestDistributionsAgainstBigNumbers(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 2))
	for _, tt := range []struct {
		name string
		next func() int64
	}{
		{"small", func() int64 { return rng.Int64N(50) }},
		{"any", func() int64 { return int64(rng.Uint64()) }},
		{"largest", func() int64 { return math.MaxInt64 }},
		{"smallest", func() int64 { return math.MinInt64 }},
		{"near the largest", func() int64 { return math.MaxInt64 - rng.Int64N(1000) }},
		{"below zero", func() int64 { return -1 - rng.Int64N(1000) }},
		{"the sum is half a turn", func() int64 { return 1 << 62 }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for _, n := range []int{1, 2, 3, 4, 1000} {
				var set Set
				ints, floats := set.IntDistribution("A/Integers"), set.FloatDistribution("A/Floats")
				run := set.NewRun()
				shards := []*Shard{run.NewShard(), run.NewShard()}
				values := make([]int64, n)
				sum := new(big.Float).SetPrec(200)
				for i := range values {
					values[i] = tt.next()
					sum.Add(sum, new(big.Float).SetInt64(values[i]))
					ints.Add(shards[i%2], values[i])
					floats.Add(shards[i%2], float64(values[i]))
				}
				shards[0].Close()
				shards[1].Close()
				mean, _ := sum.Quo(sum, big.NewFloat(float64(n))).Float64()
				least, most := slices.Min(values), slices.Max(values)

				i := run.Report().Value("A/Integers").(Ints)
				assert.Equal(t, Ints{int64(n), least, most, i.Mean}, i)
				// The sum, the number to divide by and the result are rounded.
				assert.InDelta(t, mean, i.Mean, math.Abs(mean)*0x1p-51)

				f := run.Report().Value("A/Floats").(Floats)
				assert.Equal(t, Floats{int64(n), float64(least), float64(most), f.Mean, 0}, f)
				largest := max(math.Abs(f.Min), math.Abs(f.Max))
				assert.InDelta(t, mean, f.Mean, float64(n)*largest*0x1p-52)
			}
		})
	}
}

func TestFloatDistribution(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	for _, tt := range []struct {
		name   string
		values []float64
		want   Floats
		json   string
		text   string
	}{
		{"empty", nil, Floats{},
			`{"count":0,"min":null,"max":null,"mean":null,"not_finite":0}`,
			"- | | no values"},
		{"one", []float64{0.1}, Floats{1, 0.1, 0.1, 0.1, 0},
			`{"count":1,"min":0.1,"max":0.1,"mean":0.1,"not_finite":0}`,
			"0.1 | mean | 0.1 to 0.1, 1 value"},
		{"NaN and infinities are apart", []float64{nan, 1, inf, 2, -inf}, Floats{2, 1, 2, 1.5, 3},
			`{"count":2,"min":1,"max":2,"mean":1.5,"not_finite":3}`,
			"1.5 | mean | 1 to 2, 2 values, 3 not finite"},
		{"nothing but NaN", []float64{nan}, Floats{NotFinite: 1},
			`{"count":0,"min":null,"max":null,"mean":null,"not_finite":1}`,
			"- | | no values, 1 not finite"},
		{"the sum overflows", []float64{math.MaxFloat64, math.MaxFloat64}, Floats{2, math.MaxFloat64, math.MaxFloat64, inf, 0},
			`{"count":2,"min":1.7976931348623157e+308,"max":1.7976931348623157e+308,"mean":null,"not_finite":0}`,
			"+Inf | mean | 1.79769e+308 to 1.79769e+308, 2 values"},
		{"zeros have no sign", []float64{math.Copysign(0, -1)}, Floats{Count: 1},
			`{"count":1,"min":0,"max":0,"mean":0,"not_finite":0}`,
			"0 | mean | 0 to 0, 1 value"},
		{"tiny", []float64{5e-324, -1e-300}, Floats{2, -1e-300, 5e-324, -5e-301, 0},
			`{"count":2,"min":-1e-300,"max":5e-324,"mean":-5e-301,"not_finite":0}`,
			"-5e-301 | mean | -1e-300 to 4.94066e-324, 2 values"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var set Set
			d := set.FloatDistribution("A/B")
			run := set.NewRun()
			shard := run.NewShard()
			for _, v := range tt.values {
				d.Add(shard, v)
			}
			shard.Close()
			report := run.Report()
			got := report.Value("A/B")
			assert.Equal(t, tt.want, got)
			text, err := json.Marshal(got)
			require.NoError(t, err)
			assert.Equal(t, tt.json, string(text))
			assert.Equal(t, tt.text, row(got))
			assert.NotPanics(t, func() { marshal(t, report) })
		})
	}
}

// A product as an argument is rounded before it is used, also where the compiler
// could fuse it with what is done in an inlined update.
func TestFloatDistributionOfProducts(t *testing.T) {
	var set Set
	d := set.FloatDistribution("A/B")
	run := set.NewRun()
	shard := run.NewShard()
	var sum, largest float64
	for i := range 100 {
		x := float64(i) / 7
		d.Add(shard, x*0.1)
		largest = float64(x * 0.1)
		sum += largest
	}
	shard.Close()
	want := Floats{100, 0, largest, sum / 100, 0}
	assert.Equal(t, want, run.Report().Value("A/B"))
}

// row is a row of a report without its name and alignment.
func row(v Value) string {
	number, unit, note := v.cells()
	s := number + " |"
	if unit != "" {
		s += " " + unit
	}
	s += " |"
	if note != "" {
		s += " " + note
	}
	return s
}

func TestCells(t *testing.T) {
	for _, tt := range []struct {
		value Value
		want  string
	}{
		{Count(0), "0 | |"},
		{Count(999), "999 | |"},
		{Count(1000), "1,000 | |"},
		{Count(-100), "-100 | |"},
		{Count(-1234567), "-1,234,567 | |"},
		{Count(math.MaxInt64), "9,223,372,036,854,775,807 | |"},
		{Count(math.MinInt64), "-9,223,372,036,854,775,808 | |"},

		{Bytes(0), "0 | B |"},
		{Bytes(1023), "1,023 | B |"},
		{Bytes(1024), "1.000 | KiB | 1,024 bytes"},
		{Bytes(-2048), "-2.000 | KiB | -2,048 bytes"},
		{Bytes(1<<20 - 1), "1,023.999 | KiB | 1,048,575 bytes"},
		{Bytes(1<<30 - 1), "1.000 | GiB | 1,073,741,823 bytes"},
		{Bytes(1<<20 - 1024), "1,023.000 | KiB | 1,047,552 bytes"},
		{Bytes(5 << 29), "2.500 | GiB | 2,684,354,560 bytes"},
		{Bytes(math.MaxInt64), "8.000 | EiB | 9,223,372,036,854,775,807 bytes"},

		{Ints{}, "- | | no values"},
		{Ints{3, -1, 1000, 2.0004}, "2.000 | mean | -1 to 1,000, 3 values"},
		{Ints{1, 7, 7, 7}, "7.000 | mean | 7 to 7, 1 value"},

		{Share{}, "- | | 0 of 0"},
		{Share{1, 0}, "- | | 1 of 0"},
		{Share{93612, 2374244}, "3.943 | % | 93,612 of 2,374,244"},
		{Share{3, 2}, "150.000 | % | 3 of 2"},

		{Quotient{}, "- | | 0 / 0"},
		{Quotient{2374244, 51614}, "46.000 | | 2,374,244 / 51,614"},
		{Quotient{-12345678, 1000}, "-12,345.678 | | -12,345,678 / 1,000"},

		{Elapsed{}, "0.000 | ns | 0 calls"},
		{Elapsed{999 * time.Nanosecond, 1}, "999.000 | ns | 1 call"},
		{Elapsed{12500 * time.Nanosecond, 2}, "12.500 | µs | 2 calls"},
		{Elapsed{999999 * time.Nanosecond, 2}, "999.999 | µs | 2 calls"},
		{Elapsed{999999999 * time.Nanosecond, 2}, "1.000 | s | 2 calls"},
		{Elapsed{2 * time.Hour, 1000}, "7,200.000 | s | 1,000 calls"},
	} {
		t.Run(fmt.Sprintf("%T%v", tt.value, tt.value), func(t *testing.T) {
			assert.Equal(t, tt.want, row(tt.value))
		})
	}
}

// tracer is what a path tracer might report.
func tracer() *Run {
	var set Set
	camera := set.Counter("Rays/Camera")
	scattered := []Counter{
		set.Counter("Rays/Scattered by dielectric"),
		set.Counter("Rays/Scattered by lambertian"),
		set.Counter("Rays/Scattered by metal"),
	}
	tests := set.Ratio("Hits/Sphere tests per ray")
	positive := set.Percentage("Hits/Positive discriminants")
	length := set.IntDistribution("Paths/Length")
	light := set.FloatDistribution("Paths/Light")
	set.IntDistribution("Paths/Rejected tries")
	set.Percentage("Paths/Absorbed")
	spheres, film := set.Memory("Memory/Columns of spheres"), set.Memory("Memory/Film")
	set.Memory("Memory/Textures")
	build, tile := set.Timer("Time/Build"), set.Timer("Time/Tiles, all workers")

	run := set.NewRun()
	for worker := range int64(3) {
		shard := run.NewShard()
		camera.Add(shard, 6400)
		for i, c := range scattered {
			c.Add(shard, 3500*int64(i+1))
		}
		tests.Add(shard, 791412, 17204)
		positive.Add(shard, 31204, 791412)
		length.Add(shard, 1)
		length.Add(shard, 9*worker)
		light.Add(shard, 0.25*float64(worker))
		light.Add(shard, math.NaN())
		tile.Add(shard, 1500*time.Millisecond)
		if worker == 0 {
			spheres.Add(shard, 46*64)
			film.Add(shard, 80*60*12)
			build.Add(shard, 41250)
		}
		shard.Close()
	}
	return run
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		require.NoError(t, os.WriteFile(file, []byte(got), 0o666))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Equal(t, string(want), got)
}

func TestReportGolden(t *testing.T) {
	run := tracer()
	golden(t, "report.txt", run.Report().String())
	golden(t, "report.json", marshal(t, run.Report()))

	// A run on its way, in which something went wrong.
	run.NewShard()
	run.NewShard()
	Counter{}.Add(run.NewShard(), 1)
	golden(t, "running.txt", run.Report().String())
	golden(t, "running.json", marshal(t, run.Report()))
}

func TestReportOrder(t *testing.T) {
	var set Set
	for _, title := range []string{"B/y", "A/z", "B/x", "A b/c", "A/a/b", "Ä/Ö", "a/a"} {
		set.Counter(title)
	}
	want := "A\n" +
		"  a/b  0\n" +
		"  z    0\n" +
		"A b\n" +
		"  c    0\n" +
		"B\n" +
		"  x    0\n" +
		"  y    0\n" +
		"a\n" +
		"  a    0\n" +
		"Ä\n" +
		"  Ö    0\n"
	assert.Equal(t, want, set.NewRun().Report().String())
}

func TestReportOfNothing(t *testing.T) {
	var set Set
	for _, tt := range []struct {
		name string
		run  *Run
	}{{"empty set", set.NewRun()}, {"nil run", nil}} {
		t.Run(tt.name, func(t *testing.T) {
			shard := tt.run.NewShard()
			shard.Close()
			r := tt.run.Report()
			assert.Empty(t, r.String())
			assert.Equal(t, "{\n  \"categories\": [],\n  \"open_shards\": 0,\n  \"lost_updates\": 0\n}\n", marshal(t, r))
			assert.Nil(t, r.Value("A/B"))
		})
	}
}

func TestReportValue(t *testing.T) {
	var set Set
	c := set.Counter("A/B/C")
	set.Counter("A/B")
	run := set.NewRun()
	shard := run.NewShard()
	c.Add(shard, 5)
	shard.Close()
	r := run.Report()
	assert.Equal(t, Count(5), r.Value("A/B/C"))
	assert.Equal(t, Count(0), r.Value("A/B"))
	for _, title := range []string{"", "/", "A", "A/", "A/C", "B/C"} {
		assert.Nil(t, r.Value(title), "%q", title)
	}
}

func TestDeclarePanics(t *testing.T) {
	const form = "; want Category/Name, each of printable characters and with no space around it"
	for _, tt := range []struct{ title, want string }{
		{"", `stats: title ""` + form},
		{"Rays", `stats: title "Rays"` + form},
		{"/Rays", `stats: title "/Rays"` + form},
		{"Rays/", `stats: title "Rays/"` + form},
		{"Rays / Camera", `stats: title "Rays / Camera"` + form},
		{"Rays/Camera ", `stats: title "Rays/Camera "` + form},
		{"Rays/Cam\nera", `stats: title "Rays/Cam\nera"` + form},
		{"Rays/\xff", `stats: title "Rays/\xff"` + form},
		{"Taken/Counter", `stats: memory "Taken/Counter": a counter has this title; want one of its own in the set`},
	} {
		t.Run(tt.title, func(t *testing.T) {
			var set Set
			set.Counter("Taken/Counter")
			assert.PanicsWithValue(t, tt.want, func() { set.Memory(tt.title) })

			// The set is as it was, and not locked.
			set.Counter("Taken/No more")
			assert.Equal(t, "Taken\n  Counter  0\n  No more  0\n", set.NewRun().Report().String())
		})
	}
}

// Every kind takes a title.
func TestDeclareDuplicates(t *testing.T) {
	declare := []struct {
		name string
		do   func(*Set, string)
	}{
		{"counter", func(s *Set, title string) { s.Counter(title) }},
		{"memory", func(s *Set, title string) { s.Memory(title) }},
		{"int distribution", func(s *Set, title string) { s.IntDistribution(title) }},
		{"float distribution", func(s *Set, title string) { s.FloatDistribution(title) }},
		{"percentage", func(s *Set, title string) { s.Percentage(title) }},
		{"ratio", func(s *Set, title string) { s.Ratio(title) }},
		{"timer", func(s *Set, title string) { s.Timer(title) }},
	}
	for _, first := range declare {
		for _, second := range declare {
			t.Run(first.name+" and "+second.name, func(t *testing.T) {
				var set, other Set
				first.do(&set, "A/B")
				want := fmt.Sprintf("stats: %s %q: a %s has this title; want one of its own in the set", second.name, "A/B", first.name)
				assert.PanicsWithValue(t, want, func() { second.do(&set, "A/B") })
				assert.NotPanics(t, func() { second.do(&other, "A/B") }, "in another set")
				assert.NotPanics(t, func() { second.do(&set, "A/b") })
			})
		}
	}
}

// Updates that have no place change nothing and are counted.
func TestLostUpdates(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 3))
	for _, tt := range []struct {
		name  string
		spoil func(a *all, run *Run, shard *Shard) (*all, *Shard)
	}{
		{"closed shard", func(a *all, run *Run, shard *Shard) (*all, *Shard) {
			shard.Close()
			return a, shard
		}},
		{"statistics of another set", func(a *all, run *Run, shard *Shard) (*all, *Shard) {
			return newAll(), shard
		}},
		{"statistics that were not declared", func(a *all, run *Run, shard *Shard) (*all, *Shard) {
			return new(all), shard
		}},
		{"neither declared nor open", func(a *all, run *Run, shard *Shard) (*all, *Shard) {
			shard.Close()
			return new(all), shard
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for _, earlier := range []bool{false, true} { // sets may have any number
				a := newAll()
				if earlier {
					newAll()
				}
				run := a.set.NewRun()
				want := run.Report()
				b, shard := tt.spoil(a, run, run.NewShard())
				updates := b.updates(rng)
				for _, u := range updates {
					u(shard)
				}
				shard.Close()
				want.LostUpdates = int64(len(updates))
				assert.Equal(t, want, run.Report())
			}
		})
	}
}

func TestStatisticOfAnEarlierSet(t *testing.T) {
	a, b := newAll(), newAll()
	run := b.set.NewRun()
	shard := run.NewShard()
	a.counters[0].Add(shard, 1)
	shard.Close()
	assert.EqualValues(t, 1, run.Report().LostUpdates)
	assert.Equal(t, Count(0), run.Report().Value("Counters/0"))
}

func TestDeclaredAfterTheRunStarted(t *testing.T) {
	var set Set
	early := set.Counter("A/Early")
	run := set.NewRun()
	late := set.Counter("A/Late")
	shard := run.NewShard()
	early.Add(shard, 1)
	late.Add(shard, 1)
	shard.Close()
	r := run.Report()
	assert.Equal(t, Count(1), r.Value("A/Early"))
	assert.Nil(t, r.Value("A/Late"))
	assert.EqualValues(t, 1, r.LostUpdates)
	assert.Equal(t, Count(0), set.NewRun().Report().Value("A/Late"))
}

func TestNilShard(t *testing.T) {
	a := newAll()
	var run *Run
	shard := run.NewShard()
	require.Nil(t, shard)
	for _, u := range a.updates(rand.New(rand.NewPCG(6, 4))) {
		u(shard)
	}
	a.timer.Since(shard, time.Now())
	shard.Close()
	shard.Close()
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
	r := run.Report()
	assert.Equal(t, Count(1), r.Value("A/B"))
	assert.Equal(t, 1, r.OpenShards)
	second.Close()
	assert.Equal(t, 0, run.Report().OpenShards)
	assert.Equal(t, Count(11), run.Report().Value("A/B"))
	assert.Equal(t, Count(1), r.Value("A/B"), "a report stays as it was made")
}

// A worker that panics reports what it counted until then.
func TestCloseWhenPanicking(t *testing.T) {
	var set Set
	c := set.Counter("A/B")
	run := set.NewRun()
	func() {
		defer func() { _ = recover() }()
		shard := run.NewShard()
		defer shard.Close()
		c.Add(shard, 3)
		panic("out of film")
	}()
	assert.Equal(t, Count(3), run.Report().Value("A/B"))
	assert.Equal(t, 0, run.Report().OpenShards)
}

func TestRunsDoNotMix(t *testing.T) {
	a := newAll()
	first, second := a.set.NewRun(), a.set.NewRun()
	one, two := first.NewShard(), second.NewShard()
	for i := range 10 {
		a.counters[1].Add(one, 1)
		a.ints[0].Add(two, int64(i))
	}
	one.Close()
	two.Close()
	assert.Equal(t, Count(10), first.Report().Value("Counters/1"))
	assert.Equal(t, Ints{}, first.Report().Value("Distributions/Integers 0"))
	assert.Equal(t, Count(0), second.Report().Value("Counters/1"))
	assert.Equal(t, Ints{10, 0, 9, 4.5}, second.Report().Value("Distributions/Integers 0"))
}

// A counter wraps around as an int64 does, in a shard and in merging.
func TestCounterOverflow(t *testing.T) {
	var set Set
	c := set.Counter("A/B")
	run := set.NewRun()
	one, two := run.NewShard(), run.NewShard()
	c.Add(one, math.MaxInt64)
	c.Add(one, 2)
	one.Close()
	assert.Equal(t, Count(math.MinInt64+1), run.Report().Value("A/B"))
	c.Add(two, math.MaxInt64)
	two.Close()
	assert.Equal(t, Count(0), run.Report().Value("A/B"))
}

// Reports that are made while workers run are of whole shards.
func TestReportsWhileWorkersRun(t *testing.T) {
	a := newAll()
	run := a.set.NewRun()
	const workers, shards, updates = 4, 20, 50
	var done atomic.Bool
	var reporters, all sync.WaitGroup
	reporters.Go(func() {
		for !done.Load() {
			r := run.Report()
			n := r.Value("Counters/0").(Count)
			p := r.Value("Percentages/0").(Share)
			assert.Zero(t, n%updates)
			assert.Equal(t, Share{int64(n), int64(n)}, p)
			assert.LessOrEqual(t, r.OpenShards, workers)
		}
	})
	for range workers {
		all.Go(func() {
			for range shards {
				shard := run.NewShard()
				for range updates {
					a.counters[0].Add(shard, 1)
					a.percentages[0].Count(shard, true)
					a.ints[0].Add(shard, 3)
				}
				shard.Close()
			}
		})
	}
	all.Wait()
	done.Store(true)
	reporters.Wait()
	r := run.Report()
	assert.Equal(t, Count(workers*shards*updates), r.Value("Counters/0"))
	assert.Equal(t, Ints{workers * shards * updates, 3, 3, 3}, r.Value("Distributions/Integers 0"))
	assert.Zero(t, r.OpenShards)
	assert.Zero(t, r.LostUpdates)
}

func TestDeclareFromManyGoroutines(t *testing.T) {
	var set Set
	var all sync.WaitGroup
	for i := range 20 {
		all.Go(func() { set.Counter(fmt.Sprintf("A/%d", i)) })
		all.Go(func() { set.NewRun().Report() })
	}
	all.Wait()
	assert.Len(t, set.NewRun().Report().Categories[0].Statistics, 20)
}

// No two shards have values, or their own fields, in one cache line.
func TestPadding(t *testing.T) {
	const line = mem.Isolation
	type span struct{ first, last uintptr }
	a := newAll()
	run := a.set.NewRun()
	var spans []span
	var shards []*Shard
	for range 100 {
		s := run.NewShard()
		shards = append(shards, s)
		add := func(p unsafe.Pointer, size uintptr) {
			first := uintptr(p)
			spans = append(spans, span{first / line, (first + size - 1) / line})
		}
		add(unsafe.Pointer(s), unsafe.Sizeof(*s))
		add(unsafe.Pointer(&s.sums[0]), unsafe.Sizeof(s.sums[0])*uintptr(len(s.sums)))
		add(unsafe.Pointer(&s.pairs[0]), unsafe.Sizeof(s.pairs[0])*uintptr(len(s.pairs)))
		add(unsafe.Pointer(&s.ints[0]), unsafe.Sizeof(s.ints[0])*uintptr(len(s.ints)))
		add(unsafe.Pointer(&s.floats[0]), unsafe.Sizeof(s.floats[0])*uintptr(len(s.floats)))
	}
	slices.SortFunc(spans, func(a, b span) int { return int(a.first) - int(b.first) })
	for i := range spans[1:] {
		assert.Less(t, spans[i].last, spans[i+1].first)
	}
	runtime.KeepAlive(shards)
}

func TestUpdatesDoNotAllocate(t *testing.T) {
	a := newAll()
	shard := a.set.NewRun().NewShard()
	defer shard.Close()
	assert.Zero(t, testing.AllocsPerRun(100, func() {
		a.counters[0].Add(shard, 1)
		a.memory.Add(shard, 1)
		a.ints[0].Add(shard, 1)
		a.floats[0].Add(shard, 1)
		a.percentages[0].Count(shard, true)
		a.ratio.Add(shard, 1, 1)
		func() { defer a.timer.Since(shard, time.Now()) }()
	}))
}
