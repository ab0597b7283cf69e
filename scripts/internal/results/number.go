package results

import (
	"fmt"
)

// NumberSpec is what a sentence shows of one benchmark.
type NumberSpec struct {
	Package string // as Spec has them
	Bench   string // with its keys: Render/scene=large
	Column         // whose form, if it has one, is place
}

// Number writes a figure or a ratio, without an interval; with the form place it is how many
// times as large the ratio is at the best place of the code as at the worst.
func (s *Set) Number(spec NumberSpec) (string, error) {
	v, there := s.Quantity(Package(spec.Package), spec.Bench, "", spec.Column)
	switch {
	case !there && spec.Base != "":
		return "", s.notMeasured(spec.Package, spec.Bench, "over", spec.Base, "in", spec.Unit)
	case !there:
		return "", s.notMeasured(spec.Package, spec.Bench, "in", spec.Unit)
	case spec.Form == "place":
		return short(1 + v.Place), nil
	case spec.Base != "":
		return short(v.Center), nil
	case spec.Unit == "sec/picture":
		return fmt.Sprintf("%.3g s", v.Center), nil
	}
	return Format(v.Center, spec.Unit), nil
}
