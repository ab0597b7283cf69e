package main

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// ways of comparing two versions.
var ways = []struct {
	name    string
	compare func(context.Context, *trial, *pair) ([]outcome, error)
}{
	{"after", func(ctx context.Context, t *trial, p *pair) ([]outcome, error) { return t.benchstat(ctx, p, 1, 10, 1) }},
	{"turns", func(ctx context.Context, t *trial, p *pair) ([]outcome, error) { return t.benchstat(ctx, p, 1, 1, 10) }},
	{"orders", func(ctx context.Context, t *trial, p *pair) ([]outcome, error) { return t.benchstat(ctx, p, 10, 1, 1) }},
	{"ab", func(ctx context.Context, t *trial, p *pair) ([]outcome, error) { return t.runAB(ctx, p) }},
}

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
}

// benchstat builds each version in so many link orders, or the linker's one, and measures
// both in turns, count runs at a time, so many rounds in each order. The length of a run is such
// that all take the time of the trial.
func (t *trial) benchstat(ctx context.Context, p *pair, orders, count, rounds int) ([]outcome, error) {
	start := time.Now()
	var files [2][]string
	for order := range orders {
		for version := range files {
			n := order + 1
			if orders == 1 {
				n = 0 // the linker's own
			}
			file, err := p.link(ctx, version, n)
			if err != nil {
				return nil, err
			}
			files[version] = append(files[version], file)
		}
	}
	left := (t.time - time.Since(start)).Seconds() / float64(2*orders*count*rounds)
	benchtime := time.Duration(max(0.001, (left-p.round)/p.slope) * float64(time.Second)).Round(time.Microsecond)
	var texts [2]strings.Builder
	for order := range orders {
		for range rounds {
			for version := range files {
				text, err := benchmarks(ctx, p.dirs[version], files[version][order], p.bench, benchtime, count).Output()
				if err != nil {
					return nil, err
				}
				texts[version].Write(text)
			}
		}
	}
	var names [2]string
	for version := range names {
		names[version] = filepath.Join(t.folder, []string{"old", "new"}[version]+".txt")
		if err := os.WriteFile(names[version], []byte(texts[version].String()), 0o600); err != nil {
			return nil, err
		}
	}
	table, err := output(ctx, t.folder, t.stat, "-format", "csv", names[0], names[1])
	if err != nil {
		return nil, err
	}
	return readTable(table)
}

// readTable reads benchstat's table of times.
func readTable(text string) (all []outcome, err error) {
	times := false
	for line := range strings.Lines(text) {
		fields, err := csv.NewReader(strings.NewReader(line)).Read()
		switch {
		case err != nil || len(fields) < 6 || fields[0] == "geomean":
			continue
		case fields[0] == "":
			times = fields[1] == "sec/op"
			continue
		case !times:
			continue
		}
		old, err1 := strconv.ParseFloat(fields[1], 64)
		now, err2 := strconv.ParseFloat(fields[3], 64)
		if err1 != nil || err2 != nil {
			return nil, fmt.Errorf("cannot read benchstat's row %q; want figures of both versions", strings.TrimSpace(line))
		}
		o := outcome{row: fields[0], old: old, measured: 100 * (now/old - 1)}
		if fields[5] != "~" {
			o.called = sign(now > old, now < old)
		}
		o.apart, o.gate = o.called, sign(o.called > 0 && o.measured >= gate, false)
		all = append(all, o)
	}
	return all, nil
}

// gate is a limit in percent.
const gate = 2

// runAB compares by ab. Its lock is in the trial's folder: a quiet machine is the caller's to see to.
func (t *trial) runAB(ctx context.Context, p *pair) ([]outcome, error) {
	cmd := exec.CommandContext(ctx, t.ab, "-C", p.dirs[1], "-bench", p.bench, "-time", t.time.String(), "-json", "-fail-over", strconv.Itoa(gate))
	cmd.Env = append(os.Environ(), "TMPDIR="+t.folder)
	var said strings.Builder
	cmd.Stderr = &said
	text, err := cmd.Output()
	if cmd.ProcessState == nil || cmd.ProcessState.ExitCode() > 1 {
		return nil, fmt.Errorf("%w: %s", err, said.String())
	}
	return readVerdicts(string(text))
}

// readVerdicts reads those of ab.
func readVerdicts(text string) (all []outcome, err error) {
	var found struct {
		Rows []struct {
			Benchmark, Unit, Verdict string
			Old                      float64
			Ratio                    *struct{ Center, Lo, Hi float64 } // without an interval Lo and Hi are 0
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
		o.apart = sign(r.Ratio.Lo > 1, r.Ratio.Hi > 0 && r.Ratio.Hi < 1)
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
