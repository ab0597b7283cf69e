package step05

import "raysteps/beyond/examples/accesslog"

// Columns are the entries of a log, field by field, as far as a dashboard needs them. All have
// one length.
type Columns struct {
	Status []int
	Bytes  []int64
}

// NewColumns copies these fields.
func NewColumns(entries []accesslog.Entry) (c Columns) {
	for i := range entries {
		c.Status = append(c.Status, entries[i].Status)
		c.Bytes = append(c.Bytes, entries[i].Bytes)
	}
	return c
}

// ErrorBytes adds up the bytes of answers that were errors of the server.
func (c *Columns) ErrorBytes() (total int64) {
	status, bytes := c.Status, c.Bytes
	bytes = bytes[:len(status)] // one check here, and none in the loop
	for i, s := range status {
		if s >= 500 {
			total += bytes[i]
		}
	}
	return total
}
