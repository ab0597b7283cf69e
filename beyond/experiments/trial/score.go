package main

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/perf/benchfmt"
)

// add writes outcomes to the end of the file.
func (t *trial) add(p *pair, outcomes []outcome, way string, repetition int, took time.Duration) error {
	var b strings.Builder
	for _, r := range p.rows {
		i := slices.IndexFunc(outcomes, func(o outcome) bool { return o.row == r.name })
		if i < 0 {
			return fmt.Errorf("%s says nothing of %s", way, r.name)
		}
		o := outcomes[i]
		fmt.Fprintf(&b, "BenchmarkRow/by=%s/package=%s/repetition=%d/change=%g/row=%s 1 %.5g sec/op %d squarings %.3f planted-%% %.3f measured-%% %g called %g apart %g gate %.3f half-%% %g same %.1f sec\n",
			way, p.name, repetition, r.class, strings.ReplaceAll(r.name, "/", ":"), o.old, r.more, r.planted(p.squaring), o.measured, o.called, o.apart, o.gate, o.half, o.same, took.Seconds())
	}
	f, err := os.OpenFile(t.out, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
	if err != nil {
		return err
	}
	_, err = f.WriteString(b.String())
	return cmp.Or(err, f.Close())
}

// read reads the file.
func read(name string) (all []outcome, err error) {
	lines := benchfmt.Files{Paths: []string{name}}
	for lines.Scan() {
		r, ok := lines.Result().(*benchfmt.Result)
		if !ok {
			continue
		}
		number := func(unit string) float64 { v, _ := r.Value(unit); return v }
		_, parts := r.Name.Parts()
		keys := map[string]string{}
		for _, part := range parts {
			key, value, _ := strings.Cut(string(part[1:]), "=")
			keys[key] = value
		}
		o := outcome{way: keys["by"], pkg: keys["package"], row: keys["row"], measured: number("measured-%"), called: number("called"), apart: number("apart"), gate: number("gate"), same: number("same")}
		o.repetition, _ = strconv.Atoi(keys["repetition"])
		o.class, err = strconv.ParseFloat(keys["change"], 64)
		if err != nil {
			return nil, fmt.Errorf("%s: cannot read %s; want what this command wrote", name, r.Name)
		}
		all = append(all, o)
	}
	return all, lines.Err()
}

// sumUp prints benchmark lines of the shares in the outcomes of a file: those of each way, and
// those of the intervals of ab. The intervals of shares are Wilson's, at 95 %.
func sumUp(name string, w io.Writer) error {
	all, err := read(name)
	if err != nil {
		return err
	}
	fmt.Fprintln(w, "pkg: raysteps/beyond/experiments/trial")
	for _, by := range []string{"after", "turns", "orders", "ab", "ab-intervals"} {
		sumUpWay(w, by, all)
	}
	for _, s := range subjects {
		sumUpIntervals(w, s.name, all)
	}
	return nil
}

// sumUpWay prints what share of the rows a way calls, by what was planted: with the right sign,
// or with any if nothing was; and what share it has off by more than a change of 2 %.
func sumUpWay(w io.Writer, by string, all []outcome) {
	way, intervals := strings.CutSuffix(by, "-intervals")
	var off []bool
	for _, class := range slices.Compact(slices.Clone(classes)) {
		var called, gated []bool
		for _, o := range all {
			if o.way != way || o.class != class {
				continue
			}
			says := o.called
			if intervals {
				says = o.apart
			}
			off = append(off, math.Abs(o.measured-o.class) > 2)
			called = append(called, says > 0 || class == 0 && says < 0)
			gated = append(gated, o.gate > 0)
		}
		if called == nil {
			continue
		}
		fmt.Fprintf(w, "BenchmarkTrial/by=%s/change=%g%% %d%s", by, class, len(called), share("called-%", called))
		if !intervals {
			fmt.Fprint(w, share("gate-%", gated))
		}
		fmt.Fprintln(w)
	}
	if off != nil && !intervals {
		fmt.Fprintf(w, "BenchmarkOff/by=%s %d%s\n", by, len(off), share("off-%", off))
	}
}

// sumUpIntervals prints what share of ab's intervals contains 1, of a package's rows in which
// nothing was planted and of the old version over itself.
func sumUpIntervals(w io.Writer, pkg string, all []outcome) {
	var contain []bool
	for _, o := range all {
		if o.way == "ab" && o.pkg == pkg {
			contain = append(contain, o.same == 0)
			if o.class == 0 {
				contain = append(contain, o.apart == 0)
			}
		}
	}
	if contain != nil {
		fmt.Fprintf(w, "BenchmarkSame/package=%s %d%s\n", pkg, len(contain), share("contain-%", contain))
	}
}

// share writes in how many of some cases something holds, with its interval.
func share(unit string, holds []bool) string {
	n, hits := len(holds), 0
	for _, hit := range holds {
		if hit {
			hits++
		}
	}
	lo, hi := wilson(hits, n)
	return fmt.Sprintf(" %.4g %s %.4g %[2]s-lo %.4[4]g %[2]s-hi", 100*float64(hits)/float64(n), unit, 100*lo, 100*hi)
}

// wilson returns the interval that holds the true share in 95 of 100 such samples.
func wilson(hits, n int) (lo, hi float64) {
	const z = 1.96
	share, size := float64(hits)/float64(n), float64(n)
	center := (share + z*z/(2*size)) / (1 + z*z/size)
	half := z / (1 + z*z/size) * math.Sqrt(share*(1-share)/size+z*z/(4*size*size))
	if lo, hi = center-half, center+half; hits == 0 {
		lo = 0 // and no rounding error
	}
	return lo, min(1, hi)
}
