package main

import (
	"reflect"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"

	"raysteps/step01"
	"raysteps/step04"
)

func TestLoad(t *testing.T) {
	for name, want := range map[string]int{"scene=small": 5, "scene=large": 484, "scene=cloud=30": 30, "scene=sphereflake=2": 92} {
		sc, err := load(name)
		assert.NoError(t, err, name)
		assert.Len(t, sc.Spheres, want, name)
	}
	_, err := load("scene=dark")
	assert.ErrorContains(t, err, "dark")
}

// A method is where its code begins, and no wrapper around it.
func TestPlaces(t *testing.T) {
	hot := []any{(*step01.List).Hit, (*step01.Sphere).Hit, (*step04.World).Hit}
	want := ""
	for i, symbol := range []string{"step01.(*List).Hit", "step01.(*Sphere).Hit", "step04.(*World).Hit"} {
		f := runtime.FuncForPC(reflect.ValueOf(hot[i]).Pointer())
		assert.Equal(t, "raysteps/"+symbol, f.Name())
		want += map[bool]string{true: " odd", false: " even"}[f.Entry()&32 != 0]
	}
	assert.Equal(t, want[1:], places(hot))
}
