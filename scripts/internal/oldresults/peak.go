package results

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"raysteps/scripts/internal/estimate"
)

const peakPackage = "raysteps/scripts/peak"

// PeakKey names the benchmark of what one core can do at most: an operation,
// such as fma, on operands of so many bits.
func PeakKey(op string, bits int) Key {
	return Key{peakPackage, fmt.Sprintf("Peak/op=%s/bits=%d", op, bits)}
}

// KernelKey names the benchmark of a kernel over n spheres.
func KernelKey(pkg, kernel string, n int) Key {
	return Key{pkg, fmt.Sprintf("Kernel/kernel=%s/n=%d", kernel, n)}
}

// Has reports whether a benchmark was measured.
func (s *Set) Has(key Key) bool { return len(s.values[key]) > 0 }

// NeedPeak returns an error if the set holds no peak at all. It always has
// that of plain Go, if it has any.
func (s *Set) NeedPeak() error {
	if !slices.ContainsFunc(s.keys, func(key Key) bool { return key.Package == peakPackage }) {
		return fmt.Errorf("results %q: no peak; go run ./scripts/bench -experiments measures it, and the kernels", s.Name)
	}
	return nil
}

// ErrNotMeasured is the error of a table of a kernel that the processor or the
// build lacks, so that others of its package were measured but not this one.
var ErrNotMeasured = errors.New("the kernel was not measured")

// neon is the kernel of steps 10 to 13 on arm64.
const neon = "neon"

var otherKernel = regexp.MustCompile(`^Kernel/kernel=(sse|avx2)/`)

// KernelHere returns the key of a kernel's benchmark, or of the NEON kernel's if
// that was measured in its place.
func (s *Set) KernelHere(key Key) Key {
	here := Key{key.Package, otherKernel.ReplaceAllString(key.Name, "Kernel/kernel="+neon+"/")}
	if !s.Has(key) && s.Has(here) {
		return here
	}
	return key
}

// Share returns a table of a kernel against a peak of the core: a row for each
// number of spheres, all that were measured if none are given, and one for the
// peak. Of a step that ran its NEON kernel in place of that one, it is that, and
// the peak of its 128 bits. The error may be [ErrNotMeasured].
func (s *Set) Share(pkg, kernel, op string, bits int, sizes []int) (Table, error) {
	if err := s.NeedPeak(); err != nil {
		return Table{}, err
	}
	var measured []int
	others := false
	prefix := "Kernel/kernel=" + kernel + "/n="
	for _, key := range s.keys {
		if key.Package != pkg || !strings.HasPrefix(key.Name, "Kernel/") {
			continue
		}
		others = true
		if n, ok := strings.CutPrefix(key.Name, prefix); ok {
			size, err := strconv.Atoi(n)
			if err != nil {
				return Table{}, fmt.Errorf("results %q: %s: n is %q; want a number of spheres", s.Name, key, n)
			}
			measured = append(measured, size)
		}
	}
	switch {
	case !others:
		return Table{}, s.notMeasured(pkg, "Kernel/...", "; go run ./scripts/bench -experiments measures it")
	case len(measured) == 0 && kernel != neon:
		return s.Share(pkg, neon, op, 128, sizes)
	case len(measured) == 0:
		return Table{}, ErrNotMeasured
	case len(sizes) == 0:
		sizes = measured
	}
	peak := PeakKey(op, bits)
	title := "time a ray"
	if kernel == neon {
		title += ", NEON"
	}
	t := s.newTable().right("spheres", title, "time a sphere", "flop/s", "share of the peak")
	for _, n := range sizes {
		key := KernelKey(pkg, kernel, n)
		t.text(strconv.Itoa(n)).value(key, "sec/op").value(key, "sec/sphere").value(key, "flop/s").ratio(key, peak, "flop/s", FormatShare).end()
	}
	t.text("the peak", "", "").value(peak, "flop/s").text("").end()
	return t.done(nil)
}

// FormatShare writes a ratio and its interval in percent, "79% (78 to 80)", or
// without an interval that rounds to nothing.
func FormatShare(v estimate.Estimate) string {
	center, lo, hi := math.Round(100*v.Center), math.Round(100*v.Lo), math.Round(100*v.Hi)
	switch {
	case math.IsInf(v.Hi, 0):
		return fmt.Sprintf("%.0f%% (± ∞)", center)
	case lo == center && hi == center:
		return fmt.Sprintf("%.0f%%", center)
	}
	return fmt.Sprintf("%.0f%% (%.0f to %.0f)", center, lo, hi)
}
