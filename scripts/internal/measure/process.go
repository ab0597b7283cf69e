package measure

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"time"

	"golang.org/x/perf/benchfmt"

	"raysteps/scripts/internal/tool"
)

// ServerSource is the source of serve.go: what stands for it in a test binary is a package of its own.
//
//go:embed serve.go
var ServerSource string

// Slice is what was measured of one benchmark.
type Slice struct {
	Name    string             // without "Benchmark"
	N       int                // iterations
	Took    time.Duration      // with what it does beside its iterations
	Values  map[string]float64 // by unit
	Failure string             // why it failed, or was skipped, or empty
	Skipped bool               // and not failed
	Calls   int                // of [Work]

	Disturbed bool // others had its processor, and what that cost is not known well
}

// Processors is the unit of how many processors the process had while it was timed.
const Processors = "processors"

// Server runs slices: a process that [Start] starts, or what stands for one in a test. Its
// owner has to close it; one request may run at a time, and none after an error.
type Server interface {
	Ask(Request) ([]*Slice, error)
	Close() error
}

// process is a test binary that serves slices.
type process struct {
	ctx    context.Context
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    *bufio.Reader
	stderr bytes.Buffer // to be read once the process has ended
}

// Start starts a process. The command is one of exec.CommandContext with this context.
func Start(ctx context.Context, cmd *exec.Cmd) (Server, error) {
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	p := &process{ctx: ctx, cmd: cmd, in: in, out: bufio.NewReader(out)}
	cmd.Stderr = &p.stderr
	return p, cmd.Start()
}

// Ask sends a request and waits for the slices. If the process has ended, the error says
// what it printed last. A slice that failed is an error, unless it was only looked for.
func (p *process) Ask(r Request) (all []*Slice, err error) {
	var printed strings.Builder
	reply, marked := "", false
	for err = json.NewEncoder(p.in).Encode(r); err == nil && !marked; {
		var line, other string
		line, err = p.out.ReadString('\n')
		other, reply, marked = strings.Cut(line, mark) // the program may have begun the line
		printed.WriteString(other)
	}
	if err != nil {
		p.in.Close()
		err = fmt.Errorf("the process ended: %w", cmp.Or(p.cmd.Wait(), err))
		return nil, tool.Failure(p.ctx, err, p.stderr.String()+printed.String())
	}
	var runs []Output
	if err := json.Unmarshal([]byte(reply), &runs); err != nil {
		return nil, err
	}
	for i, ran := range runs {
		if r.Verbose {
			return readSkips(ran), nil
		}
		found := readSlices(ran)
		all = append(all, found...)
		if len(r.Slices) == 0 {
			break
		}
		switch name := r.Slices[i].Name; {
		case len(found) != 1 || found[0].Name != name:
			return nil, fmt.Errorf("%s is not among the benchmarks of %s", name, p.cmd.Path)
		case found[0].Failure != "":
			return nil, fmt.Errorf("%s: %s", name, found[0].Failure)
		}
	}
	return all, nil
}

// Close ends the process and waits for it. What it still prints is read, or it would wait
// for that.
func (p *process) Close() error {
	p.in.Close()
	io.Copy(io.Discard, p.out)
	return p.cmd.Wait()
}

// skip matches what the testing package prints of a benchmark that is skipped, behind the reason.
var skip = regexp.MustCompile(`(?m)(?:^ +(\S+\.go:\d+: .*)\n)?^--- SKIP: Benchmark(\S+)$`)

// readSkips reads which benchmarks were skipped, of a verbose run.
func readSkips(ran Output) (all []*Slice) {
	for _, m := range skip.FindAllStringSubmatch(ran.Text, -1) {
		all = append(all, &Slice{Name: m[2], Failure: cmp.Or(m[1], "skips itself"), Skipped: true})
	}
	return all
}

// failure matches what the testing package prints of a benchmark that fails, and why.
var failure = regexp.MustCompile(`--- FAIL: Benchmark(\S+)(?:\n +(\S+\.go:\d+: .*))?`)

// readSlices reads what the testing package printed of benchmarks, and takes off what others
// had of the time.
func readSlices(ran Output) (all []*Slice) {
	for _, m := range failure.FindAllStringSubmatch(ran.Text, -1) {
		inner := func(s *Slice) bool { return strings.HasPrefix(s.Name, m[1]+"/") } // by which it fails
		if !slices.ContainsFunc(all, inner) {
			all = append(all, &Slice{Name: m[1], Failure: cmp.Or(m[2], "fails")})
		}
	}
	for r := benchfmt.NewReader(strings.NewReader(ran.Text), ""); r.Scan(); {
		if line, ok := r.Result().(*benchfmt.Result); ok {
			s := &Slice{Name: string(line.Name), N: line.Iters, Values: map[string]float64{}}
			s.Took, s.Calls = time.Duration(1e9*ran.Took), ran.Calls
			for _, v := range line.Values {
				s.Values[v.Unit] = v.Value
			}
			s.account(ran)
			all = append(all, s)
		}
	}
	return all
}

// account takes off what others had of the time, if one processor was enough, or else says
// how many processors the benchmark had: one beside what is timed.
func (s *Slice) account(ran Output) {
	timed := float64(s.N) * s.Values["sec/op"]
	if ran.Used > 0 && timed > 0 {
		s.Values[Processors] = (ran.Used - (ran.Took - timed)) / timed
	}
	// A wait that is longer than what is beside what is timed was in that. A shorter one is shared
	// out, and has a cost of its own, as it is made up of many interruptions.
	own := 1 - ran.Waited/timed
	if ran.Waited < ran.Took-timed {
		own = 1 - ran.Waited/ran.Took
		s.Disturbed = own < 15./16
	}
	if own > 0.2 { // else nothing is corrected, and the slice is slow
		for unit, value := range s.Values {
			if strings.HasPrefix(unit, "sec/") {
				s.Values[unit] = value * own
			} else if strings.HasSuffix(unit, "/s") {
				s.Values[unit] = value / own
			}
		}
	}
}
