package step04

import "raysteps/beyond/examples/accesslog"

// TotalBytes adds up what was sent.
func TotalBytes(entries []*accesslog.Entry) (total int64) {
	for _, e := range entries {
		total += e.Bytes
	}
	return total
}
