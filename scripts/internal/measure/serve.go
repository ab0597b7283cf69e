package measure

// This file is the measured side of a measurement: it lets the benchmarks of a package run
// in slices, some milliseconds each, inside their test binary. The parent process decides
// whose turn it is. A request is a line of JSON on standard input. The reply, on standard
// output, is another, of what the testing package prints of each slice, and what that took.
// Nothing is computed here.
//
// Package testbinary puts the source, as a package of its own, beside the tests of packages that know
// nothing of this module. So it imports the standard library alone, uses nothing of the
// other files, and is in the language of Go 1.12: a module with an old go line is measured,
// too.

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	//lint:ignore SA1019 os.ReadFile is of Go 1.16
	"io/ioutil"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"
)

// Request is what a parent asks for: slices, or if it names none, which benchmarks there
// are. These run once, to find their sub-benchmarks.
type Request struct {
	Function string         `json:",omitempty"` // whose sub-benchmarks are looked for, such as BenchmarkHit
	Bench    string         `json:",omitempty"` // and which, as of go test -bench
	Slices   []SliceRequest `json:",omitempty"` // that are run, in this order
	Verbose  bool           `json:",omitempty"` // whether those that are looked for say that they are skipped
	// Cycle is the same for all slices that are compared with each other. A benchmark that
	// draws its work at random draws it from this number, which the environment variable
	// RAYSTEPS_CYCLE has.
	Cycle uint64
}

// SliceRequest asks for a slice of one benchmark.
type SliceRequest struct {
	Name string  // without "Benchmark"
	N    int     // iterations
	Work float64 `json:",omitempty"` // squarings that each does beside, where [Work] is called
}

// Output is what a run printed, and how many seconds it took.
type Output struct {
	Text   string
	Took   float64 // with what it does beside its iterations
	Used   float64 // of the processors, if it may use several; 0 where nothing tells it
	Waited float64 // while another program had the processor, if it may use one; 0 likewise
	Calls  int     `json:",omitempty"` // of [Work]
}

// mark begins a reply: a program may print other lines.
const mark = "\x02ran "

var registered []testing.InternalBenchmark

// Add adds a benchmark function of the package.
func Add(name string, f func(*testing.B)) {
	registered = append(registered, testing.InternalBenchmark{Name: name, F: f})
}

var out = os.Stdout

// Serve answers requests on standard input until it ends. What the program prints from now
// on goes to standard error; what a benchmark prints goes nowhere.
func Serve() error {
	os.Stdout = os.Stderr
	requests := json.NewDecoder(bufio.NewReader(os.Stdin))
	for {
		var r Request
		if err := requests.Decode(&r); err == io.EOF {
			return flag.Set("test.bench", "") // or the last slice would run again
		} else if err != nil {
			return fmt.Errorf("a request for slices: %v", err)
		}
		os.Setenv("RAYSTEPS_CYCLE", strconv.FormatUint(r.Cycle, 10))
		var all []Output
		if len(r.Slices) == 0 {
			verbose = r.Verbose
			all = append(all, run(r.Function, r.Bench, regexp.MatchString, 1))
			verbose = false
		}
		for _, s := range r.Slices {
			name := "Benchmark" + strings.TrimSuffix(s.Name, suffix())
			planted, calls = s.Work, 0
			all = append(all, run(strings.SplitN(name, "/", 2)[0], regexp.QuoteMeta(name), matchExact, s.N))
			all[len(all)-1].Calls = calls
		}
		text, err := json.Marshal(all)
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "%s%s\n", mark, text) // or the parent has gone
	}
}

// matchExact matches what has this name: comparing takes no time.
func matchExact(pattern, element string) (bool, error) {
	return pattern == regexp.QuoteMeta(element), nil
}

// suffix is what the name of a benchmark ends in.
func suffix() string {
	if n := runtime.GOMAXPROCS(0); n > 1 {
		return "-" + strconv.Itoa(n)
	}
	return ""
}

// What is planted: squarings of an iteration, and those that are not done yet.
var planted, owed float64

var (
	calls  int        // of Work
	square uint64 = 3 // or the compiler would leave the squarings out
)

// block is how many squarings are done at once. Each waits for the one before, but the first of
// them overlap with the benchmark.
const block = 1024

// Work does the work that is planted in a loop: none, unless the slice has some. It is for one goroutine.
func Work() {
	calls++
	if owed += planted; owed >= block {
		work()
	}
}

func work() {
	x := square
	for ; owed >= block; owed -= block {
		for i := 0; i < block; i++ {
			x *= x
		}
	}
	square = x | 1
}

// verbose is whether the testing package says what it skips. It prints the reason to standard output
// then, as benchmarks do what is theirs.
var verbose bool

var silent, _ = os.OpenFile(os.DevNull, os.O_WRONLY, 0)

// benchmarksOf returns a function that was added, as the testing package has it. That has its output by
// then, and so what a benchmark prints is not among its results.
func benchmarksOf(function string) (chosen []testing.InternalBenchmark) {
	for _, b := range registered {
		f := b.F
		if function == b.Name {
			chosen = append(chosen, testing.InternalBenchmark{Name: b.Name, F: func(b *testing.B) {
				if !verbose {
					os.Stdout = silent
				}
				f(b)
			}})
		}
	}
	return chosen
}

// run runs n iterations of the sub-benchmarks of a function that a pattern selects.
func run(function, pattern string, match func(pattern, element string) (bool, error), n int) (r Output) {
	set := map[string]string{"bench": pattern, "benchtime": fmt.Sprint(n, "x"), "benchmem": "true", "v": fmt.Sprint(verbose)}
	for name, value := range set {
		flag.Set("test."+name, value) // which every test binary has
	}
	// One processor is that of the thread, unless the goroutine goes to another meanwhile.
	thread, _ := os.Readlink("/proc/thread-self")
	threads, several := "/proc/"+thread, runtime.GOMAXPROCS(0) > 1
	if several {
		threads = "/proc/self/task/*"
	}
	// The testing package prints a name before it measures. That must not wake the parent,
	// who would take the processor.
	reader, writer, err := os.Pipe()
	if err != nil {
		panic(err)
	}
	printed := make(chan []byte)
	go func() {
		text, _ := ioutil.ReadAll(reader)
		reader.Close()
		printed <- text
	}()
	ran, waited := scheduled(threads)
	start, stdout := time.Now(), os.Stdout
	os.Stdout = writer
	testing.RunBenchmarks(match, benchmarksOf(function))
	os.Stdout = stdout
	r.Took = time.Since(start).Seconds()
	ranNow, waitedNow := scheduled(threads)
	if now, _ := os.Readlink("/proc/thread-self"); several {
		r.Used = ranNow - ran
	} else if now == thread {
		r.Waited = waitedNow - waited
	}
	writer.Close()
	r.Text = string(<-printed)
	return r
}

// scheduled returns for how many seconds threads ran, and for how many they could have run
// while other programs had the processors. Linux counts that, others do not.
func scheduled(threads string) (ran, waited float64) {
	files, _ := filepath.Glob(threads + "/schedstat")
	for _, file := range files {
		var r, w float64
		if text, err := ioutil.ReadFile(file); err == nil {
			fmt.Sscan(string(text), &r, &w)
		}
		ran, waited = ran+r/1e9, waited+w/1e9
	}
	return ran, waited
}
