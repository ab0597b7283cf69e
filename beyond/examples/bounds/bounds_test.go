package bounds

import (
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What a comment calls checked is what the compiler checks, and nothing else.
func TestChecked(t *testing.T) {
	source, err := os.ReadFile("bounds.go")
	require.NoError(t, err)
	var want, got []int
	for i, line := range strings.Split(string(source), "\n") {
		_, mark, _ := strings.Cut(line, " // checked")
		release, only := strings.CutPrefix(mark, " by Go ")
		if strings.Contains(line, " // checked") && (!only || strings.HasPrefix(runtime.Version(), "go"+strings.TrimSpace(release))) {
			want = append(want, i+1)
		}
	}
	require.NotEmpty(t, want)
	cmd := exec.Command("go", "build", "-gcflags=-d=ssa/check_bce", ".")
	cmd.Env = append(os.Environ(), "GOOS=linux", "GOARCH=amd64")
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	for _, m := range regexp.MustCompile(`bounds\.go:(\d+):\d+: Found`).FindAllStringSubmatch(string(out), -1) {
		line, _ := strconv.Atoi(m[1])
		got = append(got, line)
	}
	slices.Sort(got)
	assert.Equal(t, want, slices.Compact(got))
}

var table = func() (all []uint8) {
	for i := range 256 {
		all = append(all, uint8(i/16))
	}
	return all
}()

func numbers(n int) (all []int) {
	for i := range n {
		all = append(all, i*i%97)
	}
	return all
}

func TestSame(t *testing.T) {
	for n := range 20 {
		a, b := numbers(n), numbers(20)
		assert.Equal(t, Dot(a, b), DotCut(a, b))
		assert.Equal(t, Dot(a, b), DotMin(b, a))
		Reverse(b[:n])
		slices.Reverse(b[:n])
		assert.Equal(t, numbers(20), b)
		assert.Equal(t, Sum8(table[:n]), Sum8Cut(table[:n]))
	}
	assert.Equal(t, uint32(0x03020100), Word([]byte{0, 1, 2, 3, 4}))
	assert.Equal(t, Word(table[30:]), WordHinted(table[30:]))
	for c := range 256 {
		assert.Equal(t, Class(table, uint8(c)), ClassArray((*[256]uint8)(table), uint8(c)))
	}
	slots := numbers(1 << 10)
	assert.Equal(t, Slot(slots, 12345), SlotMasked((*[1 << 10]int)(slots), 12345))
}

var used int

// BenchmarkBounds: an operation is 4,096 numbers, or as many lookups.
func BenchmarkBounds(b *testing.B) {
	all, other, slots := numbers(4096), numbers(4096), numbers(1<<10)
	for _, tt := range []struct {
		name string
		run  func() int
	}{
		{"func=Dot/version=before", func() int { return Dot(all, other) }},
		{"func=Dot/version=after", func() int { return DotCut(all, other) }},
		{"func=Slot/version=before", func() (sum int) {
			for i := range uint(4096) {
				sum += Slot(slots, i*0x9e3779b9)
			}
			return sum
		}},
		{"func=Slot/version=after", func() (sum int) {
			for i := range uint(4096) {
				sum += SlotMasked((*[1 << 10]int)(slots), i*0x9e3779b9)
			}
			return sum
		}},
	} {
		b.Run(tt.name, func(b *testing.B) {
			for b.Loop() {
				used += tt.run()
			}
		})
	}
}
