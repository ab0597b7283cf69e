package step12

// What the packages of beyond take from this step, who have the rest of their own.

type FirstPass = firstPass

func NewFirstPass(s *SphereSoA) *FirstPass { return newFirstPass(s) }

func (p *firstPass) Closest(r *Ray, tMin, tMax float32) (closest int, t float32) {
	return p.closest(r, tMin, tMax)
}

func (t *Tracer) World() *World { return t.world }

func (w *World) Hit(i int, r *Ray, distance float32) HitRecord { return w.hit(i, r, distance) }

func Seeds() RNG { return seeds }

func Sky(r *Ray) Vec3 { return sky(r) }

func FMA(x, y, z float32) float32 { return fma(x, y, z) }
