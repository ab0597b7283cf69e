package main

import (
	"errors"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// The system counts these itself, on every machine. The task clock does not lead
// such a group: Linux 6.18 then counts no page faults in some of them.
var systemEvents = []event{
	{"page faults", unix.PERF_TYPE_SOFTWARE, unix.PERF_COUNT_SW_PAGE_FAULTS},
	{"minor page faults", unix.PERF_TYPE_SOFTWARE, unix.PERF_COUNT_SW_PAGE_FAULTS_MIN},
}

func TestCounters(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	c, err := openCounters(systemEvents)
	if errors.Is(err, unix.EACCES) || errors.Is(err, unix.EPERM) || errors.Is(err, unix.ENOSYS) {
		t.Skipf("this system lets no program count anything: %v", err)
	}
	require.NoError(t, err)
	defer c.close()

	// fault touches pages that the process has not had before.
	const pages = 256
	fault := func() {
		memory, err := unix.Mmap(-1, 0, pages*unix.Getpagesize(), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
		require.NoError(t, err)
		require.NoError(t, unix.Madvise(memory, unix.MADV_NOHUGEPAGE))
		for i := 0; i < len(memory); i += unix.Getpagesize() {
			memory[i] = 1
		}
		require.NoError(t, unix.Munmap(memory))
	}
	fault()
	before, err := c.read()
	require.NoError(t, err)
	require.Len(t, before, 2)
	for _, n := range before {
		assert.GreaterOrEqual(t, n, uint64(pages))
	}
	for range 8 {
		fault()
	}
	more, err := c.read()
	require.NoError(t, err)
	assert.GreaterOrEqual(t, more[0], before[0]+8*pages, "it goes on")

	require.NoError(t, c.reset())
	after, err := c.read()
	require.NoError(t, err)
	for _, n := range after {
		assert.Less(t, n, uint64(pages), "from zero")
	}
}

// With a machine's counters or without, there is one clear line or four counts.
func TestProcessorCounters(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	c, err := openCounters(processorEvents)
	if err != nil {
		assert.Regexp(t, `^the system does not let a program read the processor's counter of (instructions|cycles|branch misses|cache misses): [^\n]+$`, err.Error())
		return
	}
	defer c.close()
	require.NoError(t, c.reset())
	counts, err := c.read()
	if err != nil {
		assert.EqualError(t, err, "another program uses the processor's counters; want them for this one alone")
		return
	}
	assert.Len(t, counts, len(processorEvents))
	assert.Positive(t, counts[0])
}

// An event that no system has, as where the processor counts nothing.
func TestNoCounters(t *testing.T) {
	_, err := openCounters([]event{systemEvents[0], {"dreams", 1 << 30, 0}})
	require.Error(t, err)
	assert.Regexp(t, `^the system does not let a program read the processor's counter of (dreams|page faults): [^\n]+$`, err.Error())
}

// Without -counters, turns report none.
func TestNilCounters(t *testing.T) {
	var c *counters
	require.NoError(t, c.reset())
	counts, err := c.read()
	assert.NoError(t, err)
	assert.Empty(t, counts)
}
