// Package benchturns lets the benchmarks of a package take turns inside their test
// binary. scripts/bench adds a test to the package that calls [Run].
package benchturns

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/perf/benchfmt"

	"raysteps/common/turns"
)

// How long the testing package repeats a variant for a slice: one that starts
// goroutines takes longer, since for the first milliseconds the system may run
// them on the same core.
const (
	sliceTime        = "3ms"
	workersSliceTime = "15ms"
)

// goroutines matches the name of a variant with more than one goroutine.
var goroutines = regexp.MustCompile(`/(goroutines|workers)=([2-9]|1\d)`)

// Run lets the variants of benchmarks take turns, those of
// one benchmark among each other, and writes a benchmark line for each.
func Run(benchmarks []testing.InternalBenchmark) error {
	s, err := turns.Begin()
	if err != nil {
		return err
	}
	for _, b := range benchmarks {
		var subjects []turns.Subject
		lines, err := once(b, "^"+b.Name+"$", "1x")
		for _, line := range lines {
			subjects = append(subjects, turns.Subject{Line: line, Slice: slice(b, string(line.Name))})
		}
		if err == nil {
			err = s.Take(subjects, nil)
		}
		if err != nil {
			return err
		}
	}
	return s.End()
}

// slice returns the slice of a variant, which benchfmt names without Benchmark.
func slice(b testing.InternalBenchmark, name string) func() (turns.Figures, error) {
	if i := strings.LastIndexByte(name, '-'); i > 0 { // GOMAXPROCS
		name = name[:i]
	}
	time := sliceTime
	if goroutines.MatchString(name) {
		time = workersSliceTime
	}
	pattern := "^Benchmark" + strings.ReplaceAll(regexp.QuoteMeta(name), "/", "$/^") + "$"
	return func() (turns.Figures, error) {
		lines, err := once(b, pattern, time)
		figures := turns.Figures{}
		for _, line := range lines {
			for _, v := range line.Values {
				figures[v.Unit] = v.Value
			}
		}
		return figures, err
	}
}

// failure and message match what the testing package prints of a benchmark that
// fails, and of why: below that, or above it with -v.
var (
	failure = regexp.MustCompile(`(?m)^\x16? *--- FAIL: (.*)`) // behind a control character with -json
	message = regexp.MustCompile(`(?m)^ +(\S+\.go:\d+: .*)`)
)

// once runs the variants of a benchmark that a pattern chooses, each for some time,
// and returns what the testing package prints of them.
func once(b testing.InternalBenchmark, pattern, time string) ([]*benchfmt.Result, error) {
	for name, value := range map[string]string{"test.bench": pattern, "test.benchtime": time} {
		if err := flag.Set(name, value); err != nil {
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
		text, _ := io.ReadAll(reader)
		printed <- text
	}()
	stdout := os.Stdout
	os.Stdout = writer
	testing.RunBenchmarks(regexp.MatchString, []testing.InternalBenchmark{b})
	os.Stdout = stdout
	writer.Close()
	text := <-printed
	if m := failure.FindSubmatch(text); m != nil {
		if why := message.FindSubmatch(text); why != nil {
			return nil, fmt.Errorf("%s: %s", m[1], why[1])
		}
		return nil, fmt.Errorf("%s fails", m[1])
	}
	var lines []*benchfmt.Result
	for r := benchfmt.NewReader(bytes.NewReader(text), b.Name); r.Scan(); {
		if line, ok := r.Result().(*benchfmt.Result); ok {
			lines = append(lines, line.Clone())
		}
	}
	return lines, nil
}
