// Package accesslog is a small backend program, written as one writes it before anything is
// slow: it reads the lines of an access log, counts them by service, by status and by client,
// and writes a report as JSON.
//
// The packages beside it, step01 to step13, take one function of such a program each, as it was
// before a lesson of the book and as it is after it. Package tuned is this program after all
// lessons that gain something in it, with the same report.
//
//	go run ./beyond/examples/loganalyzer -generate 25000 > access.log
//	go run ./beyond/examples/loganalyzer access.log
package accesslog
