package step11

// SumOfFour adds up every fourth duration, four times. It rounds otherwise than Sum does.
func SumOfFour(seconds []float64) float64 {
	var a, b, c, d float64
	for ; len(seconds) >= 4; seconds = seconds[4:] {
		a += seconds[0]
		b += seconds[1]
		c += seconds[2]
		d += seconds[3]
	}
	for _, s := range seconds {
		a += s
	}
	return a + b + c + d
}
