package accesslog

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Entry is a request as a line of the log has it.
type Entry struct {
	Client   string // address
	Time     time.Time
	Method   string
	Path     string // with its query
	Status   int    // 100 to 599
	Bytes    int64  // of the answer
	Referer  string
	Agent    string
	Duration time.Duration
}

// TimeLayout is that of the time in a line.
const TimeLayout = "02/Jan/2006:15:04:05 -0700"

// Parse reads a line, which has no newline at its end, in the combined format of many web
// servers with the seconds that the request took behind it:
//
//	203.0.113.7 - - [28/Nov/2026:18:24:01 +0000] "GET /api/orders/17 HTTP/1.1" 200 5321 "-" "curl/8.5" 0.012
//
// An error says what is wrong in it.
func Parse(line string) (*Entry, error) {
	e := &Entry{}
	var when, request, status, size, seconds string
	rest := line
	for _, field := range []struct {
		to  *string
		end string // what ends it
	}{
		{&e.Client, " - - ["}, {&when, `] "`}, {&request, `" `}, {&status, " "}, {&size, ` "`},
		{&e.Referer, `" "`}, {&e.Agent, `" `},
	} {
		var ok bool
		if *field.to, rest, ok = strings.Cut(rest, field.end); !ok {
			return nil, fmt.Errorf("line %q has no %q; want the combined format", line, field.end)
		}
	}
	seconds = rest
	var err error
	if e.Time, err = time.Parse(TimeLayout, when); err != nil {
		return nil, err
	}
	words := strings.Fields(request)
	if len(words) != 3 {
		return nil, fmt.Errorf("request %q; want a method, a path and a version", request)
	}
	e.Method, e.Path = words[0], words[1]
	if e.Status, err = strconv.Atoi(status); err != nil || e.Status < 100 || e.Status > 599 {
		return nil, fmt.Errorf("status %q; want 100 to 599", status)
	}
	if e.Bytes, err = strconv.ParseInt(size, 10, 64); err != nil {
		return nil, fmt.Errorf("bytes %q; want a number", size)
	}
	f, err := strconv.ParseFloat(seconds, 64)
	if err != nil {
		return nil, fmt.Errorf("duration %q; want seconds", seconds)
	}
	e.Duration = time.Duration(f*1e6+0.5) * time.Microsecond
	return e, nil
}
