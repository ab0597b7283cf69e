package cachegrind_test

import (
	"context"
	"fmt"
	"os"

	"raysteps/scripts/internal/cachegrind"
)

// It runs where valgrind is installed.
func ExampleRun() {
	ctx := context.Background()
	if err := cachegrind.Works(ctx); err != nil {
		fmt.Println(err)
		return
	}
	_, sums, err := cachegrind.Run(ctx, "", os.Environ(), "counts.out", nil, "./program")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%.0f instructions, %.0f loads\n", sums["Ir"], sums["Dr"])
}
