//go:build !purego

package experiments

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
)

// branches are loops whose branch goes to one of two places behind so many loads.
var branches = []struct {
	branch string
	runs   map[int]func(order []uintptr) int
}{
	{"call", map[int]func(order []uintptr) int{1: calls1, 2: calls2, 3: calls3, 4: calls4, 6: calls6, 8: calls8}},
	{"jump", map[int]func(order []uintptr) int{1: jumps1, 2: jumps2, 3: jumps3, 4: jumps4, 6: jumps6, 8: jumps8}},
}

var depths = []int{1, 2, 3, 4, 6, 8}

// links lead from one address to the next, and at last to what a branch needs: chains of at
// most eight, one for each place.
var links [2][8]uintptr

// linked makes the links of a branch behind so many loads, and returns what is loaded first for
// each of the two places.
func linked(branch string, loads int) (first [2]uintptr) {
	ends := [2]uintptr{0, 1}
	if branch == "call" {
		ends[1], ends[0] = targets()
	}
	for place, end := range ends {
		first[place] = end
		for i := range loads - 1 {
			links[place][i] = first[place]
			first[place] = uintptr(unsafe.Pointer(&links[place][i]))
		}
	}
	return first
}

const branched = 1 << 18

// tosses are too many to learn: of 8,192 jumps a Zen 3 learns all. So a predictor is wrong
// about every second, whatever it does.
var tosses = sync.OnceValue(func() []int {
	rng, all := rand.New(rand.NewPCG(11, 12)), make([]int, branched)
	for i := range all {
		all[i] = rng.IntN(2)
	}
	return all
})

// orders returns what a loop goes through: the same place each time, or one by each toss.
func orders(branch string, loads int) (same, random []uintptr, ones int) {
	first := linked(branch, loads)
	same, random = make([]uintptr, branched), make([]uintptr, branched)
	for i, toss := range tosses() {
		same[i], random[i] = first[1], first[toss]
		ones += toss
	}
	return same, random, ones
}

// BenchmarkMisprediction reports what a misprediction costs: the difference of two orders,
// half of the branches of one of which are mispredicted, by these.
func BenchmarkMisprediction(b *testing.B) {
	for _, kind := range branches {
		for _, loads := range depths {
			b.Run(fmt.Sprintf("branch=%s/loads=%d", kind.branch, loads), func(b *testing.B) {
				need(b, true)
				same, random, _ := orders(kind.branch, loads)
				run := kind.runs[loads]
				const some = 1 << 14 // branches between two looks at the clock, the next ones each time
				part := func(order []uintptr, i int) []uintptr { return order[i*some%branched:][:some] }
				cycles := fastest(b, func(i int) { run(part(same, i)) }, func(i int) { run(part(random, i)) })
				b.ReportMetric((cycles[1]-cycles[0])/(some/2), "cycles/misprediction")
			})
		}
	}
}

// Each loop goes where the order leads.
func TestMisprediction(t *testing.T) {
	for _, kind := range branches {
		for _, loads := range depths {
			same, random, ones := orders(kind.branch, loads)
			assert.Equal(t, len(same), kind.runs[loads](same), "%s, %d loads", kind.branch, loads)
			assert.Equal(t, ones, kind.runs[loads](random), "%s, %d loads", kind.branch, loads)
		}
	}
}
