package testbinary_test

import (
	"context"
	"fmt"
	"os"

	"raysteps/scripts/internal/testbinary"
)

func ExampleFind() {
	overlay, err := os.MkdirTemp("", "overlay")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(overlay)
	packages, err := testbinary.Find(context.Background(), "../../..", overlay, os.Environ(), "./step04", "./step05")
	for _, p := range packages {
		fmt.Println(p.ImportPath, p.Functions)
	}
	fmt.Println(err)
	// Output:
	// raysteps/step04 [BenchmarkLayout BenchmarkLatency BenchmarkRender]
	// raysteps/step05 [BenchmarkColumns BenchmarkRender]
	// <nil>
}
