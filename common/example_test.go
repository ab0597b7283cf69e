package common_test

import (
	"fmt"

	"raysteps/common"
)

// Settings that come from a user are validated before a picture is allocated for them.
func ExampleSettings_Validate() {
	s := common.Quick()
	fmt.Println(s.Validate())
	s.Samples = 0
	fmt.Println(s.Validate())
	// Output:
	// <nil>
	// samples is 0; want 1 to 1048576
}
