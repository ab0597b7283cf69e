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

// Server serves slices: a [Process], or what stands for one in a test.
type Server interface {
	Load(group any) ([]turns.Subject, error)
	Take(turns.Request) ([]turns.Values, error)
}

// Group is what takes turns with each other in one launch.
type Group struct {
	Loads []any // what each server loads
	// Cycles is how many slices each subject has that count.
	Cycles int
	// Reload has everything loaded again after each third of the cycles, so that where
	// data lie is not the same in all of them.
	Reload bool
	// Most says how many slices a subject has at the most, since they take long; nil if
	// each has one in every cycle.
	Most  func(turns.Subject) int
	Slice time.Duration // for subjects that can choose how long one takes
	// Until ends the group early, if one cycle at least has counted.
	Until time.Time
}

// Measured is what the slices of a launch say of a subject.
type Measured struct {
	turns.Subject
	Server int            // whose subject it is
	Slices []turns.Values // one a cycle, nil where there was none

	number int // among the server's subjects
}

// Take lets the subjects of all servers take turns, one slice each in a cycle, in
// another random order each time. The first cycle after loading warms caches and
// predictors and does not count. Subjects with few slices have them in the first cycles
// that count.
func (g *Group) Take(servers []Server) ([]Measured, error) {
	all, err := g.load(servers)
	if err != nil || len(all) == 0 {
		return nil, err
	}
	number := rand.Uint64() // of the cycle, the next one of which has the next
	for warm, cycle := true, 0; cycle < g.Cycles && (cycle == 0 || g.Until.IsZero() || time.Now().Before(g.Until)); {
		order := slices.DeleteFunc(rand.Perm(len(all)), func(i int) bool {
			if g.Most == nil {
				return false
			}
			most := g.Most(all[i].Subject)
			return cycle >= most || warm && most < g.Cycles
		})
		values, err := g.cycle(servers, all, order, number)
		if err != nil {
			return nil, err
		}
		number++
		if warm {
			warm = false
			continue
		}
		for i := range all {
			all[i].Slices = append(all[i].Slices, values[i])
		}
		cycle++
		if g.Reload && cycle < g.Cycles && cycle%((g.Cycles+2)/3) == 0 {
			if _, err := g.load(servers); err != nil {
				return nil, err
			}
			warm = true
		}
	}
	return all, nil
}

// load has each server load its group and returns the subjects of all.
func (g *Group) load(servers []Server) (all []Measured, err error) {
	for i, server := range servers {
		subjects, err := server.Load(g.Loads[i])
		if err != nil {
			return nil, err
		}
		for n, s := range subjects {
			all = append(all, Measured{Subject: s, Server: i, number: n})
		}
	}
	return all, nil
}

// cycle takes slices in an order and returns them by subject. Slices that follow each
// other and are of one server are asked for in one request.
func (g *Group) cycle(servers []Server, all []Measured, order []int, number uint64) ([]turns.Values, error) {
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
