package tool_test

import (
	"context"
	"fmt"

	"raysteps/scripts/internal/tool"
)

func ExampleOutput() {
	fmt.Println(tool.Output(context.Background(), "../../..", nil, "go", "list", "-m"))
	// Output: raysteps <nil>
}
