package step05

import "raysteps/beyond/examples/accesslog"

// ErrorBytes adds up the bytes of answers that were errors of the server.
func ErrorBytes(entries []accesslog.Entry) (total int64) {
	for i := range entries {
		if entries[i].Status >= 500 {
			total += entries[i].Bytes
		}
	}
	return total
}
