package step06

import (
	"time"

	"raysteps/beyond/examples/accesslog"
)

// ParseTimes reads the times of lines.
func ParseTimes(texts []string) (all []time.Time, err error) {
	all = make([]time.Time, len(texts))
	for i, text := range texts {
		if all[i], err = time.Parse(accesslog.TimeLayout, text); err != nil {
			return nil, err
		}
	}
	return all, nil
}
