package tested

func inner(x float32) float32 { return x * x }
