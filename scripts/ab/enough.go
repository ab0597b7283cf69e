package main

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/dustin/go-humanize/english"

	"raysteps/scripts/internal/cli"
	"raysteps/scripts/internal/estimate"
)

// A narrow interval is believed of so many link orders, and so many are wanted, of -places a fourth.
const enoughOrders, wantedOrders = 20, 64

// enough reports whether a ratio needs no more link orders: its interval lies beside 1, or is as
// narrow as is wanted and leaves no doubt on which side of 1 it is. The others have its time then.
func (c *comparison) enough(ratio estimate.Estimate) bool {
	half, decided := c.wanted(ratio)
	narrow := ratio.FarEnd() <= c.within/100 || decided && ratio.HalfWidth() <= half
	return narrow && ratio.Orders >= enoughOrders
}

// wanted returns how narrow an interval is to be, and whether it is decided on which side of 1 it is.
// If that is known of the limit, too, thrice as wide does, or a twentieth of the difference. That is
// asked up to twenty times, and chance has as many opportunities.
func (c *comparison) wanted(ratio estimate.Estimate) (half float64, decided bool) {
	half, decided = c.within/100, ratio.Significant(20*len(c.rows))
	if decided && ratio.Excludes(1+c.over/100) {
		half = max(3*half, math.Abs(math.Log(ratio.Center))/20)
	}
	return half, decided
}

// needs says how long it takes until nine of ten rows have intervals that are narrow enough,
// if their link orders go on to scatter as they did; nothing if there is enough time.
func (c *comparison) needs() string {
	times := []float64{0} // as long as it took until now
	for _, r := range c.rows {
		if ratio := r.ratio("sec/op"); ratio.Orders >= estimate.MinOrders {
			half, _ := c.wanted(ratio)
			// Of a few link orders the interval is wider by Student's factor, too.
			wider := ratio.HalfWidth() / half / (1 + 1.5/float64(ratio.Orders-1))
			times = append(times, wider*wider)
		}
	}
	slices.Sort(times)
	need := time.Duration(times[len(times)*9/10] * float64(time.Since(c.started)))
	if need <= c.limit {
		return ""
	}
	return fmt.Sprintf("±%.3g %%, or a clear difference, in nine of ten rows takes %s", c.within, about(need))
}

// about says a time for the flag -time.
func about(need time.Duration) string {
	if need > 2*time.Hour {
		return "hours of -time"
	}
	return fmt.Sprint("about -time ", max(10*time.Second, need.Round(10*time.Second)))
}

// forecast says, once the first link order is linked, what the time is too short for, or else how
// long a narrow interval takes.
func (c *comparison) forecast(linking time.Duration) string {
	each := linking // of a link order at the least, with short slices before the others
	for _, r := range c.rows {
		each += r.took * time.Duration(len(r.group.Subjects)) * 9 / 8
	}
	takes := func(orders int) string { return about(time.Since(c.started) + time.Duration(orders)*each) }
	text := fmt.Sprintf("%s in %s; ", english.Plural(len(c.rows), "benchmark", ""), english.Plural(len(c.packages), "package", ""))
	orders := int(time.Until(c.m.End)/max(1, each)) + 1
	switch {
	case orders < estimate.MinOrders:
		return text + fmt.Sprintf("nothing will be known in %v, which is %s: %d take %s, or choose by -bench",
			c.limit, english.Plural(orders, "link order", ""), estimate.SignOrders, takes(estimate.SignOrders))
	case orders < estimate.SignOrders:
		return text + fmt.Sprintf("differences of less than a half will not be known in %v, which is %d link orders: %d take %s, or choose by -bench",
			c.limit, orders, estimate.SignOrders, takes(estimate.SignOrders))
	}
	return text + "±1 % often takes a hundred link orders, " + takes(100)
}

// wouldKnow says what makes an interval of a row that has none, such as "±3 % in 2m".
func (c *comparison) wouldKnow(r *row) string {
	olds, news := r.values(before, "sec/op"), r.values(after, "sec/op")
	n := min(len(olds), len(news))
	if c.m.OrderCount == 0 || n < 2 {
		return estimate.FormatRatio(r.ratio("sec/op")) // which says what that needs
	}
	low, high, sum := math.Inf(1), math.Inf(-1), 0.
	for i := range n {
		log := math.Log(news[i] / olds[i])
		low, high, sum = min(low, log), max(high, log), sum+log
	}
	const orders = 2 * estimate.MinOrders
	// The range of two or three values is about 1.1 or 1.7 deviations.
	half := 2.4 * (high - low) / (1.1 + 0.6*float64(n-2)) / math.Sqrt(orders)
	each := time.Since(c.linked) / time.Duration(c.m.OrderCount)
	need := time.Since(c.started) + each*time.Duration(orders-n)
	return fmt.Sprintf("±%.0f %% in %v", math.Ceil(100*math.Expm1(half)), max(10*time.Second, need.Round(10*time.Second)))
}

// say prints a line on standard error.
func (c *comparison) say(text string) {
	c.bar.Clear()
	fmt.Fprintln(c.env.Stderr, cli.Wrap("ab: "+text))
}
