// Package serve is the measured side of a measurement. It lets the benchmarks of a package
// run in slices, some milliseconds each, inside their test binary. The parent process
// decides whose turn it is, so that what is compared takes turns in one process or in
// several, and what slows the machine for a moment slows all alike.
//
// A request and its reply are a line of JSON each, on standard input and standard output.
// What a slice says goes to the parent as it is: no statistic is computed here.
//
// Package measure puts the source beside the tests of packages that know nothing of this
// module, by an overlay. So it imports the standard library alone, and is in the language of
// Go 1.12: a module with an old go line is measured, too.
package serve

import (
	"bufio"
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	//lint:ignore SA1019 io.ReadAll is of Go 1.16
	"io/ioutil"
	"math"
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
	Bench    string  `json:",omitempty"` // what is looked for, as of go test -bench
	Function string  `json:",omitempty"` // of which, such as BenchmarkHit; empty for all
	Slices   []Slice `json:",omitempty"` // that are run, in this order
	// Cycle is the same for all slices that are compared with each other. A benchmark that
	// draws its work at random draws it from this number, which the environment variable
	// RAYSTEPS_CYCLE has.
	Cycle uint64
	// Nanoseconds is how long a slice takes whose number of iterations is not known.
	Nanoseconds int64
}

// Slice is a run of one benchmark. Requests have the first two fields.
type Slice struct {
	Name    string             // without "Benchmark"
	N       int                // iterations; 0 in a request for as many as take the time
	Values  map[string]float64 `json:",omitempty"` // by unit
	Failure string             `json:",omitempty"` // why it failed, or empty
}

// Processors is the unit of how many processors the process had while it was timed.
const Processors = "processors"

// Reply answers a request.
type Reply struct {
	Slices []Slice `json:",omitempty"`
	Error  string  `json:",omitempty"` // after which the process ends
}

// Mark begins the line of a reply: a program may print others.
const Mark = "\x02slices "

var functions []testing.InternalBenchmark

// Add adds a benchmark function of the package.
func Add(name string, f func(*testing.B)) {
	functions = append(functions, testing.InternalBenchmark{Name: name, F: f})
}

// Serve answers requests on standard input until it ends. What the program prints from now
// on goes to standard error.
func Serve() error {
	out := os.Stdout
	os.Stdout = os.Stderr
	return serve(os.Stdin, out)
}

func serve(in io.Reader, out io.Writer) error {
	for requests := json.NewDecoder(bufio.NewReader(in)); ; {
		var request Request
		if err := requests.Decode(&request); err == io.EOF {
			return nil
		} else if err != nil {
			return fmt.Errorf("a request for slices: %v", err)
		}
		slices, err := answer(request)
		reply := Reply{Slices: slices}
		if err != nil {
			reply = Reply{Error: err.Error()}
		}
		text, failure := json.Marshal(reply)
		if failure != nil { // such as a rate that is no number
			return failure
		}
		line := bytes.Join([][]byte{[]byte(Mark), text, []byte("\n")}, nil)
		if _, failure := out.Write(line); err == nil && failure != nil {
			return failure
		}
		if err != nil {
			return err
		}
	}
}

func answer(r Request) (slices []Slice, err error) {
	os.Setenv("RAYSTEPS_CYCLE", strconv.FormatUint(r.Cycle, 10))
	if len(r.Slices) == 0 {
		results, err := run(r.Function, regexp.MatchString, r.Bench, 1)
		for _, found := range results {
			slices = append(slices, found.Slice)
		}
		return slices, err
	}
	for _, s := range r.Slices {
		s, err := take(s, time.Duration(r.Nanoseconds))
		if err != nil {
			return nil, err
		}
		slices = append(slices, s)
	}
	return slices, nil
}

// warm has the benchmarks that ran before.
var warm = map[string]bool{}

// take runs one benchmark. A benchmark that failed when it was found fails again.
func take(s Slice, slice time.Duration) (Slice, error) {
	name := "Benchmark" + strings.TrimSuffix(s.Name, suffix())
	// Comparing is enough, and takes no time.
	same := func(pattern, element string) (bool, error) { return pattern == regexp.QuoteMeta(element), nil }
	want, best, apart := slice.Seconds(), math.Inf(1), math.Inf(1)
	n, known := max(1, s.N), s.N > 0
	if known && !warm[s.Name] { // a short slice is enough
		n = max(1, n/8)
	}
	warm[s.Name] = true
	for try := 1; ; try++ {
		start := time.Now()
		thread, _ := os.Readlink("/proc/thread-self")
		before, used := waited(thread), processorTime()
		results, err := run(strings.SplitN(name, "/", 2)[0], same, regexp.QuoteMeta(name), n)
		if err != nil {
			return s, err
		}
		if len(results) != 1 {
			return s, fmt.Errorf("%s is not among the benchmarks of this process", s.Name)
		}
		r := results[0]
		if r.Failure != "" {
			return s, fmt.Errorf("%s: %s", s.Name, r.Failure)
		}
		// Iterations can seem slow, since they are the first or another program had the
		// processor: that must not make n too small, and neither must what a benchmark does apart
		// from its iterations. Nor may n grow without end if it does more than it counts.
		used, wait := processorTime()-used, waited(thread)-before
		if now, _ := os.Readlink("/proc/thread-self"); now != thread {
			wait = 0 // by another thread than ran
		}
		took := time.Since(start).Seconds()
		r.account(runtime.GOMAXPROCS(0), took, used, wait)
		best = math.Min(best, r.seconds)
		more := math.Max(want, took-apart) // than one iteration takes
		if n == 1 {
			apart, more = math.Min(apart, took), took
		}
		if known || try == 3 || took > 64*want {
			return r.Slice, nil
		}
		if float64(n)*best < want/2 && took < 10*want+apart && n < 1e8 {
			n, try = 1+int(math.Min(want/best, float64(n)*math.Max(2, 30*want/more))), 0
		}
	}
}

// account takes off what others had of the time, if one processor was enough, or else says
// how many processors the benchmark had: one beside what is timed.
func (r *result) account(cpu int, took, used, wait float64) {
	if timed := float64(r.N) * r.seconds; cpu > 1 {
		if used > 0 && timed > 0 {
			r.Values[Processors] = (used - (took - timed)) / timed
		}
		return
	}
	// How much of the wait was in what is timed is not known: if it was long, nothing is
	// corrected, and the slice is slow.
	if own := 1 - wait/took; own > 0.5 {
		for unit, factor := range map[string]float64{"sec/op": own, "B/s": 1 / own} {
			if value, ok := r.Values[unit]; ok {
				r.Values[unit] = value * factor
			}
		}
	}
}

// waited returns for how many seconds a thread could have run, but other programs had the
// processors. Linux counts that, others do not.
func waited(thread string) (seconds float64) {
	if text, err := ioutil.ReadFile("/proc/" + thread + "/schedstat"); err == nil {
		fmt.Sscan(string(text), new(float64), &seconds)
	}
	return seconds / 1e9
}

// processorTime returns for how many seconds the threads of the process ran, where several
// may, or 0 where nothing tells it.
func processorTime() (seconds float64) {
	if runtime.GOMAXPROCS(0) == 1 {
		return 0
	}
	files, _ := filepath.Glob("/proc/self/task/*/schedstat")
	for _, file := range files {
		var ran float64
		if text, err := ioutil.ReadFile(file); err == nil {
			fmt.Sscan(string(text), &ran)
		}
		seconds += ran / 1e9
	}
	return seconds
}

func max(a, b int) int {
	if a > b {
		return a
	}
	return b
}

// suffix is what the name of a benchmark ends in.
func suffix() string {
	if n := runtime.GOMAXPROCS(0); n > 1 {
		return "-" + strconv.Itoa(n)
	}
	return ""
}

// result is what the testing package prints of a benchmark.
type result struct {
	Slice
	seconds float64 // of an iteration
}

var silent, _ = os.OpenFile(os.DevNull, os.O_WRONLY, 0)

// run runs n iterations of the sub-benchmarks of a function, or of all, that a pattern
// selects.
func run(function string, match func(pattern, name string) (bool, error), pattern string, n int) ([]result, error) {
	for name, value := range map[string]string{"bench": pattern, "benchtime": fmt.Sprint(n, "x"), "benchmem": "true"} {
		if err := flag.Set("test."+name, value); err != nil {
			return nil, err
		}
	}
	reader, writer, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer reader.Close()
	printed := make(chan []byte)
	go func() {
		text, _ := ioutil.ReadAll(reader)
		printed <- text
	}()
	var chosen []testing.InternalBenchmark
	for _, b := range functions {
		f := b.F
		if function == "" || function == b.Name {
			// The testing package has the writer by then, and so what a benchmark prints is not
			// among its results.
			chosen = append(chosen, testing.InternalBenchmark{Name: b.Name, F: func(b *testing.B) { os.Stdout = silent; f(b) }})
		}
	}
	stdout, start := os.Stdout, time.Now()
	os.Stdout = writer
	testing.RunBenchmarks(match, chosen)
	took := time.Since(start).Seconds() / float64(n)
	os.Stdout = stdout
	writer.Close()
	return parse(string(<-printed), took), nil
}

// What the testing package prints of a benchmark, of one that fails, and of why.
var (
	success = regexp.MustCompile(`^Benchmark(\S+)\s+(\d+)(\t.*)$`)
	failure = regexp.MustCompile(`--- FAIL: Benchmark(\S+)`)
	message = regexp.MustCompile(`^ +(\S+\.go:\d+: .*)`)
)

// parse reads what the testing package prints of benchmarks. An iteration takes as long as
// they print, or else took.
func parse(text string, took float64) (results []result) {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if m := failure.FindStringSubmatch(line); m != nil {
			r := result{Slice: Slice{Name: m[1], Failure: "fails"}}
			for _, next := range lines[i+1:] {
				if why := message.FindStringSubmatch(next); why != nil && r.Failure == "fails" {
					r.Failure = why[1]
				}
			}
			for _, other := range results {
				if strings.HasPrefix(other.Name, r.Name+"/") {
					r.Name = "" // fails since a sub-benchmark does
				}
			}
			if r.Name != "" {
				results = append(results, r)
			}
		} else if m := success.FindStringSubmatch(line); m != nil {
			r := result{Slice: Slice{Name: m[1], Values: map[string]float64{}}, seconds: took}
			r.N, _ = strconv.Atoi(m[2])
			for fields := strings.Fields(m[3]); len(fields) > 1; fields = fields[2:] {
				value, _ := strconv.ParseFloat(fields[0], 64)
				switch unit := fields[1]; unit {
				case "ns/op":
					r.Values["sec/op"], r.seconds = value/1e9, value/1e9
				case "MB/s":
					r.Values["B/s"] = value * 1e6
				default:
					r.Values[unit] = value
				}
			}
			results = append(results, r)
		}
	}
	return results
}
