//go:build !purego

package step11

import "math"

// assembly is the implementation beside the one in plain Go.
var assembly = implementation{name: "sse", run: func(p *firstPass, r *Ray) { closestSSE(p, r, tMin, math.MaxFloat32) }}
