package step01

import "strings"

// RequestOf returns a struct by value: nothing is on the heap, and 64 bytes are copied.
func RequestOf(text string) (Request, bool) {
	method, rest, ok := strings.Cut(text, " ")
	target, version, ok2 := strings.Cut(rest, " ")
	if !ok || !ok2 {
		return Request{}, false
	}
	path, query, _ := strings.Cut(target, "?")
	return Request{method, path, query, version}, true
}

// CountQueriesByValue counts the requests with a query.
func CountQueriesByValue(requests []string) (n int) {
	for _, text := range requests {
		if r, ok := RequestOf(text); ok && r.Query != "" {
			n++
		}
	}
	return n
}
