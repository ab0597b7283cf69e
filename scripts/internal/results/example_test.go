package results_test

import (
	"fmt"

	"raysteps/scripts/internal/results"
)

// A file has one line for each launch. A table has a row for each step, and columns of measured
// units, of derived ones, and of ratios.
func Example() {
	text := "cpu-clock: 2.00 GHz\n"
	for order := range 4 {
		text += fmt.Sprintf("link-order: %d\n", order+1)
		text += "pkg: raysteps/step03\nBenchmarkRender/scene=large 1 4e5 rays/s\n"
		text += "pkg: raysteps/step04\nBenchmarkRender/scene=large 1 5e5 rays/s\n"
	}
	lines, err := results.Parse([]byte(text), "made-up.txt")
	if err != nil {
		fmt.Println(err)
		return
	}
	set, err := results.NewSet(lines, "made-up.txt")
	if err != nil {
		fmt.Println(err)
		return
	}
	spec := results.Spec{Bench: "Render", Rows: "step,label"}
	for _, text := range []string{"rays/s", "cycles/ray", "rays/s over before"} {
		column, err := results.ParseColumn(text)
		if err != nil {
			fmt.Println(err)
		}
		spec.Columns = append(spec.Columns, column)
	}
	table, err := set.Table(spec)
	fmt.Print(table.Text(), err)
	// Output:
	// step  what changes              rays/s  cycles/ray  over the step before
	// 3     no interface in the loop  400.0k  5.000k
	// 4     a slice of values         500.0k  4.000k  1.25
	// <nil>
}
