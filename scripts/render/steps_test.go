package main

import (
	"reflect"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"raysteps/common"
	"raysteps/common/film"
	"raysteps/common/scene"
	"raysteps/scripts/internal/steps"
)

// What the registry says of a step is what its tracer is and does.
func TestNewTracer(t *testing.T) {
	require.Len(t, constructors, len(steps.All())+1, "and instrumented, which is compared with none")
	for _, step := range steps.All() {
		t.Run(step.Name, func(t *testing.T) {
			tracer := newTracer(step, scene.Small())
			assert.Equal(t, step.Package(), reflect.TypeOf(tracer).Elem().PkgPath(), "the package of its tracer")
			_, kernel := tracer.(common.KernelTracer)
			assert.Equal(t, step.Kernel != "", kernel)
			rays := tracer.Render(film.New(4, 3), common.Settings{Samples: 1, Bounces: 50, Workers: 1})
			assert.GreaterOrEqual(t, rays, int64(4*3))
		})
	}
}
