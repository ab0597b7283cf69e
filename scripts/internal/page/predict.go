package page

import (
	"cmp"
	"fmt"
	"math"
	"strconv"
	"strings"

	"raysteps/scripts/internal/results"
	"raysteps/scripts/internal/steps"
)

// PredictKeys are those of a prediction beside of: the keys of a number, the question in
// other words, and our own answer.
var PredictKeys = []string{"bench", "scene", "unit", "over", "overbench", "as", "ask"}

// Prediction asks for a figure before a page shows it.
type Prediction struct {
	Question string
	Ours     string // written as the figure is, with its unit
	Number   results.NumberSpec
}

// Predict reads the directive of one. The question is one of a ratio of rates, in a scene,
// unless the directive has other words.
func Predict(c *Call) Prediction {
	p := Prediction{Question: c.Get("ask"), Ours: c.Get("ours"), Number: Number(c)}
	if p.Question == "" {
		if !c.Has("over") || !c.Has("scene") || c.Has("bench") || c.Has("unit") || c.Has("as") {
			c.Fail(fmt.Errorf("ask is missing; want the words of a question that is not of=STEP over=STEP scene=SCENE"))
		}
		p.Question = fmt.Sprintf("How many times as fast as %s is %s in the %s scene?", title(c.Get("over")), title(c.Get("of")), c.Get("scene"))
	}
	if x, _ := split(p.Ours); !(x > 0) {
		c.Fail(fmt.Errorf("ours is %q; want a number above 0, with the unit of the figure", p.Ours))
	}
	return p
}

func title(name string) string {
	if step, err := steps.Find(name); err == nil {
		return step.Title()
	}
	return name
}

// split takes a figure apart: its number, and the unit or scale behind it.
func split(figure string) (x float64, unit string) {
	i := strings.LastIndexAny(figure, "0123456789") + 1
	x, err := strconv.ParseFloat(strings.ReplaceAll(figure[:i], ",", ""), 64)
	if err != nil {
		return math.NaN(), figure
	}
	return x, strings.TrimSpace(figure[i:])
}

// Missed returns by how many times our answer is too large or too small, at least 1, and
// in percent of our answer how much the measured figure differs from it.
func (p Prediction) Missed(measured string) (times float64, text string, err error) {
	ours, unit := split(p.Ours)
	x, measuredUnit := split(measured)
	if unit != measuredUnit || !(x > 0) {
		return 0, "", fmt.Errorf("ours is %q, and %q was measured; want both in one unit", p.Ours, cmp.Or(measured, "nothing"))
	}
	text = fmt.Sprintf("%+.0f %%", 100*(x/ours-1))
	if text == "+0 %" || text == "-0 %" {
		text = "0 %"
	}
	return max(x/ours, ours/x), strings.Replace(text, "-", "−", 1), nil
}
