package tuned

import (
	"strconv"
	"strings"
	"time"

	"raysteps/beyond/examples/accesslog"
)

// parser reads lines into its entry.
type parser struct {
	entry accesslog.Entry
	when  string // the text of the entry's time
	fresh bool   // this text differs from that of the line before
}

// parse reports whether a line is one that accesslog.Parse reads.
func (p *parser) parse(line string) bool {
	e := &p.entry
	client, rest, ok := strings.Cut(line, " - - [")
	when, rest, ok2 := strings.Cut(rest, `] "`)
	request, rest, ok3 := strings.Cut(rest, `" `)
	status, rest, ok4 := strings.Cut(rest, " ")
	size, rest, ok5 := strings.Cut(rest, ` "`)
	referer, rest, ok6 := strings.Cut(rest, `" "`)
	agent, seconds, ok7 := strings.Cut(rest, `" `)
	if !ok || !ok2 || !ok3 || !ok4 || !ok5 || !ok6 || !ok7 {
		return false
	}
	e.Client, e.Referer, e.Agent = client, referer, agent
	var err, err2, err3 error
	e.Status, err = strconv.Atoi(status)
	e.Bytes, err2 = strconv.ParseInt(size, 10, 64)
	f, err3 := strconv.ParseFloat(seconds, 64)
	e.Duration = time.Duration(f*1e6+0.5) * time.Microsecond
	return err == nil && err2 == nil && err3 == nil && e.Status >= 100 && e.Status <= 599 &&
		p.words(request) && p.time(when)
}

// words splits a request in three. Nearly all have two spaces, and no other white space.
func (p *parser) words(request string) bool {
	method, rest, _ := strings.Cut(request, " ")
	path, version, _ := strings.Cut(rest, " ")
	for i := range len(request) {
		if c := request[i]; c < ' ' || c >= 0x80 { // the rare case
			return p.fields(request)
		}
	}
	if method == "" || path == "" || version == "" || strings.Contains(version, " ") {
		return p.fields(request)
	}
	p.entry.Method, p.entry.Path = method, path
	return true
}

func (p *parser) fields(request string) bool {
	words := strings.Fields(request)
	if len(words) != 3 {
		return false
	}
	p.entry.Method, p.entry.Path = words[0], words[1]
	return true
}

// time reads the time of a line, which mostly is that of the line before.
func (p *parser) time(when string) bool {
	if p.fresh = when != p.when; !p.fresh {
		return true
	}
	t, err := time.Parse(accesslog.TimeLayout, when)
	p.entry.Time, p.when = t, when
	return err == nil
}
