package tuned

import (
	"fmt"
	"strings"
	"sync"

	"raysteps/beyond/examples/accesslog"
)

// Analyze makes the report of a log, on so many goroutines. Services have different names.
func Analyze(log string, services []accesslog.Service, workers int) (*accesslog.Report, error) {
	counts := make([]*counter, workers)
	var wg sync.WaitGroup
	for w := range workers {
		part := log[lineAt(log, w*len(log)/workers):lineAt(log, (w+1)*len(log)/workers)]
		wg.Go(func() { counts[w] = count(part, services) })
	}
	wg.Wait()
	all := newCounter(services)
	for _, c := range counts {
		if c == nil { // the rare case: say in which line
			return accesslog.Analyze(strings.NewReader(log), services)
		}
		all.add(c)
	}
	return all.report(services), nil
}

// lineAt returns where the first line begins at a place or behind it.
func lineAt(log string, at int) int {
	if at == 0 || at == len(log) {
		return at
	}
	_, rest, _ := strings.Cut(log[at-1:], "\n")
	return len(log) - len(rest)
}

// counter has what one goroutine counts.
type counter struct {
	lines    int
	usage    []accesslog.Usage // by service
	statuses [6]int            // by class
	minutes  map[string]int
	clients  map[string]int
}

func newCounter(services []accesslog.Service) *counter {
	return &counter{
		usage: make([]accesslog.Usage, len(services)), minutes: map[string]int{}, clients: map[string]int{},
	}
}

// count returns nil if there is a line that cannot be read.
func count(log string, services []accesslog.Service) *counter {
	var p parser
	c, minute, requests := newCounter(services), "", 0
	for log != "" {
		var line string
		line, log, _ = strings.Cut(log, "\n")
		if !p.parse(strings.TrimSuffix(line, "\r")) { // as a scanner does
			return nil
		}
		e := &p.entry
		c.lines++
		if i := serviceOf(services, e.Path); i >= 0 {
			c.usage[i].Add(e)
		}
		c.statuses[e.Status/100]++
		c.clients[e.Client]++
		if p.fresh {
			if m := e.Time.UTC().Format("2006-01-02T15:04"); m != minute {
				c.minutes[minute] += requests
				minute, requests = m, 0
			}
		}
		requests++
	}
	c.minutes[minute] += requests
	delete(c.minutes, "") // which is before the first
	return c
}

func serviceOf(services []accesslog.Service, path string) int {
	for i := range services {
		if strings.HasPrefix(path, services[i].Prefix) {
			return i
		}
	}
	return -1
}

// add adds what another goroutine counted.
func (c *counter) add(other *counter) {
	c.lines += other.lines
	for i := range c.usage {
		to, from := &c.usage[i], &other.usage[i]
		to.Requests += from.Requests
		to.Errors += from.Errors
		to.Bytes += from.Bytes
		to.Slowest = max(to.Slowest, from.Slowest)
		for k := range to.Latency {
			to.Latency[k] += from.Latency[k]
		}
	}
	for i := range c.statuses {
		c.statuses[i] += other.statuses[i]
	}
	for minute, n := range other.minutes {
		c.minutes[minute] += n
	}
	for client, n := range other.clients {
		c.clients[client] += n
	}
}

// report has only what there was.
func (c *counter) report(services []accesslog.Service) *accesslog.Report {
	r := &accesslog.Report{
		Lines: c.lines, Minutes: c.minutes,
		Services: map[string]*accesslog.Usage{}, Statuses: map[string]int{},
	}
	for i, s := range services {
		if c.usage[i].Requests > 0 {
			c.usage[i].Team = s.Team
			r.Services[s.Name] = &c.usage[i]
		}
	}
	for class, n := range c.statuses {
		if n > 0 {
			r.Statuses[fmt.Sprintf("%dxx", class)] = n
		}
	}
	r.Clients = accesslog.Busiest(c.clients)
	return r
}
