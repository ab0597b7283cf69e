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
	"strings"

	"raysteps/scripts/internal/cli"
)

// Server runs slices: a process that [Start] starts, or what stands for one in a test. Its
// owner has to close it; one request may run at a time.
type Server interface {
	Ask(Request) ([]Slice, error)
	Close() error
}

// process is a test binary that serves slices.
type process struct {
	ctx     context.Context
	cmd     *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Reader
	printed strings.Builder // what is no reply
	stderr  bytes.Buffer    // to be read once the process has ended
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
func (p *process) Ask(r Request) (slices []Slice, err error) {
	if err = json.NewEncoder(p.in).Encode(r); err == nil {
		slices, err = p.reply()
	}
	if err != nil {
		p.in.Close()
		err = fmt.Errorf("the process ended: %w", cmp.Or(p.cmd.Wait(), err))
		return nil, cli.Failure(p.ctx, err, p.stderr.String()+p.printed.String())
	}
	if len(r.Slices) > 0 && len(slices) != len(r.Slices) {
		return nil, fmt.Errorf("%s ran %d slices; want %d", p.cmd.Path, len(slices), len(r.Slices))
	}
	for _, s := range slices {
		if len(r.Slices) > 0 && s.Failure != "" {
			return nil, fmt.Errorf("%s: %s", s.Name, s.Failure)
		}
	}
	return slices, nil
}

// reply reads lines up to the next reply.
func (p *process) reply() (slices []Slice, err error) {
	for {
		line, err := p.out.ReadString('\n')
		// The program may have printed the beginning of the line.
		before, text, marked := strings.Cut(line, mark)
		p.printed.WriteString(before)
		switch {
		case marked && err == nil:
			return slices, json.Unmarshal([]byte(text), &slices)
		case err == io.EOF:
			return nil, io.ErrUnexpectedEOF
		case err != nil:
			return nil, err
		}
	}
}

// Close ends the process and waits for it. What it still prints is read, or it would wait
// for that.
func (p *process) Close() error {
	p.in.Close()
	io.Copy(io.Discard, p.out)
	return p.cmd.Wait()
}
