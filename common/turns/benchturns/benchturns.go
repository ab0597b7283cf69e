// Package benchturns lets the benchmarks of a package take turns inside their test
// binary. scripts/bench adds a test to the package that calls [Run].
package benchturns

import (
	"bufio"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

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

// line is what the testing package prints of a variant.
type line struct {
	name    string // with Benchmark, and GOMAXPROCS behind a -
	figures turns.Figures
	config  []string // configuration lines that the benchmark printed before
}

// configuration matches a configuration line of the Go benchmark format, and known
// are the keys that the testing package prints itself.
var (
	configuration = regexp.MustCompile(`^([a-z][a-z0-9-]*): `)
	known         = []string{"goos", "goarch", "pkg", "cpu"}
)

// Run lets the variants of the benchmarks that a plan matches take turns, those of
// one benchmark and scene among each other, and writes a benchmark line for each.
// The plan is a file that the environment names as RAYSTEPS_PLAN.
func Run(benchmarks []testing.InternalBenchmark) error {
	var plan turns.Plan
	text, err := os.ReadFile(os.Getenv("RAYSTEPS_PLAN"))
	if err == nil {
		err = json.Unmarshal(text, &plan)
	}
	if err != nil {
		return err
	}
	match, err := regexp.Compile("^Benchmark(" + plan.Match + ")$")
	if err != nil {
		return err
	}
	benchmarks = slices.DeleteFunc(benchmarks, func(b testing.InternalBenchmark) bool { return !match.MatchString(b.Name) })
	var ring *turns.Ring
	if plan.Ring {
		ring = &turns.Ring{In: os.Stdin, Out: os.Stdout}
	}
	out, err := os.Create(plan.Out)
	if err != nil {
		return err
	}
	defer out.Close()

	var found []line
	for _, b := range benchmarks {
		var lines []line
		err := ring.Turn(func() (err error) { lines, err = once(b, "^"+b.Name+"$", "1x"); return err })
		if err != nil {
			return fmt.Errorf("%s: %w", b.Name, err)
		}
		found = append(found, lines...)
	}
	rng := rand.New(rand.NewPCG(plan.Seed, 0))
	for len(found) > 0 {
		n := 1
		for n < len(found) && group(found[n].name) == group(found[0].name) {
			n++
		}
		if err := takeTurns(out, benchmarks, found[:n], plan.Cycles, rng, ring); err != nil {
			return err
		}
		found = found[n:]
	}
	if err := ring.Leave(); err != nil {
		return err
	}
	return out.Close()
}

// group returns what variants that are compared share: the benchmark, and its
// scene if that is the first key.
func group(name string) string {
	parts := strings.SplitN(name, "/", 3)
	if len(parts) > 1 && strings.HasPrefix(parts[1], "scene=") {
		return parts[0] + "/" + parts[1]
	}
	return parts[0]
}

func takeTurns(out *os.File, benchmarks []testing.InternalBenchmark, variants []line, cycles int, rng *rand.Rand, ring *turns.Ring) error {
	var subjects []turns.Subject
	for _, v := range variants {
		name := v.name
		if i := strings.LastIndexByte(name, '-'); i > 0 {
			name = name[:i]
		}
		top, _, _ := strings.Cut(name, "/")
		b := benchmarks[slices.IndexFunc(benchmarks, func(b testing.InternalBenchmark) bool { return b.Name == top })]
		parts := strings.Split(name, "/")
		for i, part := range parts {
			parts[i] = "^" + regexp.QuoteMeta(part) + "$"
		}
		time := sliceTime
		if goroutines.MatchString(name) {
			time = workersSliceTime
		}
		subjects = append(subjects, turns.Subject{Name: name, Slice: func() (turns.Figures, error) {
			lines, err := once(b, strings.Join(parts, "/"), time)
			if err != nil || len(lines) == 0 {
				return nil, err
			}
			return lines[len(lines)-1].figures, nil
		}})
	}
	all, err := turns.Take(subjects, cycles, rng, ring)
	if err != nil {
		return err
	}
	for _, text := range variants[0].config {
		fmt.Fprintln(out, text)
		defer fmt.Fprintf(out, "%s:\n", configuration.FindStringSubmatch(text)[1]) // no longer so
	}
	for i, level := range turns.Levels(all) {
		if len(level) == 0 {
			continue
		}
		fmt.Fprintf(out, "%s %d", variants[i].name, len(all))
		for _, unit := range slices.Sorted(maps.Keys(level)) {
			fmt.Fprintf(out, " %v %s", level[unit], unit)
		}
		fmt.Fprintln(out)
	}
	return nil
}

// once runs the variants of a benchmark that a pattern chooses, each for some time,
// and returns what the testing package prints of them.
func once(b testing.InternalBenchmark, pattern, time string) ([]line, error) {
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
	type output struct {
		lines []line
		err   error
	}
	read := make(chan output)
	go func() {
		var o output
		var config []string
		scanner := bufio.NewScanner(reader)
		for scanner.Scan() {
			text := scanner.Text()
			if strings.HasPrefix(text, "--- FAIL: ") {
				o.err = errors.New(strings.TrimSpace(text))
			} else if o.err != nil && strings.HasPrefix(text, "    ") {
				o.err = fmt.Errorf("%w: %s", o.err, strings.TrimSpace(text))
			} else if m := configuration.FindStringSubmatch(text); m != nil && !slices.Contains(known, m[1]) {
				config = append(config, text)
			} else if l, ok := parse(text); ok {
				l.config = config
				o.lines = append(o.lines, l)
			}
		}
		read <- o
	}()
	stdout := os.Stdout
	os.Stdout = writer
	match := func(pattern, name string) (bool, error) { return regexp.MatchString(pattern, name) }
	testing.RunBenchmarks(match, []testing.InternalBenchmark{b})
	os.Stdout = stdout
	writer.Close()
	r := <-read
	return r.lines, r.err
}

// parse reads a benchmark line.
func parse(text string) (line, bool) {
	fields := strings.Fields(text)
	if len(fields) < 4 || !strings.HasPrefix(fields[0], "Benchmark") || len(fields)%2 != 0 {
		return line{}, false
	}
	l := line{name: fields[0], figures: turns.Figures{}}
	for i := 2; i < len(fields); i += 2 {
		v, err := strconv.ParseFloat(fields[i], 64)
		if err != nil {
			return line{}, false
		}
		l.figures[fields[i+1]] = v
	}
	return l, true
}
