package outfile_test

import (
	"fmt"
	"os"
	"path/filepath"

	"raysteps/common/outfile"
)

// A command checks the name before its work and writes the file after it.
func ExampleWrite() {
	dir, err := os.MkdirTemp("", "outfile-")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	name := filepath.Join(dir, "picture.tga")
	fmt.Println(outfile.Check("picture", name))
	fmt.Println(outfile.Write("picture", name, []byte("a picture")))
	text, err := os.ReadFile(name)
	fmt.Printf("%s, %v\n", text, err)
	fmt.Println(outfile.Check("picture", filepath.Join("no", "such", "picture.tga")) != nil)
	// Output:
	// <nil>
	// <nil>
	// a picture, <nil>
	// true
}
