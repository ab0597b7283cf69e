// Book shows the pages in a browser, from the files of the clone as they are: change one
// and load the page again. Besides the chapters there are the steps side by side,
// charts of the published measurements and of your own in results/local, and a race
// between steps on this machine.
//
// The server listens on the loopback address, which no other machine reaches. With
// -o it writes the same into a folder, for any host or to be opened as files; there
// the race is a replay at the published speeds.
//
// Examples:
//
//	go run ./scripts/book
//	go run ./scripts/book -port 0         # on a port that is free
//	go run ./scripts/book -o site         # as files
package main
