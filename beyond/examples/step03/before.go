package step03

import (
	"time"

	"raysteps/beyond/examples/accesslog"
)

// Metric is something that is known of all entries.
type Metric interface {
	Add(e *accesslog.Entry)
}

// Measure adds all entries to all metrics.
func Measure(entries []accesslog.Entry, metrics []Metric) {
	for i := range entries {
		for _, m := range metrics {
			m.Add(&entries[i])
		}
	}
}

// Requests counts all entries.
type Requests struct{ N int }

// Add counts an entry.
func (r *Requests) Add(*accesslog.Entry) { r.N++ }

// Errors counts those of the server.
type Errors struct{ N int }

// Add counts an entry.
func (s *Errors) Add(e *accesslog.Entry) {
	if e.Status >= 500 {
		s.N++
	}
}

// Traffic adds up bytes.
type Traffic struct{ Bytes int64 }

// Add adds those of an entry.
func (t *Traffic) Add(e *accesslog.Entry) { t.Bytes += e.Bytes }

// Slowest is the longest duration.
type Slowest struct{ Duration time.Duration }

// Add looks at an entry.
func (s *Slowest) Add(e *accesslog.Entry) { s.Duration = max(s.Duration, e.Duration) }
