package measure

// This file is the measured side of a measurement: it lets the benchmarks of a package run
// in slices, some milliseconds each, inside their test binary. The parent process decides
// whose turn it is. A request and its reply are a line of JSON each, on standard input and
// standard output. No statistic is computed here.
//
// Find puts the source, as a package of its own, beside the tests of packages that know
// nothing of this module. So it imports the standard library alone, uses nothing of the
// other files, and is in the language of Go 1.12: a module with an old go line is measured,
// too.

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	//lint:ignore SA1019 io.ReadAll is of Go 1.16
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
	Function string  `json:",omitempty"` // whose sub-benchmarks are looked for, such as BenchmarkHit
	Bench    string  `json:",omitempty"` // and which, as of go test -bench
	Slices   []Slice `json:",omitempty"` // that are run, in this order
	// Cycle is the same for all slices that are compared with each other. A benchmark that
	// draws its work at random draws it from this number, which the environment variable
	// RAYSTEPS_CYCLE has.
	Cycle uint64
}

// Slice is a run of one benchmark. Requests have the first two fields.
type Slice struct {
	Name    string             // without "Benchmark"
	N       int                // iterations
	Took    float64            `json:",omitempty"` // seconds, with what it does beside its iterations
	Values  map[string]float64 `json:",omitempty"` // by unit
	Failure string             `json:",omitempty"` // why it failed, or empty
}

// Processors is the unit of how many processors the process had while it was timed.
const Processors = "processors"

// mark begins the line of a reply: a program may print others.
const mark = "\x02slices "

var registered []testing.InternalBenchmark

// Add adds a benchmark function of the package.
func Add(name string, f func(*testing.B)) {
	registered = append(registered, testing.InternalBenchmark{Name: name, F: f})
}

// Serve answers requests on standard input until it ends. What the program prints from now
// on goes to standard error.
func Serve() error {
	out := os.Stdout
	os.Stdout = os.Stderr
	requests := json.NewDecoder(bufio.NewReader(os.Stdin))
	for {
		var request Request
		if err := requests.Decode(&request); err == io.EOF {
			return nil
		} else if err != nil {
			return fmt.Errorf("a request for slices: %v", err)
		}
		slices, err := answer(request)
		if err != nil {
			return err
		}
		text, err := json.Marshal(slices)
		if err != nil { // such as a rate that is no number
			return err
		}
		if _, err := fmt.Fprintf(out, "%s%s\n", mark, text); err != nil {
			return err
		}
	}
}

func answer(r Request) (slices []Slice, err error) {
	os.Setenv("RAYSTEPS_CYCLE", strconv.FormatUint(r.Cycle, 10))
	if len(r.Slices) == 0 {
		return runBenchmarks(r.Function, regexp.MatchString, r.Bench, 1)
	}
	for _, s := range r.Slices {
		slices = append(slices, take(s))
	}
	return slices, nil
}

// take runs one benchmark.
func take(s Slice) Slice {
	name := "Benchmark" + strings.TrimSuffix(s.Name, suffix())
	// Comparing is enough, and takes no time.
	same := func(pattern, element string) (bool, error) { return pattern == regexp.QuoteMeta(element), nil }
	thread, _ := os.Readlink("/proc/thread-self")
	wait, used := waited(thread), processorTime()
	results, err := runBenchmarks(strings.SplitN(name, "/", 2)[0], same, regexp.QuoteMeta(name), s.N)
	if err == nil && len(results) != 1 {
		err = fmt.Errorf("%s is not among the benchmarks of this process", s.Name)
	}
	if err != nil {
		s.Failure = err.Error()
		return s
	}
	used, wait = processorTime()-used, waited(thread)-wait
	if now, _ := os.Readlink("/proc/thread-self"); now != thread {
		wait = 0 // by another thread than ran
	}
	results[0].account(runtime.GOMAXPROCS(0), used, wait)
	return results[0]
}

// account takes off what others had of the time, if one processor was enough, or else says
// how many processors the benchmark had: one beside what is timed.
func (s *Slice) account(cpu int, used, wait float64) {
	timed := float64(s.N) * s.Values["sec/op"]
	if cpu > 1 {
		if used > 0 && timed > 0 {
			s.Values[Processors] = (used - (s.Took - timed)) / timed
		}
		return
	}
	// How much of the wait was in what is timed is not known: if it was long, nothing is
	// corrected, and the slice is slow.
	if own := 1 - wait/s.Took; own > 0.5 {
		for unit, factor := range map[string]float64{"sec/op": own, "B/s": 1 / own} {
			if value, ok := s.Values[unit]; ok {
				s.Values[unit] = value * factor
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

// suffix is what the name of a benchmark ends in.
func suffix() string {
	if n := runtime.GOMAXPROCS(0); n > 1 {
		return "-" + strconv.Itoa(n)
	}
	return ""
}

var silent, _ = os.OpenFile(os.DevNull, os.O_WRONLY, 0)

// runBenchmarks runs n iterations of the sub-benchmarks of a function that a pattern selects.
func runBenchmarks(function string, match func(pattern, name string) (bool, error), pattern string, n int) ([]Slice, error) {
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
	for _, b := range registered {
		f := b.F
		if function == b.Name {
			// The testing package has the writer by then, and so what a benchmark prints is not
			// among its results.
			chosen = append(chosen, testing.InternalBenchmark{Name: b.Name, F: func(b *testing.B) { os.Stdout = silent; f(b) }})
		}
	}
	stdout, start := os.Stdout, time.Now()
	os.Stdout = writer
	testing.RunBenchmarks(match, chosen)
	took := time.Since(start).Seconds()
	os.Stdout = stdout
	writer.Close()
	return parseSlices(string(<-printed), took), nil
}

// What the testing package prints of a benchmark, of one that fails, and of why.
var (
	success = regexp.MustCompile(`^Benchmark(\S+)\s+(\d+)(\t.*)$`)
	failure = regexp.MustCompile(`--- FAIL: Benchmark(\S+)`)
	message = regexp.MustCompile(`^ +(\S+\.go:\d+: .*)`)
)

// parseSlices reads what the testing package prints of benchmarks that took so many seconds.
func parseSlices(text string, took float64) (slices []Slice) {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if m := failure.FindStringSubmatch(line); m != nil {
			s := Slice{Name: m[1], Failure: "fails"}
			for _, next := range lines[i+1:] {
				if why := message.FindStringSubmatch(next); why != nil && s.Failure == "fails" {
					s.Failure = why[1]
				}
			}
			outer := false // which fails since a sub-benchmark does
			for _, other := range slices {
				outer = outer || strings.HasPrefix(other.Name, s.Name+"/")
			}
			if !outer {
				slices = append(slices, s)
			}
		} else if m := success.FindStringSubmatch(line); m != nil {
			s := Slice{Name: m[1], Took: took, Values: map[string]float64{}}
			s.N, _ = strconv.Atoi(m[2])
			for fields := strings.Fields(m[3]); len(fields) > 1; fields = fields[2:] {
				value, _ := strconv.ParseFloat(fields[0], 64)
				switch unit := fields[1]; unit {
				case "ns/op":
					s.Values["sec/op"] = value / 1e9
				case "MB/s":
					s.Values["B/s"] = value * 1e6
				default:
					s.Values[unit] = value
				}
			}
			slices = append(slices, s)
		}
	}
	return slices
}
