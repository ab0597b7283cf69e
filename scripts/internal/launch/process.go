package launch

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"

	"raysteps/common/turns"
	"raysteps/scripts/internal/cli"
)

// process is a program that serves slices.
type process struct {
	ctx     context.Context
	cmd     *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Reader
	printed string       // what is no reply
	stderr  bytes.Buffer // to be read once the process has ended
}

// Start starts a program. The command is one of exec.CommandContext with this context.
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

func (p *process) Load(group any) ([]turns.Subject, error) {
	text, err := json.Marshal(group)
	if err != nil {
		return nil, err
	}
	reply, err := p.ask(turns.Request{Load: text})
	return reply.Subjects, err
}

func (p *process) Take(r turns.Request) ([]turns.Values, error) {
	reply, err := p.ask(r)
	if err == nil && len(reply.Slices) != len(r.Subjects) {
		err = fmt.Errorf("%s gave %d slices; want %d", p.cmd.Path, len(reply.Slices), len(r.Subjects))
	}
	return reply.Slices, err
}

// ask sends a request and waits for the reply. After an error the process has ended,
// and the error says what it printed last.
func (p *process) ask(r turns.Request) (reply turns.Reply, err error) {
	if err = json.NewEncoder(p.in).Encode(r); err == nil {
		var printed string
		reply, printed, err = turns.ReadReply(p.out)
		p.printed += printed
	}
	if err != nil {
		p.in.Close()
		err = fmt.Errorf("the process ended: %w", cmp.Or(p.cmd.Wait(), err))
		return reply, cli.Failure(p.ctx, err, p.stderr.String()+p.printed)
	}
	if reply.Error != "" {
		err = errors.New(reply.Error)
	}
	return reply, err
}

// Close ends the process and waits for it.
func (p *process) Close() error {
	p.in.Close()
	io.Copy(io.Discard, p.out)
	return p.cmd.Wait()
}
