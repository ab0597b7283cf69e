// Lab lists programs to make faster, and what you have reached.
//
//	start NAME   makes the folder lab/NAME with a package, its test and a README
//	             that says what to do, and asks for a prediction on a terminal
//	watch NAME   says each time that you save a file whether the pictures are right
//	             and what a ray executes; it measures the speed when the files rest
//	             for some seconds
//	check NAME   says the same once. The exit status is 0 if the lab is passed, 1 if
//	             it is not, and 2 if the command was called wrongly
//	hint NAME    gives one hint, and each time one more
//	diff NAME    shows the difference from yours to ours
//
// Where valgrind is installed, counts decide. What no count shows, such as waiting
// for memory or for another goroutine, is decided by time, which your package, the
// one that it started as and ours take in turns of milliseconds. What you have
// reached is kept in lab/progress.json.
//
// Examples:
//
//	go run ./scripts/lab                # the labs
//	go run ./scripts/lab start passes   # begin with one
//	go run ./scripts/lab watch passes
package main
