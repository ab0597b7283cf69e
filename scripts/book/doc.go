// Book serves the pages at an address that it prints, from the files of the clone as they
// are: change one and load the page again. Besides the chapters there are the steps side by side,
// charts of the published measurements and of your own in results/local, and the steps
// themselves, compiled for WebAssembly: they race in the reader's tab, measure what they
// do there, and show what a pixel costs. A Go that knows SIMD for WebAssembly, as 1.27
// does, builds step 10 with it.
//
// The server listens on the loopback address, which no other machine reaches. With
// -o it writes the same into a folder, for any server of files. Opened as a file, it has
// all but the steps that run; from a server it can be read without a network after one
// visit, but for the source of files that were not opened.
//
// What a reader predicts and measures stays in the browser, unless the reader saves it
// as a file on the page of predictions. With -guesses a folder of such files, of a course
// say, becomes a page with a strip for each question: all guesses, and what came.
//
// Examples:
//
//	go run ./scripts/book
//	go run ./scripts/book -port 0         # on a port that is free
//	go run ./scripts/book -o site         # as files
//	go run ./scripts/book -guesses course -o course.html
package main
