package infile_test

import (
	"fmt"

	"raysteps/common/infile"
)

// An error says what was wrong with which file, of which kind, and what would be right.
func ExampleRead() {
	_, err := infile.Read("scene", ".", 1000)
	fmt.Println(err)
	_, err = infile.Read("scene", "example_test.go", 10)
	fmt.Println(err != nil)
	text, err := infile.Read("scene", "example_test.go", 1<<20)
	fmt.Printf("%.19s, %v\n", text, err)
	// Output:
	// scene ".": is a folder; want a plain file
	// true
	// package infile_test, <nil>
}
