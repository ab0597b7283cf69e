package turns

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"time"

	"golang.org/x/perf/benchfmt"
)

// Plan says what a launch does: a launcher or a test binary, which get it as a file
// in JSON.
type Plan struct {
	// Of a launcher: its subjects take turns in one scene after the other, and each has a
	// benchmark of this name, without Benchmark, and of the scene.
	Name     string   // Render
	Scenes   []string // scene=large, or scene=cloud=1000
	Subjects []Picture

	Cycles int // that count
	// Longest is how long the cycles of a scene take at the most, once there are three
	// of them, or 0: slices of some milliseconds stay far below. Processes that share
	// turns have all cycles.
	Longest time.Duration
	Seed    uint64
	Out     string // the file that benchmark lines are written to
	Ring    bool   // turns are shared with other processes, whose plans are alike
	Whole   bool   // whole pictures are rendered, and their time counts
	Count   int    // a launcher renders its one picture so often and writes the rays, for valgrind
	Profile string // a file for a CPU profile, or empty
}

// Picture is what a subject of a launcher renders.
type Picture struct {
	Variant  string // of those that the launcher has
	Package  string // that the file shows
	Parallel bool   // on all cores
}

// PlanVariable is the environment variable that names the file of the plan.
const PlanVariable = "RAYSTEPS_PLAN"

// Session is a process that carries out a plan.
type Session struct {
	Plan
	Rand *rand.Rand // the same in all processes that share turns

	file *os.File
	out  *benchfmt.Writer
	ring ring
}

// Begin reads the plan and creates the file that it names.
func Begin() (*Session, error) {
	s := &Session{ring: ring{os.Stdin, os.Stdout}}
	text, err := os.ReadFile(os.Getenv(PlanVariable))
	if err != nil {
		return nil, fmt.Errorf("the plan that %s names: %w", PlanVariable, err)
	}
	if err := json.Unmarshal(text, &s.Plan); err != nil {
		return nil, err
	}
	s.Rand = rand.New(rand.NewPCG(s.Seed, 0))
	if s.file, err = os.Create(s.Out); err != nil {
		return nil, err
	}
	s.out = benchfmt.NewWriter(s.file)
	return s, nil
}

// Turn waits for the turn of this process, runs f, and hands the turn on.
func (s *Session) Turn(f func() error) error {
	if !s.Ring {
		return f()
	}
	return s.ring.turn(f)
}

// Take gives each subject one slice in each cycle, and writes a line for each. The
// order within a cycle is random, and the same for the same seed. Renew, or nil, puts
// what all subjects work on in other memory. It is called after each third of the
// cycles, and the cycle behind it does not count, like the first.
func (s *Session) Take(subjects []Subject, renew func() error) error {
	var cycles [][]Figures
	start := time.Now()
	counts := s.Cycles == 0
	for len(cycles) < max(1, s.Cycles) && (len(cycles) < 3 || s.Longest == 0 || s.Ring || time.Since(start) < s.Longest) {
		cycle := make([]Figures, len(subjects))
		for _, i := range s.Rand.Perm(len(subjects)) {
			err := s.Turn(func() (err error) {
				cycle[i], err = subjects[i].Slice()
				return err
			})
			if err != nil {
				return err
			}
		}
		if !counts {
			counts = true
			continue
		}
		cycles = append(cycles, cycle)
		if n := len(cycles); renew != nil && n < s.Cycles && n%((s.Cycles+2)/3) == 0 {
			if err := s.Turn(renew); err != nil {
				return err
			}
			counts = false
		}
	}
	for i, level := range Levels(cycles) {
		if slow := slowness(cycles, i); slow > 0 {
			level[SlowSlices] = slow
		}
		if err := s.Write(subjects[i].Line, len(cycles), level); err != nil {
			return err
		}
	}
	return nil
}

// Write writes a line with some figures, if there are any.
func (s *Session) Write(line *benchfmt.Result, iterations int, figures Figures) error {
	if len(figures) == 0 {
		return nil
	}
	line = line.Clone()
	line.Iters, line.Values = iterations, nil
	for _, unit := range slices.Sorted(maps.Keys(figures)) {
		line.Values = append(line.Values, benchfmt.Value{Value: figures[unit], Unit: unit})
	}
	return s.out.Write(line)
}

// End closes the file.
func (s *Session) End() error { return s.file.Close() }

// Set gives a line a configuration that the file shows; an empty value takes it away.
func Set(r *benchfmt.Result, key, value string) {
	r.SetConfig(key, value)
	if i, ok := r.ConfigIndex(key); ok {
		r.Config[i].File = true
	}
}

// ring lets several processes take turns: they pass a byte around, from the standard
// output of one to the standard input of the next, and who has it runs.
type ring struct {
	in  io.Reader
	out io.Writer
}

// OtherEnded begins the error of a process whose turn does not come any more.
const OtherEnded = "another process of the measurement ended"

// turn waits for the byte, runs f, and hands the byte on.
func (r ring) turn(f func() error) error {
	b := make([]byte, 1)
	if _, err := io.ReadFull(r.in, b); err != nil {
		return fmt.Errorf("%s: %w", OtherEnded, err)
	}
	err := f()
	if err == nil {
		_, err = r.out.Write(b)
	}
	return err
}
