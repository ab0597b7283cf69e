// Package benchturns lets the benchmarks of a package take slices inside their test
// binary. An overlay puts its source beside the package's tests: see
// scripts/internal/ab.
//
// It imports the standard library alone, and is in the language of Go 1.12: a module with
// an old go line is measured, too.
package benchturns

import (
	_ "embed" // for Source
	"encoding/json"
	"flag"
	"fmt"
	//lint:ignore SA1019 io.ReadAll is of Go 1.16
	"io/ioutil"
	"math"
	"os"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"raysteps/common/turns"
)

// Source is the text of this file.
//
//go:embed benchturns.go
var Source string

// Group is what a process loads: benchmarks that are known, or if there are none those
// that a pattern selects. These run once, to find their sub-benchmarks.
type Group struct {
	Known    []Known
	Bench    string // as of go test -bench
	Function string // that the pattern is for, or empty for all
}

// Known is a subject that was found before, maybe in another process.
type Known struct {
	Name string // of the subject
	N    int    // iterations of a slice, or 0 for as many as take the time of the request
}

// Iterations is the unit of how many iterations a slice had.
const Iterations = "iterations"

// Failure is the key of why a subject failed when it was found, among its configuration.
const Failure = "failure"

var functions []testing.InternalBenchmark

// Add adds a benchmark function of the package.
func Add(name string, f func(*testing.B)) {
	functions = append(functions, testing.InternalBenchmark{Name: name, F: f})
}

// Serve answers requests until there are no more. A subject that failed when it was to be
// found fails again when a slice of it is asked for.
func Serve() error { return turns.Serve(load) }

func load(text json.RawMessage) (subjects []turns.Subject, err error) {
	var g Group
	if err := json.Unmarshal(text, &g); err != nil {
		return nil, err
	}
	if len(g.Known) == 0 {
		results, err := run(g.Function, regexp.MatchString, g.Bench, 1)
		if err != nil {
			return nil, err
		}
		for _, r := range results {
			s := turns.Subject{Name: r.name, Slice: (&slice{name: r.name}).take}
			if r.failure != "" {
				s.Config = map[string]string{Failure: r.failure}
			}
			subjects = append(subjects, s)
		}
	}
	for _, k := range g.Known {
		subjects = append(subjects, turns.Subject{Name: k.Name, Slice: (&slice{name: k.Name, n: k.N}).take})
	}
	return subjects, nil
}

// slice runs one benchmark.
type slice struct {
	name string
	n    int  // iterations; 0 before they are known
	warm bool // has been taken before
}

func (s *slice) take(r turns.Request) (turns.Values, error) {
	name := "Benchmark" + strings.TrimSuffix(s.name, processors())
	// Comparing is enough, and takes no time.
	same := func(pattern, element string) (bool, error) { return pattern == regexp.QuoteMeta(element), nil }
	want, best, apart := float64(r.Nanoseconds)/1e9, math.Inf(1), math.Inf(1)
	n, known := max(1, s.n), s.n > 0
	if known && !s.warm { // a short slice is enough
		n = max(1, n/8)
	}
	s.warm = true
	for try := 1; ; try++ {
		start := time.Now()
		thread, _ := os.Readlink("/proc/thread-self")
		before := waited(thread)
		results, err := run(strings.SplitN(name, "/", 2)[0], same, regexp.QuoteMeta(name), n)
		if err != nil {
			return nil, err
		}
		if len(results) != 1 {
			return nil, fmt.Errorf("%s is not among the benchmarks of this process", s.name)
		}
		if results[0].failure != "" {
			return nil, fmt.Errorf("%s: %s", s.name, results[0].failure)
		}
		// Iterations can seem slow, since they are the first or another program had the
		// processor: that must not make n too small, and neither must what a benchmark does apart
		// from its iterations. Nor may n grow without end if it does more than it counts.
		wait := waited(thread) - before
		if now, _ := os.Readlink("/proc/thread-self"); now != thread {
			wait = 0 // by another thread than ran
		}
		took := time.Since(start).Seconds()
		if runtime.GOMAXPROCS(0) == 1 && wait < took { // what others had of that time does not count
			own := 1 - wait/took
			for unit, factor := range map[string]float64{"sec/op": own, "B/s": 1 / own} {
				if value, ok := results[0].values[unit]; ok {
					results[0].values[unit] = value * factor
				}
			}
		}
		best = math.Min(best, results[0].seconds)
		more := math.Max(want, took-apart) // than one iteration takes
		if n == 1 {
			apart, more = math.Min(apart, took), took
		}
		if known {
			return results[0].values, nil
		}
		if try == 3 || took > 64*want {
			s.n = n
			return results[0].values, nil
		}
		if float64(n)*best < want/2 && took < 10*want+apart && n < 1e8 {
			n, try = 1+int(math.Min(want/best, float64(n)*math.Max(2, 30*want/more))), 0
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

func max(a, b int) int {
	if a > b {
		return a
	}
	return b
}

// processors is what the name of a benchmark ends in.
func processors() string {
	if n := runtime.GOMAXPROCS(0); n > 1 {
		return "-" + strconv.Itoa(n)
	}
	return ""
}

// result is what the testing package prints of a benchmark.
type result struct {
	name    string // of the subject
	values  turns.Values
	seconds float64 // of an iteration
	failure string
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
			r := result{name: m[1], failure: "fails"}
			for _, next := range lines[i+1:] {
				if why := message.FindStringSubmatch(next); why != nil && r.failure == "fails" {
					r.failure = why[1]
				}
			}
			for _, other := range results {
				if strings.HasPrefix(other.name, r.name+"/") {
					r.name = "" // fails since a sub-benchmark does
				}
			}
			if r.name != "" {
				results = append(results, r)
			}
		} else if m := success.FindStringSubmatch(line); m != nil {
			n, _ := strconv.ParseFloat(m[2], 64)
			r := result{name: m[1], values: turns.Values{Iterations: n}, seconds: took}
			for fields := strings.Fields(m[3]); len(fields) > 1; fields = fields[2:] {
				value, _ := strconv.ParseFloat(fields[0], 64)
				switch unit := fields[1]; unit {
				case "ns/op":
					r.values["sec/op"], r.seconds = value/1e9, value/1e9
				case "MB/s":
					r.values["B/s"] = value * 1e6
				default:
					r.values[unit] = value
				}
			}
			results = append(results, r)
		}
	}
	return results
}
