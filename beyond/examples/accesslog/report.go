package accesslog

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"math/bits"
	"slices"
	"strings"
	"time"
)

// Service is a row of the table that entries are joined with: who serves a path.
type Service struct {
	Prefix string // of the paths
	Name   string
	Team   string
}

// Services is the table of our company. The first prefix that fits decides.
var Services = []Service{
	{"/api/orders", "orders", "checkout"},
	{"/api/carts", "carts", "checkout"},
	{"/api/users", "users", "accounts"},
	{"/api/search", "search", "discovery"},
	{"/static/", "static", "platform"},
	{"/health", "health", "platform"},
	{"/", "pages", "web"},
}

// Report is what the program writes.
type Report struct {
	Lines    int               `json:"lines"`
	Services map[string]*Usage `json:"services"`
	Statuses map[string]int    `json:"statuses"` // by class, such as "2xx"
	Minutes  map[string]int    `json:"minutes"`  // requests by minute, in UTC
	Clients  []Client          `json:"clients"`  // the ten with the most requests
}

// Usage is what one service served.
type Usage struct {
	Team     string        `json:"team"`
	Requests int           `json:"requests"`
	Errors   int           `json:"errors"` // of the server, 5xx
	Bytes    int64         `json:"bytes"`
	Slowest  time.Duration `json:"slowest_ns"`
	Latency  [32]int       `json:"latency"` // requests by the bits of their microseconds
}

// Client is an address with its requests.
type Client struct {
	Address  string `json:"address"`
	Requests int    `json:"requests"`
}

// Analyze reads a log to its end. An error names the line.
func Analyze(r io.Reader, services []Service) (*Report, error) {
	report := &Report{Services: map[string]*Usage{}, Statuses: map[string]int{}, Minutes: map[string]int{}}
	clients := map[string]int{}
	scanner := bufio.NewScanner(r)
	for scanner.Scan() {
		report.Lines++
		e, err := Parse(scanner.Text())
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", report.Lines, err)
		}
		report.add(e, services)
		clients[e.Client]++
	}
	report.Clients = Busiest(clients)
	return report, scanner.Err()
}

// add counts an entry.
func (r *Report) add(e *Entry, services []Service) {
	if s := ServiceOf(services, e.Path); s != nil {
		if r.Services[s.Name] == nil {
			r.Services[s.Name] = &Usage{Team: s.Team}
		}
		r.Services[s.Name].Add(e)
	}
	r.Statuses[fmt.Sprintf("%dxx", e.Status/100)]++
	r.Minutes[e.Time.UTC().Format("2006-01-02T15:04")]++
}

// ServiceOf returns the service of a path, or nil if there is none.
func ServiceOf(services []Service, path string) *Service {
	for i := range services {
		if strings.HasPrefix(path, services[i].Prefix) {
			return &services[i]
		}
	}
	return nil
}

// Add counts an entry of the service.
func (u *Usage) Add(e *Entry) {
	u.Requests++
	if e.Status >= 500 {
		u.Errors++
	}
	u.Bytes += e.Bytes
	u.Slowest = max(u.Slowest, e.Duration)
	u.Latency[min(bits.Len64(uint64(e.Duration.Microseconds())), len(u.Latency)-1)]++
}

// Busiest returns the ten clients with the most requests, and of equals the lower addresses.
func Busiest(clients map[string]int) []Client {
	all := make([]Client, 0, len(clients))
	for address, n := range clients {
		all = append(all, Client{address, n})
	}
	slices.SortFunc(all, func(a, b Client) int {
		return cmp.Or(cmp.Compare(b.Requests, a.Requests), strings.Compare(a.Address, b.Address))
	})
	return all[:min(10, len(all))]
}

// Write writes the report as JSON.
func (r *Report) Write(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(r)
}
