package measure

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestParse(t *testing.T) {
	text := `goos: linux
BenchmarkA-2         	     100	        12.5 ns/op	 2.00 MB/s	       3.5 apples	       8 B/op	       1 allocs/op
BenchmarkFalse 1 1 ns/op
BenchmarkB/x=1/y     	       7	       3 pears
BenchmarkC           	--- FAIL: BenchmarkC/bad
    a_test.go:12: no apples
    a_test.go:13: nor pears
--- FAIL: BenchmarkC
`
	assert.Equal(t, []Slice{
		{Name: "A-2", N: 100, Took: 0.25, Values: map[string]float64{"sec/op": 12.5e-9, "B/s": 2e6, "apples": 3.5, "B/op": 8, "allocs/op": 1}},
		{Name: "B/x=1/y", N: 7, Took: 0.25, Values: map[string]float64{"pears": 3}},
		{Name: "C/bad", Failure: "a_test.go:12: no apples"},
	}, parseSlices(text, 0.25))
}

// What others had of the time does not count.
func TestAccount(t *testing.T) {
	values := func() map[string]float64 {
		return map[string]float64{"sec/op": 2e-3, "B/s": 1e6, "B/op": 64, "rays/s": 3}
	}
	for _, tt := range []struct {
		name       string
		cpu        int
		took       float64 // of which 0.008 s were timed
		used, wait float64
		want       map[string]float64 // what changes, or is added
	}{
		{"alone", 1, 0.010, 0, 0, nil},
		{"a fifth", 1, 0.010, 0, 0.002, map[string]float64{"sec/op": 1.6e-3, "B/s": 1.25e6}},
		{"more than half", 1, 0.010, 0, 0.006, nil},
		{"both processors", 2, 0.010, 0.018, 0.001, map[string]float64{Processors: 2}},
		{"one of them", 2, 0.010, 0.010, 0.001, map[string]float64{Processors: 1}},
		{"nothing tells it", 2, 0.010, 0, 0, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := Slice{N: 4, Took: tt.took, Values: values()}
			r.account(tt.cpu, tt.used, tt.wait)
			want := values()
			for unit, value := range tt.want {
				want[unit] = value
			}
			require.Len(t, r.Values, len(want))
			for unit, value := range want {
				assert.InDelta(t, value, r.Values[unit], 1e-9*math.Abs(value), unit)
			}
		})
	}
}
