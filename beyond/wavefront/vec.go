package wavefront

import (
	"math"

	"raysteps/beyond/tracing"
)

// Vec3 is a point, a direction or a color of three components, as in step 13.
type Vec3 = tracing.Vec3

func vec(x, y, z float32) Vec3 { return Vec3{X: x, Y: y, Z: z} }

func vec3(a [3]float32) Vec3 { return vec(a[0], a[1], a[2]) }

// sqrt is correctly rounded: the double rounding cannot be seen in 24 bits.
func sqrt(x float32) float32 { return float32(math.Sqrt(float64(x))) }

// fma returns x*y + z, rounded once.
func fma(x, y, z float32) float32 { return tracing.FMA(x, y, z) }
