package results

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Launches in which a neighbor had a processor do not count, unless most are such.
func TestLacking(t *testing.T) {
	for _, tt := range []struct {
		had   []float64 // processors of launches; the rate follows them
		taken bool
		want  float64
	}{
		{[]float64{2, 2, 2, 2, 1.98}, false, 100},
		{[]float64{2, 1.1, 2, 1.2, 2}, false, 100},
		{[]float64{1.1, 1.1, 1.1, 1.1, 1.1}, true, 55},
		{[]float64{1.1, 1.1, 2, 1.1, 2}, true, 69.8}, // all of them count, and the table says taken
	} {
		var text strings.Builder
		for i, had := range tt.had {
			rate := 100.0
			if had < 1.9 {
				rate = 55
			}
			fmt.Fprintf(&text, "pkg: raysteps/step13\nlink-order: %d\n\nBenchmarkRender/scene=large-2 3 %g processors %g rays/s\n\n", i+1, had, rate)
		}
		s := readText(t, text.String())
		b := s.benchmarks[0]
		assert.Equal(t, tt.taken, b.taken(), tt.had)
		v, ok := b.estimate("rays/s")
		require.True(t, ok)
		assert.InEpsilon(t, tt.want, v.Center, 0.01, tt.had)
		fig, err := s.Figure(FigureSpec{TableSpec: TableSpec{Rows: "step", Cols: "/scene", Columns: []Column{{Unit: "rays/s", Base: "13"}}}})
		assert.Equal(t, tt.taken, err != nil, "a chart has no point of what was taken")
		assert.Equal(t, tt.taken, len(fig.Series) == 0)
	}
}
