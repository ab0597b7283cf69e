package scene_test

import (
	"fmt"

	"raysteps/common/scene"
)

// An error names the line, the column and the field, and says what would be right.
func ExampleRead() {
	s, err := scene.Read([]byte(`{
  "camera": {"from": [0, 0, 0], "at": [0, 0, -1]},
  "spheres": [{"center": [0, 0, -3], "radius": 1, "material": "metal", "albedo": [1, 1, 1]}]
}`), "mirror.json")
	fmt.Println(s.Name, len(s.Spheres), err)

	_, err = scene.Read([]byte(`{"camera": {"from": [0, 0, 0]}}`), "blind.json")
	fmt.Println(err)
	// Output:
	// mirror 1 <nil>
	// scene "blind.json": 1:12: camera: at is missing; want an array of three numbers from -1e12 to 1e12
}
