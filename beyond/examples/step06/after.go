package step06

import (
	"time"

	"raysteps/beyond/examples/accesslog"
)

// ParseTimesOnce reads the times of lines, and calls the parser for what differs from the line
// before.
func ParseTimesOnce(texts []string) (all []time.Time, err error) {
	all = make([]time.Time, len(texts))
	var last string
	var t time.Time
	for i, text := range texts {
		if text != last || i == 0 {
			if t, err = time.Parse(accesslog.TimeLayout, text); err != nil {
				return nil, err
			}
			last = text
		}
		all[i] = t
	}
	return all, nil
}
