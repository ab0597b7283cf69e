package source_test

import (
	"fmt"
	"strings"

	"raysteps/scripts/internal/source"
)

func ExampleListing() {
	text, line, err := source.Listing("../../..", "step03/vec.go", false, "Vec3.Dot")
	fmt.Println(line > 1, err)
	fmt.Println(text)
	// Output:
	// true <nil>
	// func (a Vec3) Dot(b Vec3) float32 {
	// 	return float32(a.X*b.X) + float32(a.Y*b.Y) + float32(a.Z*b.Z)
	// }
}

func ExampleParseTarget() {
	target, err := source.ParseTarget("linux/arm64")
	fmt.Println(target, err)
	_, err = source.ParseTarget("arm64")
	want, _, _ := strings.Cut(err.Error(), ",")
	fmt.Println(want)
	// Output:
	// linux/arm64 <nil>
	// unknown target "arm64"; want one of linux/amd64
}
