package stats

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/dustin/go-humanize"
	"github.com/dustin/go-humanize/english"
)

// Report is what a run came to, as far as its shards were closed when the report
// was made. It prints as a table. With the same updates it is the same, however
// they were divided among shards, but for the last digits of the mean of
// floating-point numbers, whose sum is rounded.
type Report struct {
	Statistics []Statistic // by category and name

	// OpenShards is the number of shards that were not closed, as those of workers
	// that still run. What was counted in them is not in the report.
	OpenShards int
}

// Statistic is a statistic with its value.
type Statistic struct {
	Category, Name string
	Value          Value
}

// Value is a Count, Bytes, Ints, Floats, Share, Quotient or Elapsed. Sums have
// 64 bits, and wrap around as integers do.
type Value any

// The values of a counter, a memory counter and distributions.
type (
	Count  int64
	Bytes  int64
	Ints   = Distribution[int64]
	Floats = Distribution[float64]
)

// Distribution is the value of a distribution. If Count is 0, then Min is the
// largest number and Max the smallest.
type Distribution[T int64 | float64] struct {
	Count         int64
	Min, Max, Sum T
}

// Mean returns the mean, or NaN if there are no values.
func (d *Distribution[T]) Mean() float64 { return float64(d.Sum) / float64(d.Count) }

func (d *Distribution[T]) add(v T) {
	d.Count++
	d.Sum += v
	if v < d.Min { // the function min takes longer, as it looks for NaN
		d.Min = v
	}
	if v > d.Max {
		d.Max = v
	}
}

func (d *Distribution[T]) merge(e *Distribution[T]) {
	d.Count += e.Count
	d.Sum += e.Sum
	d.Min = min(d.Min, e.Min)
	d.Max = max(d.Max, e.Max)
}

// The values of a percentage, a ratio and a timer.
type (
	Share    struct{ Part, Whole int64 }
	Quotient struct{ Numerator, Denominator int64 }
	Elapsed  struct {
		Time  time.Duration // of all calls together
		Calls int64
	}
)

// Report returns the report. Workers may still run; what they counted is
// included once they closed their shards.
func (r *Run) Report() *Report {
	r.mu.Lock()
	defer r.mu.Unlock()
	report := &Report{OpenShards: r.open}
	for _, d := range r.declared {
		report.Statistics = append(report.Statistics, Statistic{d.category, d.name, d.value(&r.totals)})
	}
	slices.SortFunc(report.Statistics, func(a, b Statistic) int {
		return cmp.Or(cmp.Compare(a.Category, b.Category), cmp.Compare(a.Name, b.Name))
	})
	return report
}

// Value returns the value of the statistic with a title, or nil if the report
// has none.
func (r *Report) Value(title string) Value {
	for _, s := range r.Statistics {
		if title == s.Category+"/"+s.Name {
			return s.Value
		}
	}
	return nil
}

// String returns the report as a table, a row for each statistic.
func (r *Report) String() string {
	var name, number, unit int // widths of columns
	for _, s := range r.Statistics {
		n, u, _ := cells(s.Value)
		name = max(name, utf8.RuneCountInString(s.Name))
		number, unit = max(number, len(n)), max(unit, utf8.RuneCountInString(u))
	}
	text, category := "", ""
	for _, s := range r.Statistics {
		if s.Category != category {
			category = s.Category
			text += category + "\n"
		}
		n, u, note := cells(s.Value)
		text += strings.TrimRight(fmt.Sprintf("  %-*s  %*s %-*s  %s", name, s.Name, number, n, unit, u, note), " ") + "\n"
	}
	if r.OpenShards > 0 {
		text += fmt.Sprintf("Not included: what is in %s.\n", plural(int64(r.OpenShards), "open shard"))
	}
	return text
}

// cells returns what a row of the table has to the right of the name.
func cells(v Value) (number, unit, note string) {
	switch v := v.(type) {
	case Count:
		number = humanize.Comma(int64(v))
	case Bytes:
		if -1024 < v && v < 1024 {
			return humanize.Comma(int64(v)), "B", ""
		}
		number, unit = scaled(float64(v)/1024, 1024, "KiB", "MiB", "GiB", "TiB", "PiB", "EiB")
		note = plural(int64(v), "byte")
	case Ints:
		if v.Count == 0 {
			return "-", "", "no values"
		}
		number, unit = decimal(v.Mean()), "mean"
		note = humanize.Comma(v.Min) + " to " + humanize.Comma(v.Max) + ", " + plural(v.Count, "value")
	case Floats: // of any size, so with six digits
		if v.Count == 0 {
			return "-", "", "no values"
		}
		number, unit = fmt.Sprintf("%.6g", v.Mean()), "mean"
		note = fmt.Sprintf("%.6g to %.6g, %s", v.Min, v.Max, plural(v.Count, "value"))
	case Share:
		if v.Whole != 0 {
			unit = "%"
		}
		number = decimal(100 * float64(v.Part) / float64(v.Whole))
		note = humanize.Comma(v.Part) + " of " + humanize.Comma(v.Whole)
	case Quotient:
		number = decimal(float64(v.Numerator) / float64(v.Denominator))
		note = humanize.Comma(v.Numerator) + " / " + humanize.Comma(v.Denominator)
	case Elapsed:
		number, unit = scaled(float64(v.Time), 1000, "ns", "µs", "ms", "s")
		note = plural(v.Calls, "call")
	}
	return number, unit, note
}

// scaled returns a number in the largest of its units, each of which is step times
// the one before, in which it is not less than 1.
func scaled(v, step float64, units ...string) (number, unit string) {
	// What would be rounded to a step goes on to the next unit.
	for math.Abs(v) >= step-0.0005 && len(units) > 1 {
		v /= step
		units = units[1:]
	}
	return decimal(v), units[0]
}

// decimal formats a number with three places after the point, and a part of nothing as a
// dash.
func decimal(v float64) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return "-"
	}
	return humanize.FormatFloat("#,###.###", v)
}

func plural(n int64, noun string) string {
	return humanize.Comma(n) + " " + english.PluralWord(int(n), noun, "")
}
