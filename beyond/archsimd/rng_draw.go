package archsimd

func (r *RNG) draw() { r.drawGeneric() }
