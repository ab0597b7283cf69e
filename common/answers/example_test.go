package answers_test

import (
	"fmt"

	"raysteps/common/answers"
)

// Steps that render the same bytes have one answer: step 2 that of step 1.
func ExampleOf() {
	first, _ := answers.Of("step01", "small quick")
	second, _ := answers.Of("step02", "small quick")
	fmt.Println(first.Rays, first == second)
	_, ok := answers.Of("step01", "huge quick")
	fmt.Println(ok)
	fmt.Printf("%q %q\n", answers.Kernel("step09"), answers.Kernel("step12"))
	// Output:
	// 36714 true
	// false
	// "" "avx2"
}
