// Package smoke moves particles about.
package smoke

//go:generate soagen -type Particle -pad 8

// Vec3 is a point or a direction.
type Vec3 struct{ X, Y, Z float32 }

// Particle is a puff of smoke.
type Particle struct {
	Pos   Vec3    `soa:"split"`
	Vel   Vec3    `soa:"split,name=V"`
	Drag  float32 `soa:"pad=1"`
	Name  string
	Trail []Vec3 `soa:"-"` // for drawing one of them
}

// Step moves all particles on by dt seconds. It looks at nothing but the
// columns that it needs, and the compiler finds no bounds to check in the loop.
func Step(p *ParticleSoA, dt float32) {
	y, vy, drag := p.PosY(), p.VY(), p.Drag()
	vy, drag = vy[:len(y)], drag[:len(y)]
	for i := range y {
		vy[i] -= drag[i] * vy[i] * dt
		y[i] += vy[i] * dt
	}
}
