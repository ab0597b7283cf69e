package main

import (
	"reflect"
	"testing"

	"github.com/stretchr/testify/assert"
)

// Functions are found by their symbols, also methods and those that begin with
// inlined code.
func TestPlaces(t *testing.T) {
	for symbol, f := range map[string]any{"raysteps/scripts/internal/launch/launcher.run": run, "raysteps/scripts/internal/launch/launcher.collect": collect} {
		at := reflect.ValueOf(f).Pointer()
		assert.Equal(t, at, entries()[symbol], symbol)
		assert.Equal(t, []string{"even", "odd"}[at/32%2], places([]string{"nothing", symbol}))
	}
	assert.Contains(t, entries(), "raysteps/scripts/internal/launch/launcher.(*picture).slice")
	assert.Greater(t, len(entries()), 1000)
}
