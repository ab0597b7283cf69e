package results_test

import (
	"fmt"
	"strings"

	"golang.org/x/perf/benchfmt"

	"raysteps/scripts/internal/results"
)

// What two link orders say of steps 3 and 4, as a table and as a number of a sentence.
func Example() {
	const measured = `cpu: Abacus 9
goversion: go1.26.8

link-order: 1
pkg: raysteps/step03
BenchmarkRender/scene=large 1 500000 rays/s
pkg: raysteps/step04
BenchmarkRender/scene=large 1 625000 rays/s

link-order: 2
pkg: raysteps/step03
BenchmarkRender/scene=large 1 520000 rays/s
pkg: raysteps/step04
BenchmarkRender/scene=large 1 663000 rays/s
`
	var lines []*benchfmt.Result
	reader := benchfmt.NewReader(strings.NewReader(measured), "abacus.txt")
	for reader.Scan() {
		if line, ok := reader.Result().(*benchfmt.Result); ok {
			lines = append(lines, line.Clone())
		}
	}
	set, err := results.Of(lines, "abacus.txt")
	if err != nil {
		fmt.Println(err)
		return
	}
	table, err := set.Table(results.TableSpec{
		Query:   results.Query{Bench: "Render", Where: "/scene:large"},
		Rows:    "step,label",
		Columns: []results.Column{{Unit: "rays/s"}, {Unit: "rays/s", Base: "3"}},
	})
	fmt.Println(table.Text(), err)
	number, err := set.Number(results.NumberSpec{Package: "4", Bench: "Render/scene=large",
		Column: results.Column{Unit: "rays/s", Base: "3 Render/scene=large"}})
	fmt.Println(number, err)
	// Output:
	// step  what changes          rays/s  over step 3
	// 3     no interface          509.9k
	// 4     spheres in one array  643.7k  1.26 (needs 4 orders)
	//  <nil>
	// 1.26 <nil>
}
