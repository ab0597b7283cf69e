package page_test

import (
	"fmt"

	"raysteps/scripts/internal/page"
)

func ExampleCalls() {
	text := "Step 4 takes <!-- raysteps:number of=4 scene=large unit=sec/picture -->60.8 s<!-- /raysteps -->.\n"
	for _, call := range page.Calls(text) {
		fmt.Println(call.Name, call.Get("of"), call.Get("unit"), call.Old)
	}
	// Output:
	// number 4 sec/picture 60.8 s
}
