package main

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"
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
		fmt.Fprintf(&b, "BenchmarkRow/by=%s/package=%s/repetition=%d/change=%g/row=%s 1 %.5g sec/op %d squarings %.3f planted-%% %.3f measured-%% %g called %g apart %g gate %.1f sec\n",
			way, p.name, repetition, r.class, strings.ReplaceAll(r.name, "/", ":"), o.old, r.more, r.planted(p.squaring), o.measured, o.called, o.apart, o.gate, took.Seconds())
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
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		o, names, values := outcome{}, map[string]string{}, map[string]float64{}
		fields := strings.Fields(lines.Text())
		if len(fields) < 2 || !strings.HasPrefix(fields[0], "BenchmarkRow/") {
			continue
		}
		for part := range strings.SplitSeq(fields[0], "/") {
			key, value, _ := strings.Cut(part, "=")
			names[key] = value
		}
		for i := 2; i+1 < len(fields); i += 2 {
			if values[fields[i+1]], err = strconv.ParseFloat(fields[i], 64); err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
		}
		o.way, o.pkg, o.row = names["by"], names["package"], names["row"]
		o.repetition, _ = strconv.Atoi(names["repetition"])
		o.class, _ = strconv.ParseFloat(names["change"], 64)
		o.planted, o.measured, o.called, o.apart, o.gate, o.took, o.old = values["planted-%"], values["measured-%"], values["called"], values["apart"], values["gate"], values["sec"], values["sec/op"]
		all = append(all, o)
	}
	return all, lines.Err()
}

// sumUp is written below.
func sumUp(name string, w io.Writer) error { return nil }

var _ = math.Sqrt
