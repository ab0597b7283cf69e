package steps_test

import (
	"fmt"

	"raysteps/scripts/internal/steps"
)

func ExampleParse() {
	list, err := steps.Parse("3-4,tree")
	for _, step := range list {
		fmt.Printf("%s in %s: %s\n", step.Title(), step.Folder(), step.Label)
	}
	fmt.Println(err)
	_, err = steps.Parse("14")
	fmt.Println(err)
	// Output:
	// step 3 in step03: no interface in the loop
	// step 4 in step04: a slice of values
	// tree in beyond/tree: a tree of spheres
	// <nil>
	// unknown step "14"; want a number from 1 to 13, avx512, archsimd, wavefront or tree
}

func ExampleParseSliceName() {
	name, ok := steps.ParseSliceName("Render/step=12,as=plain/scene=large-2")
	fmt.Println(ok, name.Function, name.Step.Package(), name.Kernel(), name.Picture)
	fmt.Println(name)
	// Output:
	// true Render raysteps/step12 plain scene=large
	// Render/step=12,as=plain/scene=large-2
}
