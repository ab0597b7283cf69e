package step04

import "raysteps/beyond/examples/accesslog"

// TotalBytesOf adds up what was sent.
func TotalBytesOf(entries []accesslog.Entry) (total int64) {
	for i := range entries {
		total += entries[i].Bytes
	}
	return total
}
