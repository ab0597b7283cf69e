// Package launch links what is measured into programs in many link orders, starts
// them, and has their subjects take turns. It hands on what each slice says, and
// computes no statistic.
package launch

import (
	"math/rand/v2"
	"slices"
	"time"

	"raysteps/common/turns"
)

// Server serves slices: a process that [Start] starts, or what stands for one in a test.
// Its owner has to close it; one call may run at a time.
type Server interface {
	// Load loads a group of subjects, in terms of the program.
	Load(group any) ([]turns.Subject, error)
	// Take returns slices of the subjects that the request names, in its order.
	Take(turns.Request) ([]turns.Values, error)
	Close() error
}

// Group is what takes turns with each other in one launch.
type Group struct {
	Load any // what each server loads
	// Cycles is how many slices each subject has that count.
	Cycles int
	// Reload has everything loaded again after each third of the cycles, so that where
	// data lie is not the same in all of them.
	Reload bool
	// Workers is how many slices a subject with workers has at the most, since they take
	// long; 0 if it has one in every cycle.
	Workers int
	Slice   time.Duration // for subjects that can choose how long one takes
	// Until ends the group early, if one cycle at least has counted.
	Until time.Time
}

// Subject is one of a server.
type Subject struct {
	turns.Subject
	Server, number int // whose subject it is, and which of them
}

// Take lets the subjects of all servers take turns, one slice each in a cycle, in
// another random order each time. It returns what the slices say by cycle and subject,
// nil where a subject had none. The first cycle after loading warms caches and
// predictors and does not count. Subjects with few slices have them in the first cycles
// that count.
func (g *Group) Take(servers []Server) (all []Subject, cycles [][]turns.Values, err error) {
	if all, err = g.load(servers); err != nil || len(all) == 0 {
		return nil, nil, err
	}
	warm, number := true, rand.Uint64() // of the cycle, the next one of which has the next
	for len(cycles) < g.Cycles && (len(cycles) == 0 || g.Until.IsZero() || time.Now().Before(g.Until)) {
		order := slices.DeleteFunc(rand.Perm(len(all)), func(i int) bool {
			few := g.Workers > 0 && all[i].Config["workers"] != ""
			return few && (len(cycles) >= g.Workers || warm && g.Workers < g.Cycles)
		})
		values, err := g.cycle(servers, all, order, number)
		if err != nil {
			return nil, nil, err
		}
		number++
		if warm {
			warm = false
			continue
		}
		cycles = append(cycles, values)
		if warm = g.Reload && len(cycles) < g.Cycles && len(cycles)%((g.Cycles+2)/3) == 0; warm {
			if _, err := g.load(servers); err != nil {
				return nil, nil, err
			}
		}
	}
	return all, cycles, nil
}

// load has each server load its group and returns the subjects of all.
func (g *Group) load(servers []Server) (all []Subject, err error) {
	for i, server := range servers {
		subjects, err := server.Load(g.Load)
		if err != nil {
			return nil, err
		}
		for n, s := range subjects {
			all = append(all, Subject{s, i, n})
		}
	}
	return all, nil
}

// cycle takes slices in an order and returns them by subject. Slices that follow each
// other and are of one server are asked for in one request.
func (g *Group) cycle(servers []Server, all []Subject, order []int, number uint64) ([]turns.Values, error) {
	values := make([]turns.Values, len(all))
	for len(order) > 0 {
		server, n := all[order[0]].Server, 1
		for n < len(order) && all[order[n]].Server == server {
			n++
		}
		request := turns.Request{Cycle: number, Nanoseconds: g.Slice.Nanoseconds()}
		for _, i := range order[:n] {
			request.Subjects = append(request.Subjects, all[i].number)
		}
		taken, err := servers[server].Take(request)
		if err != nil {
			return nil, err
		}
		for k, i := range order[:n] {
			values[i] = taken[k]
		}
		order = order[n:]
	}
	return values, nil
}
