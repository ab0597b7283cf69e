package step01

import "strings"

// ReadRequest fills a struct of the caller, and reports whether the text is a request.
func (r *Request) ReadRequest(text string) bool {
	method, rest, ok := strings.Cut(text, " ")
	target, version, ok2 := strings.Cut(rest, " ")
	if !ok || !ok2 {
		return false
	}
	r.Method, r.Version = method, version
	r.Path, r.Query, _ = strings.Cut(target, "?")
	return true
}

// CountQueriesFilled counts the requests with a query. One struct does for all.
func CountQueriesFilled(requests []string) (n int) {
	var r Request
	for _, text := range requests {
		if r.ReadRequest(text) && r.Query != "" {
			n++
		}
	}
	return n
}
