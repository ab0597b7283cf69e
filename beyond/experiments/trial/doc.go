// Trial asks which way of comparing two versions of a Go package calls the changes that are
// there, and calls none that is not.
//
// Eight packages in wide use are copied from the module cache. Each of ten benchmarks of a
// package gets extra work in its loop: 80 squarings, each of which waits for the one before.
// In the new version these are more by 0, ½, 1, 2 or 5 % of the benchmark's time, which, like a
// squaring's, is the median of eight runs in four link orders, some seconds before: four rows of
// ten by 0, three by 2, and one each by ½, 1 and 5. A seed draws which. The new version has a
// function more, too, which moves the code behind it, as most commits do. Counts of valgrind
// verify that each iteration does the squarings that it should.
//
// Four ways compare the same two versions, each in the same time, building included:
//
//	after    go test -count=10 of the old version, then of the new, and benchstat
//	turns    the same binaries, old and new in turns, ten times, and benchstat
//	orders   ten link orders of each (-ldflags=-randlayout=N), in turns, once each, and benchstat
//	ab       go run ./scripts/ab -json
//
// Benchmarks run on one processor. A row of benchstat is called if p is below 0.05, and one of
// ab by its verdict; in the lines ab-intervals, if its interval does not contain 1. A gate of 2 %
// fails for benchstat at +2 % or more with p below 0.05, for ab if -fail-over 2 does.
//
//	go run ./beyond/experiments/trial -o trial.txt           # hours; goes on where it was interrupted
//	go run ./beyond/experiments/trial -o trial.txt -by ab    # one way
//	go run ./beyond/experiments/trial -verify                # counts, minutes
//	go run ./beyond/experiments/trial -o trial.txt -sum      # benchmark lines of what was called
package main
