package main

import (
	"encoding/binary"
	"errors"
	"fmt"
	"unsafe"

	"golang.org/x/sys/unix"
)

// event is something that the system counts for a thread.
type event struct {
	name   string
	typ    uint32
	config uint64
}

// processorEvents are counted by the processor itself, in the order in which a
// turn reports them.
var processorEvents = []event{
	{"instructions", unix.PERF_TYPE_HARDWARE, unix.PERF_COUNT_HW_INSTRUCTIONS},
	{"cycles", unix.PERF_TYPE_HARDWARE, unix.PERF_COUNT_HW_CPU_CYCLES},
	{"branch misses", unix.PERF_TYPE_HARDWARE, unix.PERF_COUNT_HW_BRANCH_MISSES},
	{"cache misses", unix.PERF_TYPE_HARDWARE, unix.PERF_COUNT_HW_CACHE_MISSES},
}

// counters count events of the calling thread. A nil pointer counts nothing.
type counters struct {
	files []int // the first leads the group: all are started, stopped and read together
}

// openCounters starts to count. The caller must stay on its thread.
func openCounters(events []event) (*counters, error) {
	c := &counters{}
	leader := -1
	for _, e := range events {
		attr := unix.PerfEventAttr{
			Type: e.typ, Config: e.config, Size: uint32(unsafe.Sizeof(unix.PerfEventAttr{})),
			Read_format: unix.PERF_FORMAT_GROUP | unix.PERF_FORMAT_TOTAL_TIME_ENABLED | unix.PERF_FORMAT_TOTAL_TIME_RUNNING,
			Bits:        unix.PerfBitExcludeKernel | unix.PerfBitExcludeHv,
		}
		fd, err := unix.PerfEventOpen(&attr, 0, -1, leader, unix.PERF_FLAG_FD_CLOEXEC)
		if err != nil {
			c.close()
			return nil, fmt.Errorf("the system does not let a program read the processor's counter of %s: %w", e.name, err)
		}
		if leader < 0 {
			leader = fd
		}
		c.files = append(c.files, fd)
	}
	return c, nil
}

func (c *counters) close() {
	for _, fd := range c.files {
		unix.Close(fd)
	}
}

// reset sets all counters to zero.
func (c *counters) reset() error {
	if c == nil {
		return nil
	}
	return unix.IoctlSetInt(c.files[0], unix.PERF_EVENT_IOC_RESET, unix.PERF_IOC_FLAG_GROUP)
}

// read returns what was counted since the last reset. It fails if the processor
// had too few counters at some time, and counted for a part of it only.
func (c *counters) read() ([]uint64, error) {
	if c == nil {
		return nil, nil
	}
	// The number of events, the time for which they were wanted, the time for
	// which they were counted, and the counts (perf_event_open(2)).
	words := make([]uint64, 3+len(c.files))
	buffer := make([]byte, 8*len(words))
	if n, err := unix.Read(c.files[0], buffer); err != nil || n != len(buffer) {
		return nil, errors.Join(fmt.Errorf("reading the processor's counters: %d bytes of %d", n, len(buffer)), err)
	}
	for i := range words {
		words[i] = binary.NativeEndian.Uint64(buffer[8*i:])
	}
	if words[1] != words[2] {
		return nil, errors.New("another program uses the processor's counters; want them for this one alone")
	}
	return words[3:], nil
}
