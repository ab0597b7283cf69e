package measure

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"time"

	"golang.org/x/perf/benchfmt"

	"raysteps/scripts/internal/cli"
)

// Slice is what was measured of one benchmark.
type Slice struct {
	Name    string             // without "Benchmark"
	N       int                // iterations
	Took    time.Duration      // with what it does beside its iterations
	Values  map[string]float64 // by unit
	Failure string             // why it failed, or empty
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
	if err := json.NewEncoder(p.in).Encode(r); err != nil {
		return nil, p.ended(err, "")
	}
	if len(r.Slices) == 0 {
		return p.reply()
	}
	for _, run := range r.Slices {
		found, err := p.reply()
		switch {
		case err != nil:
			return nil, err
		case len(found) != 1 || found[0].Name != run.Name:
			return nil, fmt.Errorf("%s is not among the benchmarks of %s", run.Name, p.cmd.Path)
		case found[0].Failure != "":
			return nil, fmt.Errorf("%s: %s", run.Name, found[0].Failure)
		}
		all = append(all, found[0])
	}
	return all, nil
}

// reply reads what is printed of a run.
func (p *process) reply() ([]*Slice, error) {
	var text strings.Builder
	for {
		line, err := p.out.ReadString('\n')
		// The program may have printed the beginning of the line.
		before, rest, marked := strings.Cut(line, mark)
		text.WriteString(before)
		switch {
		case marked && err == nil:
			var s Spent
			err := json.Unmarshal([]byte(rest), &s)
			return readSlices(text.String(), s), err
		case err == io.EOF:
			return nil, p.ended(io.ErrUnexpectedEOF, text.String())
		case err != nil:
			return nil, p.ended(err, text.String())
		}
	}
}

func (p *process) ended(err error, printed string) error {
	p.in.Close()
	err = fmt.Errorf("the process ended: %w", cmp.Or(p.cmd.Wait(), err))
	return cli.Failure(p.ctx, err, p.stderr.String()+printed)
}

// Close ends the process and waits for it. What it still prints is read, or it would wait
// for that.
func (p *process) Close() error {
	p.in.Close()
	io.Copy(io.Discard, p.out)
	return p.cmd.Wait()
}

// failure matches what the testing package prints of a benchmark that fails, and why.
var failure = regexp.MustCompile(`--- FAIL: Benchmark(\S+)(?:\n +(\S+\.go:\d+: .*))?`)

// readSlices reads what the testing package printed of benchmarks, and takes off what others
// had of the time.
func readSlices(text string, spent Spent) (all []*Slice) {
	for _, m := range failure.FindAllStringSubmatch(text, -1) {
		inner := func(s *Slice) bool { return strings.HasPrefix(s.Name, m[1]+"/") } // by which it fails
		if !slices.ContainsFunc(all, inner) {
			all = append(all, &Slice{Name: m[1], Failure: cmp.Or(m[2], "fails")})
		}
	}
	for r := benchfmt.NewReader(strings.NewReader(text), ""); r.Scan(); {
		if line, ok := r.Result().(*benchfmt.Result); ok {
			s := &Slice{Name: string(line.Name), N: line.Iters, Took: time.Duration(1e9 * spent.Took), Values: map[string]float64{}}
			for _, v := range line.Values {
				s.Values[v.Unit] = v.Value
			}
			s.account(spent)
			all = append(all, s)
		}
	}
	return all
}

// account takes off what others had of the time, if one processor was enough, or else says
// how many processors the benchmark had: one beside what is timed.
func (s *Slice) account(spent Spent) {
	timed := float64(s.N) * s.Values["sec/op"]
	if spent.Used > 0 && timed > 0 {
		s.Values[Processors] = (spent.Used - (spent.Took - timed)) / timed
	}
	// How much of the wait was in what is timed is not known: if it was long, nothing is
	// corrected, and the slice is slow.
	if own := 1 - spent.Waited/spent.Took; own > 0.5 {
		for unit, factor := range map[string]float64{"sec/op": own, "B/s": 1 / own} {
			if value, ok := s.Values[unit]; ok {
				s.Values[unit] = value * factor
			}
		}
	}
}
