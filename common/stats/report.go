package stats

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// Report is what a run came to, as far as its shards were closed when the report
// was made. It prints as a table, and marshals as JSON.
//
// With the same updates the report is the same, however they were divided
// among shards. Only the mean of floating-point numbers may differ in its last
// digits, as their sum is rounded.
type Report struct {
	Categories []Category `json:"categories"` // by name

	// OpenShards is the number of shards that were not closed. What was counted
	// in them is not in the report, so that a report can be made while workers
	// run. Afterwards it should be 0.
	OpenShards int `json:"open_shards"`

	// LostUpdates is the number of updates that are not in the report because
	// the program is wrong: through a shard after its Close; or of a statistic
	// that is not of the run's set, or was declared after the run started.
	LostUpdates int64 `json:"lost_updates"`
}

// Category is the statistics whose titles begin alike.
type Category struct {
	Name       string      `json:"name"`
	Statistics []Statistic `json:"statistics"` // by name
}

// Statistic is a statistic of a category, with its value. The kind says which type
// the value has.
type Statistic struct {
	Name  string `json:"name"`
	Kind  Kind   `json:"kind"`
	Value Value  `json:"value"`
}

// Value is a Count, Bytes, Ints, Floats, Share, Quotient or Elapsed.
//
// They are sums of 64 bits, which wrap around as those of integers do. Counting
// once in a nanosecond, a worker gets there after 292 years.
type Value interface {
	// cells returns what a row of the table has to the right of the name.
	cells() (number, unit, note string)
}

// Count is the value of a counter.
type Count int64

// Bytes is the value of a memory counter.
type Bytes int64

// Ints is the value of an int distribution. If Count is 0, so are the others,
// which are null in JSON then.
type Ints struct {
	Count    int64
	Min, Max int64
	Mean     float64
}

// Floats is the value of a float distribution. If Count is 0, so are Min, Max
// and Mean, which are null in JSON then. The mean is not finite if the sum
// exceeded the largest float64; that is null in JSON as well.
type Floats struct {
	Count          int64
	Min, Max, Mean float64
	NotFinite      int64 // NaN and infinities, which are in none of the others
}

// Share is the value of a percentage.
type Share struct{ Part, Whole int64 }

// Percent returns the part in percent of the whole, or NaN if the whole is 0.
func (s Share) Percent() float64 {
	return 100 * Quotient{s.Part, s.Whole}.Ratio()
}

// Quotient is the value of a ratio.
type Quotient struct{ Numerator, Denominator int64 }

// Ratio returns the numerator divided by the denominator, or NaN if that is 0.
func (q Quotient) Ratio() float64 {
	if q.Denominator == 0 {
		return math.NaN()
	}
	return float64(q.Numerator) / float64(q.Denominator)
}

// Elapsed is the value of a timer: the time of all calls together, and their
// number.
type Elapsed struct {
	Time  time.Duration
	Calls int64
}

// Report returns the report. Workers may still run; what they counted is
// included once they closed their shards.
func (r *Run) Report() *Report {
	report := &Report{Categories: []Category{}}
	if r == nil {
		return report
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	report.OpenShards, report.LostUpdates = r.open, r.lost.Load()

	declared := slices.Clone(r.declared)
	slices.SortFunc(declared, func(a, b statistic) int {
		return cmp.Or(cmp.Compare(a.category, b.category), cmp.Compare(a.name, b.name))
	})
	for _, d := range declared {
		n := len(report.Categories)
		if n == 0 || report.Categories[n-1].Name != d.category {
			report.Categories = append(report.Categories, Category{Name: d.category})
			n++
		}
		category := &report.Categories[n-1]
		category.Statistics = append(category.Statistics, Statistic{d.name, d.kind, r.totals.of(d)})
	}
	return report
}

// Value returns the value of the statistic with a title, or nil if the report
// has none.
func (r *Report) Value(title string) Value {
	category, name, _ := strings.Cut(title, "/")
	for _, c := range r.Categories {
		for _, s := range c.Statistics {
			if c.Name == category && s.Name == name {
				return s.Value
			}
		}
	}
	return nil
}

func (v *values) of(d statistic) Value {
	switch i := d.index; d.kind {
	case KindCounter:
		return Count(v.sums[i])
	case KindMemory:
		return Bytes(v.sums[i])
	case KindIntDistribution:
		x := &v.ints[i]
		if x.n == 0 {
			return Ints{}
		}
		return Ints{x.n, x.min, x.max, x.mean()}
	case KindFloatDistribution:
		x := &v.floats[i]
		if x.n == 0 {
			return Floats{NotFinite: x.notFinite}
		}
		// Which of -0 and 0 came first would show; -0 + 0 is 0.
		return Floats{x.n, x.min + 0, x.max + 0, x.sum / float64(x.n), x.notFinite}
	case KindPercentage:
		return Share{v.pairs[i].a, v.pairs[i].b}
	case KindRatio:
		return Quotient{v.pairs[i].a, v.pairs[i].b}
	default:
		return Elapsed{time.Duration(v.pairs[i].a), v.pairs[i].b}
	}
}

// String returns the report as a table, a row for each statistic. Numbers are
// rounded; JSON has all digits.
func (r *Report) String() string {
	type row struct{ name, number, unit, note string }
	var rows []row
	var name, number, unit int
	for _, c := range r.Categories {
		rows = append(rows, row{name: c.Name})
		for _, s := range c.Statistics {
			x := row{name: "  " + s.Name}
			x.number, x.unit, x.note = s.Value.cells()
			rows = append(rows, x)
			name = max(name, utf8.RuneCountInString(x.name))
			number = max(number, len(x.number))
			unit = max(unit, utf8.RuneCountInString(x.unit))
		}
	}
	var b strings.Builder
	for _, x := range rows {
		line := fmt.Sprintf("%-*s  %*s %-*s  %s", name, x.name, number, x.number, unit, x.unit, x.note)
		fmt.Fprintln(&b, strings.TrimRight(line, " "))
	}
	if r.OpenShards > 0 {
		fmt.Fprintf(&b, "Not included: what is in %s.\n", plural(int64(r.OpenShards), "open shard"))
	}
	if r.LostUpdates > 0 {
		fmt.Fprintf(&b, "Not included: %s through closed shards or of statistics that are not of the run.\n", plural(r.LostUpdates, "update"))
	}
	return b.String()
}

const none = "-" // the number where there is none

func (c Count) cells() (number, unit, note string) { return group(int64(c)), "", "" }

func (n Bytes) cells() (number, unit, note string) {
	v := float64(n)
	units := []string{"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"}
	if math.Abs(v) < 1024 {
		return group(int64(n)), "B", ""
	}
	v /= 1024
	// What would be rounded to 1024 goes on to the next unit.
	for math.Abs(v) >= 1023.9995 && len(units) > 1 {
		v /= 1024
		units = units[1:]
	}
	return decimal(v), units[0], plural(int64(n), "byte")
}

func (d Ints) cells() (number, unit, note string) {
	if d.Count == 0 {
		return none, "", "no values"
	}
	return decimal(d.Mean), "mean", group(d.Min) + " to " + group(d.Max) + ", " + plural(d.Count, "value")
}

func (d Floats) cells() (number, unit, note string) {
	number, note = none, "no values"
	if d.Count > 0 {
		number, unit = digits(d.Mean), "mean"
		note = digits(d.Min) + " to " + digits(d.Max) + ", " + plural(d.Count, "value")
	}
	if d.NotFinite > 0 {
		note += ", " + group(d.NotFinite) + " not finite"
	}
	return number, unit, note
}

func (s Share) cells() (number, unit, note string) {
	if s.Whole != 0 {
		unit = "%"
	}
	return decimal(s.Percent()), unit, group(s.Part) + " of " + group(s.Whole)
}

func (q Quotient) cells() (number, unit, note string) {
	return decimal(q.Ratio()), "", group(q.Numerator) + " / " + group(q.Denominator)
}

func (e Elapsed) cells() (number, unit, note string) {
	v := float64(e.Time)
	units := []string{"ns", "µs", "ms", "s"}
	for math.Abs(v) >= 999.9995 && len(units) > 1 {
		v /= 1000
		units = units[1:]
	}
	return decimal(v), units[0], plural(e.Calls, "call")
}

// decimal formats a number with three places after the point.
func decimal(v float64) string {
	if math.IsNaN(v) {
		return none
	}
	whole, fraction, ok := strings.Cut(strconv.FormatFloat(v, 'f', 3, 64), ".")
	if !ok {
		return whole // infinite
	}
	return separate(whole) + "." + fraction
}

// digits formats a number of any size with six digits.
func digits(v float64) string { return strconv.FormatFloat(v, 'g', 6, 64) }

// group formats an integer with commas.
func group(n int64) string { return separate(strconv.FormatInt(n, 10)) }

// separate puts a comma before every third digit from the right.
func separate(digits string) string {
	sign := ""
	if strings.HasPrefix(digits, "-") {
		sign, digits = "-", digits[1:]
	}
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return sign + digits
}

func plural(n int64, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return group(n) + " " + noun
}

// orNull returns nil in place of a number that JSON does not have.
func orNull(v float64) *float64 {
	if math.Abs(v) <= math.MaxFloat64 {
		return &v
	}
	return nil
}

// MarshalJSON returns an object with count, min, max and mean.
func (d Ints) MarshalJSON() ([]byte, error) {
	x := struct {
		Count int64    `json:"count"`
		Min   *int64   `json:"min"`
		Max   *int64   `json:"max"`
		Mean  *float64 `json:"mean"`
	}{Count: d.Count}
	if d.Count != 0 {
		x.Min, x.Max, x.Mean = &d.Min, &d.Max, orNull(d.Mean)
	}
	return json.Marshal(x)
}

// MarshalJSON returns an object with count, min, max, mean and not_finite.
func (d Floats) MarshalJSON() ([]byte, error) {
	x := struct {
		Count     int64    `json:"count"`
		Min       *float64 `json:"min"`
		Max       *float64 `json:"max"`
		Mean      *float64 `json:"mean"`
		NotFinite int64    `json:"not_finite"`
	}{Count: d.Count, NotFinite: d.NotFinite}
	if d.Count != 0 {
		x.Min, x.Max, x.Mean = orNull(d.Min), orNull(d.Max), orNull(d.Mean)
	}
	return json.Marshal(x)
}

// MarshalJSON returns an object with part, whole and percent, which is null if
// the whole is 0.
func (s Share) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Part    int64    `json:"part"`
		Whole   int64    `json:"whole"`
		Percent *float64 `json:"percent"`
	}{s.Part, s.Whole, orNull(s.Percent())})
}

// MarshalJSON returns an object with numerator, denominator and ratio, which is
// null if the denominator is 0.
func (q Quotient) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Numerator   int64    `json:"numerator"`
		Denominator int64    `json:"denominator"`
		Ratio       *float64 `json:"ratio"`
	}{q.Numerator, q.Denominator, orNull(q.Ratio())})
}

// MarshalJSON returns an object with seconds and calls.
func (e Elapsed) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Seconds float64 `json:"seconds"`
		Calls   int64   `json:"calls"`
	}{e.Time.Seconds(), e.Calls})
}
