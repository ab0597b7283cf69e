package tested

type Sphere struct{ r float32 }

func (s *Sphere) Hit() bool { return s.r > 1 }
