//go:build !purego

package experiments

// Each does n iterations, at least one, and returns what the last loaded; the numbers are those
// with which the slots begin. What is stored whole is loaded whole; what is stored in four parts
// is loaded so, or whole.

func whole8(n int, slots *[64][16]float32) (loaded [4]float32)
func whole24(n int, slots *[64][16]float32) (loaded [4]float32)
func whole48(n int, slots *[64][16]float32) (loaded [4]float32)
func whole96(n int, slots *[64][16]float32) (loaded [4]float32)
func whole144(n int, slots *[64][16]float32) (loaded [4]float32)
func whole192(n int, slots *[64][16]float32) (loaded [4]float32)

func each8(n int, slots *[64][16]float32) (loaded [4]float32)
func each24(n int, slots *[64][16]float32) (loaded [4]float32)
func each48(n int, slots *[64][16]float32) (loaded [4]float32)
func each96(n int, slots *[64][16]float32) (loaded [4]float32)
func each144(n int, slots *[64][16]float32) (loaded [4]float32)
func each192(n int, slots *[64][16]float32) (loaded [4]float32)

func parts8(n int, slots *[64][16]float32) (loaded [4]float32)
func parts24(n int, slots *[64][16]float32) (loaded [4]float32)
func parts48(n int, slots *[64][16]float32) (loaded [4]float32)
func parts96(n int, slots *[64][16]float32) (loaded [4]float32)
func parts144(n int, slots *[64][16]float32) (loaded [4]float32)
func parts192(n int, slots *[64][16]float32) (loaded [4]float32)
