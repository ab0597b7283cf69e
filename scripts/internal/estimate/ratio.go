package estimate

import (
	"fmt"
	"math"
)

// Ratio returns of/over, formed launch by launch: the launches of each are paired
// in the order that they stand in, within each link order.
func Ratio(of, over []Launch) Estimate {
	byOrder := map[int][]Launch{}
	for _, l := range over {
		byOrder[l.Order] = append(byOrder[l.Order], l)
	}
	var ratios []Launch
	for _, l := range of {
		if rest := byOrder[l.Order]; len(rest) > 0 {
			ratios = append(ratios, Launch{Order: l.Order, Log: l.Log - rest[0].Log})
			byOrder[l.Order] = rest[1:]
		}
	}
	return Of(ratios)
}

// digits are as many behind the point as an interval bears.
func digits(e Estimate) int {
	width := (e.Hi - e.Lo) / 2
	if !(width > 0) || math.IsInf(width, 1) {
		return 2
	}
	return max(0, min(3, int(math.Ceil(-math.Log10(width)))))
}

// String returns the quantity and its interval, "34 (30 to 37)".
func (e Estimate) String() string {
	d := digits(e)
	if math.IsInf(e.Hi, 1) {
		return fmt.Sprintf("%.2f", e.Center)
	}
	return fmt.Sprintf("%.*f (%.*f to %.*f)", d, e.Center, d, e.Lo, d, e.Hi)
}

// FormatRatio returns a ratio and its interval, "1.24 (1.23 to 1.25)", or
// "~ (0.99 to 1.01)" where the interval contains 1.
func FormatRatio(e Estimate) string {
	if math.IsInf(e.Hi, 1) || e.Excludes(1) {
		return e.String()
	}
	d := digits(e)
	return fmt.Sprintf("~ (%.*f to %.*f)", d, e.Lo, d, e.Hi)
}
