package source_test

import (
	"fmt"
	"os"
	"path/filepath"

	"raysteps/scripts/internal/source"
)

// Two steps of one file each: a declaration as a chapter lists it, and the lesson between
// them.
func Example() {
	root, err := os.MkdirTemp("", "")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(root)
	for step, radius := range map[string]string{"step01": "float64", "step02": "float32"} {
		text := "// Package " + step + " has spheres of " + radius + ".\npackage " + step + "\n\n// Sphere is a ball.\ntype Sphere struct{ Radius " + radius + " }\n"
		os.Mkdir(filepath.Join(root, step), 0o777)
		os.WriteFile(filepath.Join(root, step, "sphere.go"), []byte(text), 0o666)
	}
	listing, err := source.Listing(root, "step01/sphere.go", true, "Sphere")
	fmt.Println(listing, err)
	lesson, err := source.Diff(root, "step01", "step02")
	fmt.Println(lesson.Synopsis, err)
	for _, f := range lesson.Files {
		fmt.Println(f.Name, f.Added, "added,", f.Removed, "removed, in lines:", f.Hunks)
	}
	// Output:
	// // Sphere is a ball.
	// type Sphere struct{ Radius float64 }
	//  <nil>
	// Package step02 has spheres of float32. <nil>
	// sphere.go 1 added, 1 removed, in lines: [{2 2 ===-+}]
}
