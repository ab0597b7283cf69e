package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/perf/benchfmt"
	"golang.org/x/perf/benchmath"
)

// way is one of comparing two versions: by benchstat, of so many link orders, runs at a time and
// rounds in each order, or by ab if it has none.
type way struct {
	name                  string
	orders, count, rounds int
}

var ways = []way{{"after", 1, 10, 1}, {"turns", 1, 1, 10}, {"orders", 10, 1, 1}, {name: "ab"}}

// outcome is what a way says of a row: +1 for slower, -1 for faster, 0 if it calls nothing.
type outcome struct {
	way, pkg, row string
	repetition    int
	class         float64 // what was planted, in percent
	old           float64 // seconds of an iteration
	measured      float64 // change in percent
	called        float64
	apart         float64 // as the interval says, if it does not contain 0; for benchstat, as p does
	gate          float64 // 1 if a gate of 2 % fails
	half          float64 // half width of the interval in percent; 0 for benchstat
	same          float64 // by the interval of the old version over itself; likewise
}

// benchstat builds each version in the link orders of a way, or the linker's one, and measures both
// in turns. The length of a run is such that all take the time of the trial.
func (t *trial) benchstat(ctx context.Context, w way, p *pair) ([]outcome, error) {
	start := time.Now()
	var files [2][]string
	for order := range w.orders {
		for version := range files {
			n := order + 1
			if w.orders == 1 {
				n = 0 // the linker's own
			}
			file, err := p.link(ctx, version, n)
			if err != nil {
				return nil, err
			}
			files[version] = append(files[version], file)
		}
	}
	left := (t.time - time.Since(start)).Seconds() / float64(2*w.orders*w.count*w.rounds)
	seconds := max(0.001, (left-p.round)/p.slope)
	benchtime := time.Duration(seconds * float64(time.Second)).Round(time.Microsecond)
	var texts [2]strings.Builder
	for order := range w.orders {
		for range w.rounds {
			for version := range files {
				args := append(p.flags(benchtime), fmt.Sprint("-test.count=", w.count))
				text, err := output(ctx, p.dirs[version], files[version][order], args...)
				if err != nil {
					return nil, err
				}
				texts[version].WriteString(text)
			}
		}
	}
	return judge(texts[0].String(), texts[1].String()), nil
}

// judge compares what benchmarks of two versions printed, as benchstat does.
func judge(old, now string) (all []outcome) {
	var names []string
	var values [2]map[string][]float64
	for version, text := range []string{old, now} {
		values[version] = map[string][]float64{}
		for lines := benchfmt.NewReader(strings.NewReader(text), ""); lines.Scan(); {
			r, ok := lines.Result().(*benchfmt.Result)
			if !ok {
				continue
			}
			name := string(r.Name)
			if seconds, ok := r.Value("sec/op"); ok {
				values[version][name] = append(values[version][name], seconds)
				names = append(names, name)
			}
		}
	}
	slices.Sort(names)
	rule := benchmath.AssumeNothing
	for _, name := range slices.Compact(names) {
		var samples [2]*benchmath.Sample
		var medians [2]float64
		for version := range samples {
			samples[version] = benchmath.NewSample(values[version][name], &benchmath.DefaultThresholds)
			medians[version] = rule.Summary(samples[version], 0.95).Center
		}
		o := outcome{row: name, old: medians[0], measured: 100 * (medians[1]/medians[0] - 1)}
		if c := rule.Compare(samples[0], samples[1]); c.P < c.Alpha {
			o.called = sign(o.measured > 0, o.measured < 0)
		}
		o.apart, o.gate = o.called, sign(o.called > 0 && o.measured >= gate, false)
		all = append(all, o)
	}
	return all
}

// gate is a limit in percent.
const gate = 2

// runAB compares by ab. Its lock is in the trial's folder: a quiet machine is the caller's to see to.
func (t *trial) runAB(ctx context.Context, _ way, p *pair) ([]outcome, error) {
	cmd := exec.CommandContext(ctx, t.ab, "-C", p.dirs[1], "-bench", p.bench, "-time", t.time.String(), "-json", "-fail-over", strconv.Itoa(gate))
	cmd.Env = append(os.Environ(), "TMPDIR="+t.folder)
	var said strings.Builder
	cmd.Stderr = &said
	text, err := cmd.Output()
	if len(text) == 0 { // a gate that fails, or cannot tell, is no error here
		return nil, fmt.Errorf("%w: %s", err, said.String())
	}
	return readVerdicts(string(text))
}

// bounded is a ratio. Without an interval Lo and Hi are 0.
type bounded struct{ Center, Lo, Hi float64 }

// apart says on which side of 1 the interval is.
func (b *bounded) apart() float64 { return sign(b.Lo > 1, b.Hi > 0 && b.Hi < 1) }

// readVerdicts reads those of ab.
func readVerdicts(text string) (all []outcome, err error) {
	var found struct {
		Rows []struct {
			Benchmark, Unit, Verdict string
			Old                      float64
			Ratio, Noise             *bounded
		}
	}
	if err := json.Unmarshal([]byte(text), &found); err != nil {
		return nil, fmt.Errorf("cannot read what ab says: %w", err)
	}
	for _, r := range found.Rows {
		if r.Unit != "sec/op" || r.Ratio == nil {
			continue
		}
		o := outcome{row: r.Benchmark, old: r.Old, measured: 100 * (r.Ratio.Center - 1)}
		o.called = sign(strings.HasPrefix(r.Verdict, "slower"), strings.HasPrefix(r.Verdict, "faster"))
		o.apart, o.half, o.same = r.Ratio.apart(), 50*(r.Ratio.Hi-r.Ratio.Lo), r.Noise.apart()
		o.gate = sign(o.called > 0 && r.Ratio.Lo > 1+gate/100., false)
		all = append(all, o)
	}
	return all, nil
}

// sign is that of a change.
func sign(slower, faster bool) float64 {
	switch {
	case slower:
		return 1
	case faster:
		return -1
	}
	return 0
}
