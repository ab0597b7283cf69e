// Package estimate turns what launches measured into a figure and an interval.
//
// The scripts measure how much faster one variant (a step, say) is than another
// on three levels. A slice runs a variant for some milliseconds; in a launch,
// a process of its own with data placed afresh, all variants take turns in
// slices; and a link order, a binary with its functions in a random order, is
// launched once or a few times. [Levels] makes of the slices of a launch one
// level a variant, without the drift that all variants share. [Of] makes of
// the launches an estimate with an interval.
//
// What the interval stands for: the link orders measured are a sample of all
// there are, and Center estimates the middle of all of them; the interval from
// Lo to Hi covers that middle in about 95 of 100 runs. Slices do not count in
// it. The slices of a launch share the launch's data placement and its link
// order, so more of them tell more about this launch and nothing about others:
// an interval computed from slices would shrink to nothing around a figure
// that the next link order contradicts. Independent of each other are the link
// orders alone, so each of them is one value here, however many launches it
// had, and the scatter of those values holds the noise of launches and slices
// as well. Kalibera and Jones (Rigorous benchmarking in reasonable time, ISMM
// 2013) explain this, and how to spend time on the level that varies most.
//
// The estimator is a trimmed mean: a fifth of the link orders at either end is
// left out, so that the worst tenth of the launches cannot lead it. Its
// interval is that of Tukey and McLaughlin (Less vulnerable confidence and
// significance procedures for location based on a single sample, Sankhya A 25,
// 1963): Student's t times the standard error from the winsorized variance.
// The intervals that follow were simulated as well, and rejected:
//
//   - A bootstrap that resamples link orders and the launches within them
//     (Efron and Tibshirani, An Introduction to the Bootstrap, 1993) counts the
//     noise of launches twice, since the scatter of the orders holds it
//     already. With three launches an order its 95 % interval covered in up to
//     99.9 of 100 runs and was 1.4 times as wide as need be. Davison and
//     Hinkley (Bootstrap Methods and Their Application, 1997, section 3.8)
//     derive that.
//   - A bootstrap of the link orders alone, with the percentiles expanded for
//     few orders (Hesterberg, What Teachers Should Know About the Bootstrap,
//     The American Statistician 69, 2015), covers in 94 to 97 of 100 and is
//     about as wide. Once a tenth of 16 launches is disturbed it is up to three
//     times as wide, because a resample may hold a disturbed launch more often
//     than the trimming takes away. It needs random numbers and far more time.
//     Without the expansion it covers in as few as 92 with 16 orders.
//   - The median of the orders with its order statistics covers, and is 10 to
//     20 % wider; twice as wide with 48 link orders that have two modes.
//   - Trimming a tenth gives intervals that are a tenth narrower in quiet, and
//     up to four times as wide when a tenth of 16 launches is disturbed.
//     Trimming a quarter covers in as few as 90 of 100 if the link orders have
//     two modes.
//
// The interval does not know of a disturbance that is not symmetric. If the
// machine slows one variant down by 10 % in a tenth of the launches, the
// estimate moves a little toward them, and the interval covers the undisturbed
// middle less often: with 16 orders in about 90 to 95 of 100 runs, with 48
// orders of two launches in 87 to 95. [Estimate.Disturbed] tells most such runs
// from others. Whatever disturbs all launches alike shows in no interval.
package estimate

import (
	"cmp"
	"math"
	"slices"

	"github.com/aclements/go-moremath/stats"
)

const (
	// confidence is the share of runs in which the interval is meant to cover
	// the middle of all link orders.
	confidence = 0.95

	// trim is the share of link orders left out at either end.
	trim = 0.2

	// apart is the widest gap between launches of one link order that is taken
	// for noise, in standard deviations of a launch. Of pairs with normal noise
	// one in thirty is wider.
	apart = 3

	// disturbed is the share of link orders with such a gap above which a run
	// is called disturbed.
	disturbed = 1. / 8

	// undecided is the relative half-width of an interval that says nothing.
	undecided = 0.05
)

// Launch is what one launch says of a quantity, such as the ratio of two
// variants.
type Launch struct {
	Order int     // which link order was launched
	Log   float64 // the quantity's natural logarithm; a difference of [Levels]
	Odd   *bool   // whether the code of the quantity begins at an odd place, or nil
}

// Estimate is what all launches say of a quantity. Its fields are not
// logarithms, and none of them is NaN.
type Estimate struct {
	// Center is the quantity in the middle of all link orders, and Lo to Hi
	// its 95 % interval: 0 to +Inf if fewer than two link orders take part.
	// Center is 0 if there is no launch.
	Center, Lo, Hi float64

	Orders, Launches int
	Place            float64 // odd places over even ones; 1 if not known

	// Within is the relative standard deviation of the launches of one link
	// order, and Between that of the link orders themselves, with the share
	// that is Within's taken off. Neither follows a few disturbed launches.
	// Both need link orders launched more than once, of which there are
	// Repeated: with fewer than two they cannot be told and are 0.
	Within, Between float64
	Repeated        int

	// Apart is the number of repeated link orders whose launches contradict
	// each other: a gap of more than three times Within lies between them. One
	// with two launches takes no part in Center, as nothing tells which of the
	// two is right; with more, the median decides.
	Apart int
}

// HalfWidth returns how far the interval reaches to either side of Center, as a
// share of it: 0.01 for 1 %. The interval is symmetric in logarithms; this is
// its upper side. It is +Inf for an unbounded interval.
func (e Estimate) HalfWidth() float64 { return math.Sqrt(e.Hi/e.Lo) - 1 }

// Undecided reports whether the interval reaches further than 5 % to either
// side, so that the estimate says nothing about differences of a few percent.
func (e Estimate) Undecided() bool { return e.HalfWidth() > undecided }

// Excludes reports whether the quantity lies outside of the interval. For a
// ratio, Excludes(1) says that there is a difference.
func (e Estimate) Excludes(quantity float64) bool { return quantity < e.Lo || quantity > e.Hi }

// Disturbed reports whether launches of the same link order contradict each
// other (see Apart) in more than an eighth of the repeated link orders. Link
// orders cannot explain that: something favored a variant for a part of the
// run, and what was measured is to be measured again.
//
// In simulation 2 of 100 undisturbed runs are called so, 4 if both cores are
// kept busy. If a variant is favored by 10 % in one stretch, a tenth of the run,
// 99 of 100 runs of 16 link orders with three launches are called so, and 96 of
// 48 link orders with two, if launches scatter by 0.7 or 1.2 % otherwise; of
// those whose launches scatter by 2.4 %, four in ten. Runs without repeated link
// orders never are: nothing tells a disturbed launch from an odd link order.
//
// Rejected: the correlation of launches that follow each other. It needs the
// time of each launch, and is blind to disturbances that last for one launch.
// With 16 link orders it found 77 of 100 runs whose launches scatter by 0.7 %,
// and 62 of those that scatter by 2.4 %, with as many false alarms.
func (e Estimate) Disturbed() bool { return float64(e.Apart) > disturbed*float64(e.Repeated) }

// Of returns the estimate of a quantity from the launches of a run, in any
// order. All link orders weigh the same: each counts with the mean of its
// launches if it has one or two, with their median if it has more. Launches
// whose quantity is not a finite number above 0 are left out.
func Of(launches []Launch) Estimate {
	orders := byOrder(launches)
	e := Estimate{Hi: math.Inf(1), Orders: len(orders)}
	for _, logs := range orders {
		e.Launches += len(logs)
	}
	if len(orders) == 0 {
		return e
	}

	var within, between float64
	within, between, e.Repeated, e.Apart = spread(orders)
	e.Within, e.Between = math.Expm1(within), math.Expm1(between)

	var centers []float64
	for _, logs := range orders {
		if len(logs) != 2 || !contradict(logs, within) {
			centers = append(centers, median(logs))
		}
	}
	if len(centers) == 0 {
		for _, logs := range orders {
			centers = append(centers, median(logs))
		}
	}
	center, half := trimmedMean(centers)
	e.Center = math.Exp(center)
	e.Lo, e.Hi = math.Exp(center-half), math.Exp(center+half)
	return e
}

// byOrder returns the logarithms of the launches of each link order, sorted, so
// that neither the order of the launches nor rounding shows in an estimate.
func byOrder(launches []Launch) [][]float64 {
	launches = slices.Clone(launches)
	launches = slices.DeleteFunc(launches, func(l Launch) bool {
		quantity := math.Exp(l.Log)
		return !(quantity > 0) || math.IsInf(quantity, 1)
	})
	slices.SortFunc(launches, func(a, b Launch) int {
		return cmp.Or(cmp.Compare(a.Order, b.Order), cmp.Compare(a.Log, b.Log))
	})
	var orders [][]float64
	for i, launch := range launches {
		if i == 0 || launch.Order != launches[i-1].Order {
			orders = append(orders, nil)
		}
		last := len(orders) - 1
		orders[last] = append(orders[last], launch.Log)
	}
	return orders
}

// spread returns the standard deviations of logarithms within link orders and
// between them, how many link orders were launched more than once, and how many
// of those contradict themselves.
//
// Within comes from the median distance of two launches of an order, which for
// normal noise is 0.954 standard deviations (a quarter of a normal distribution
// lies above 0.6745 deviations, and a difference has the square root of two of
// them); disturbed launches do not move it as they would a variance. Between
// comes from the variance of the means of those orders that do not contradict
// themselves. A link order that is far off in all of its launches therefore
// counts, and a launch that is far off from the others of its order does not.
func spread(orders [][]float64) (within, between float64, repeated, contradicting int) {
	var distances []float64
	for _, logs := range orders {
		if len(logs) > 1 {
			repeated++
		}
		for i, log := range logs {
			for _, lower := range logs[:i] {
				distances = append(distances, log-lower)
			}
		}
	}
	if repeated < 2 {
		return 0, 0, repeated, 0
	}
	within = median(distances) / (0.6745 * math.Sqrt2)

	var means []float64
	var noise float64 // the sum of the variances of these means
	for _, logs := range orders {
		switch {
		case len(logs) < 2:
		case contradict(logs, within):
			contradicting++
		default:
			means = append(means, stats.Mean(logs))
			noise += within * within / float64(len(logs))
		}
	}
	if len(means) >= 2 {
		between = math.Sqrt(max(0, stats.Variance(means)-noise/float64(len(means))))
	}
	return within, between, repeated, contradicting
}

// contradict reports whether a gap splits the sorted logarithms of a link
// order's launches that is too wide for noise of this standard deviation.
func contradict(logs []float64, within float64) bool {
	for i := 1; i < len(logs); i++ {
		if logs[i]-logs[i-1] > apart*within {
			return true
		}
	}
	return false
}

// trimmedMean returns the mean of the values that trimming leaves over, and the
// half-width of its interval, +Inf for a single value. It sorts the values.
func trimmedMean(values []float64) (mean, half float64) {
	n := len(values)
	middle := median(values) // taken off, so that equal values have no rounding errors
	if n < 2 {
		return middle, math.Inf(1)
	}
	cut := int(trim * float64(n))
	kept := values[cut : n-cut]
	lowest, highest := kept[0], kept[len(kept)-1]

	var sum, winsorized, squares float64
	for _, v := range kept {
		sum += v - middle
	}
	for _, v := range values {
		d := min(max(v, lowest), highest) - middle
		winsorized += d
		squares += d * d
	}
	squares = max(0, squares-winsorized*winsorized/float64(n))

	left := float64(len(kept))
	return middle + sum/left, student(len(kept)-1) * math.Sqrt(squares/(left*(left-1)))
}

// student returns the multiple of the standard error that the interval reaches
// to either side: the quantile of Student's t-distribution.
func student(freedom int) float64 {
	return stats.InvCDF(stats.TDist{V: float64(freedom)})((1 + confidence) / 2)
}
