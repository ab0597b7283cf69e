package launch

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"

	"raysteps/common/turns"
	"raysteps/scripts/internal/cli"
)

// Process is a program that serves slices. Its owner has to close it; one call may run
// at a time.
type Process struct {
	ctx     context.Context
	cmd     *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Reader
	printed string       // what is no reply
	stderr  bytes.Buffer // to be read once the process has ended
}

// Start starts a program. The command is one of exec.CommandContext with this context.
func Start(ctx context.Context, cmd *exec.Cmd) (*Process, error) {
	p := &Process{ctx: ctx, cmd: cmd}
	var err error
	if p.in, err = cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	p.out, cmd.Stderr = bufio.NewReader(out), &p.stderr
	return p, cmd.Start()
}

// Load has the process load a group of subjects, in terms of the program.
func (p *Process) Load(group any) ([]turns.Subject, error) {
	text, err := json.Marshal(group)
	if err != nil {
		return nil, err
	}
	reply, err := p.ask(turns.Request{Load: text})
	return reply.Subjects, err
}

// Take returns slices of the subjects that the request names, in its order.
func (p *Process) Take(r turns.Request) ([]turns.Values, error) {
	reply, err := p.ask(r)
	if err == nil && len(reply.Slices) != len(r.Subjects) {
		err = fmt.Errorf("%s gave %d slices; want %d", p.cmd.Path, len(reply.Slices), len(r.Subjects))
	}
	return reply.Slices, err
}

// ask sends a request and waits for the reply. After an error the process has ended,
// and the error says what it printed last.
func (p *Process) ask(r turns.Request) (turns.Reply, error) {
	err := json.NewEncoder(p.in).Encode(r)
	var reply turns.Reply
	var printed string
	if err == nil {
		reply, printed, err = turns.ReadReply(p.out)
		p.printed += printed
	}
	switch {
	case err != nil:
		p.in.Close()
		if ended := p.cmd.Wait(); ended != nil {
			err = ended
		}
		return reply, cli.Failure(p.ctx, fmt.Errorf("the process ended: %w", err), p.stderr.String()+p.printed)
	case reply.Error != "":
		return reply, errors.New(reply.Error)
	}
	return reply, nil
}

// Close ends the process and waits for it.
func (p *Process) Close() error {
	p.in.Close()
	io.Copy(io.Discard, p.out)
	return p.cmd.Wait()
}
