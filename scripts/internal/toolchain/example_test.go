package toolchain_test

import (
	"fmt"

	"raysteps/scripts/internal/toolchain"
)

func ExampleOutput() {
	_, err := toolchain.Output("../../..", "go vet ./step01")
	fmt.Println(err)
	// Output:
	// command is "go vet ./step01"; want go build or go run, and a package, or go tool pprof and a profile
}
