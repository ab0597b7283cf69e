//go:build !linux

package main

import (
	"errors"
	"runtime"
)

type event struct{}

var processorEvents []event

// counters are read on Linux only.
type counters struct{}

func openCounters([]event) (*counters, error) {
	return nil, errors.New("the processor's counters are read on Linux only; this is " + runtime.GOOS)
}

func (c *counters) reset() error            { return nil }
func (c *counters) read() ([]uint64, error) { return nil, nil }
