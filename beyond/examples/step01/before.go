package step01

import "strings"

// Request is what stands between the quotes of a line: GET /orders?page=2 HTTP/1.1.
type Request struct {
	Method, Path, Query, Version string
}

// ParseRequest returns nil if the text is no request. What it returns is on the heap.
func ParseRequest(text string) *Request {
	method, rest, ok := strings.Cut(text, " ")
	target, version, ok2 := strings.Cut(rest, " ")
	if !ok || !ok2 {
		return nil
	}
	path, query, _ := strings.Cut(target, "?")
	return &Request{method, path, query, version}
}

// CountQueries counts the requests with a query.
func CountQueries(requests []string) (n int) {
	for _, text := range requests {
		if r := ParseRequest(text); r != nil && r.Query != "" {
			n++
		}
	}
	return n
}
