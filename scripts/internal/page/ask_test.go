package page

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"raysteps/scripts/internal/results"
)

func call(t *testing.T, text string) *Call {
	c := ParseMarker("<!-- raysteps:" + text + " -->")
	require.NotNil(t, c, text)
	return c
}

func TestNumber(t *testing.T) {
	for arguments, want := range map[string]results.NumberSpec{
		"of=1 scene=large":        {Package: "1", Bench: "Render/scene=large", Column: results.Column{Unit: "rays/s"}},
		"of=2 over=1 scene=large": {Package: "2", Bench: "Render/scene=large", Column: results.Column{Unit: "rays/s", Base: "1 Render/scene=large"}},
		"of=2 bench=A overbench=B scene=small over=1 unit=sec/op as=place": {
			Package: "2", Bench: "A/scene=small", Column: results.Column{Unit: "sec/op", Base: "1 B/scene=small", Form: "place"}},
	} {
		assert.Equal(t, want, Number(call(t, "number "+arguments)), arguments)
	}
}

func TestSpec(t *testing.T) {
	for arguments, want := range map[string]results.Spec{
		`bench=A pkg=a,b where=/n:1 builds=yes noise=yes rows=/n cols=step show="sec/op, sec/op over first as short"`: {
			Packages: []string{"a", "b"}, Bench: "A", Where: "/n:1", Builds: true, Noise: true, Rows: "/n", Cols: "step",
			Columns: []results.Column{{Unit: "sec/op"}, {Unit: "sec/op", Base: "first", Form: "short"}}},
		"steps=3,tree show=rays/s": {Packages: []string{"raysteps/step03", "raysteps/beyond/tree"}, Bench: "Render", Columns: []results.Column{{Unit: "rays/s"}}},
	} {
		assert.Equal(t, want, Spec(call(t, "table "+arguments)), arguments)
	}
}
