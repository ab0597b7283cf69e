package page

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"raysteps/scripts/internal/results"
)

func call(t *testing.T, arguments string) *Call {
	c := ParseMarker("<!-- raysteps:test " + arguments + " -->")
	require.NotNil(t, c, arguments)
	return c
}

func TestNumber(t *testing.T) {
	for arguments, want := range map[string]results.NumberSpec{
		"of=1 scene=large":        {Package: "1", Bench: "Render/scene=large", Column: results.Column{Unit: "rays/s"}},
		"of=2 over=1 scene=large": {Package: "2", Bench: "Render/scene=large", Column: results.Column{Unit: "rays/s", Base: "1 Render/scene=large"}},
		"of=2 bench=A overbench=B scene=small over=1 unit=sec/op as=place": {
			Package: "2", Bench: "A/scene=small", Column: results.Column{Unit: "sec/op", Base: "1 B/scene=small", Form: "place"}},
	} {
		assert.Equal(t, want, Number(call(t, arguments)), arguments)
	}
}

func TestFigure(t *testing.T) {
	spec := Figure(call(t, `steps=3,tree x=step series=/scene y="rays/s over 1" ytitle=speed linear=yes`))
	assert.Equal(t, results.TableSpec{Query: results.Query{Bench: "Render", Packages: []string{"step03", "tree"}}, Rows: "step", Cols: "/scene",
		Columns: []results.Column{{Unit: "rays/s", Base: "1"}}}, spec.TableSpec)
	assert.True(t, spec.Linear)
}

func TestTable(t *testing.T) {
	spec := Table(call(t, `bench=A where=/n:1 builds=yes noise=yes rows=/n cols=step show="sec/op, sec/op over first as short"`))
	assert.Equal(t, results.TableSpec{Query: results.Query{Packages: []string{}, Bench: "A", Where: "/n:1", Builds: true, Noise: true}, Rows: "/n", Cols: "step",
		Columns: []results.Column{{Unit: "sec/op"}, {Unit: "sec/op", Base: "first", Form: "short"}}}, spec)
}
