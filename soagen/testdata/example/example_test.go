package smoke_test

import (
	"fmt"

	"example.com/smoke"
)

func Example() {
	p := smoke.NewParticleSoA(100)
	p.Append(smoke.Particle{Name: "puff", Vel: smoke.Vec3{Y: 2}, Drag: 0.5})
	p.Append(smoke.Particle{Name: "wisp", Vel: smoke.Vec3{Y: 4}, Drag: 0.25})
	p.Append(smoke.Particle{Name: "cloud"})

	smoke.Step(p, 1)
	p.RemoveSwap(2)
	for i, v := range p.All() {
		fmt.Println(i, v.Name, v.Pos.Y)
	}
	fmt.Println(p.Name(), p.PosY(), p.Len(), p.Cap())
	fmt.Println(p.DragPadded())
	// Output:
	// 0 puff 1
	// 1 wisp 3
	// [puff wisp] [1 3] 2 104
	// [0.5 0.25 1 1 1 1 1 1]
}
