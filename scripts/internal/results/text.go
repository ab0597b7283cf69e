package results

import (
	"cmp"
	_ "embed"
	"fmt"
	"math"
	"strconv"
	"strings"
	"sync"

	"github.com/dustin/go-humanize"
	"golang.org/x/perf/benchunit"

	"raysteps/scripts/internal/estimate"
	"raysteps/scripts/internal/steps"
)

// title is that of a column.
func (c column) title() string {
	title, over := displayName(c.Unit), strings.ReplaceAll(displayName("over "+c.Base), "=", " ")
	if step, err := steps.Find(c.Base); err == nil {
		over = "over " + step.Title()
	}
	switch {
	case c.Form == "place":
		title = c.Form
	case c.Form == "speed":
		title = "speed " + over
	case c.Base != "" && c.Unit == "rays/s":
		title = over
	case c.Base != "":
		title += " " + over
	}
	if c.group == "" || strings.HasPrefix(title, "over ") {
		return strings.TrimSpace(c.group + " " + title)
	}
	return c.group + ", " + title
}

// text writes what a column says, or nothing of what is its own base. Rates have no interval:
// those of one evening are some percent apart, however narrow it is; only ratios repeat.
func (c Column) text(v estimate.Estimate) string {
	ratio, exact := c.Base != "", v.Lo == v.Hi
	switch {
	case ratio && exact && v.Orders == 0, c.Form == "place" && v.Place < 0.005:
		return ""
	case c.Form == "place":
		return fmt.Sprintf("%.0f %%", 100*v.Place)
	case ratio && (c.Form == "" || c.Form == "speed"):
		return estimate.FormatRatio(v)
	case ratio && !exact && !v.Excludes(1) && !math.IsInf(v.Hi, 0):
		return "~"
	case ratio:
		return short(v.Center)
	case strings.HasSuffix(c.Unit, "-%"):
		return fmt.Sprintf("%s (%.0f to %.0f)", format(v, c.Unit), v.Lo, v.Hi)
	case exact || strings.HasSuffix(c.Unit, "/s") || c.Unit == "sec/picture" || math.IsInf(v.Hi, 0):
		return format(v, c.Unit)
	}
	return fmt.Sprintf("%s ± %.1f%%", format(v, c.Unit), 100*v.HalfWidth())
}

// short writes a ratio with three digits.
func short(x float64) string {
	return strconv.FormatFloat(x, 'f', max(0, 2-int(math.Log10(max(1, x*1.0005)))), 64)
}

// format writes a figure without an interval.
func format(v estimate.Estimate, unit string) string {
	switch x := v.Center; {
	case strings.HasSuffix(unit, "-%"):
		return fmt.Sprintf("%.0f %%", x)
	case unit == "sec/picture":
		return fmt.Sprintf("%#.3g s", x)
	case v.Lo == v.Hi && counted(unit) && math.Abs(x-math.Round(x)) <= 1e-12*x:
		return humanize.Comma(int64(math.Round(x)))
	case x < 1000 && (counted(unit) || strings.Contains(unit, "cycle")):
		return strconv.FormatFloat(x, 'g', 4, 64) // and no thousandths
	case strings.Contains(unit, "sec"):
		return benchunit.Scale(x, benchunit.Decimal) + "s"
	}
	return benchunit.Scale(v.Center, benchunit.ClassOf(unit))
}

// words are what tables have for units, fields, bases, and values of fields.
//
//go:embed words.txt
var words string

// displayNames are the words, by what they stand for.
var displayNames = sync.OnceValue(func() map[string]string {
	names := map[string]string{}
	for line := range strings.Lines(words) {
		text, name, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " = ")
		names[text] = name
	}
	return names
})

// displayName returns what a table has for a text: a word, or the text itself.
func displayName(text string) string { return cmp.Or(displayNames()[text], text) }
