package step01

type Vec struct{ X, Y, Z float32 }

func (a Vec) Dot(b Vec) float32 {
	return float32(a.X*b.X) + float32(a.Y*b.Y) + float32(a.Z*b.Z)
}
