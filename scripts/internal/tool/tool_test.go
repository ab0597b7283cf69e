package tool_test

import (
	"context"
	"errors"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"

	"raysteps/scripts/internal/tool"
)

func TestFailure(t *testing.T) {
	exit := errors.New("exit status 1")
	for _, tt := range []struct{ name, text, want string }{
		{"nothing", "", "exit status 1"},
		{"empty lines", "\n \n", "exit status 1"},
		{"does not compile", "# raysteps/step04\nstep04/a.go:3:4: undefined: b\n", "exit status 1: # raysteps/step04; step04/a.go:3:4: undefined: b"},
		{"four lines", "a\nb\nc\nd\n", "exit status 1: a; b; c; d"},
		{"many lines", "a\n\nb\n c\nd\ne\n", "exit status 1: a; b; c; ...; e"},
		{"warnings", "cc1plus: warning: a\n==7== Warning: b\nerror: c\n", "exit status 1: error: c"},
		{"warnings alone", "warning: a\n", "exit status 1"},
		{"panic", "warming up\npanic: a\n\ngoroutine 7 [running]:\n\tb\nc\nd\n", "exit status 1: panic: a"},
		{"panic in this module", "panic: a\n\ngoroutine 7 [running]:\nruntime.b()\n\truntime/panic.go:3 +0x1\nb()\n\traysteps/common/film/film.go:3 +0x1\nc()\n\traysteps/lab/passes/world.go:31 +0x2\n", "exit status 1: panic: a at lab/passes/world.go:31"},
		{"fault", "unexpected fault address 0x0\nfatal error: fault\n[signal SIGSEGV]\n", "exit status 1: fatal error: fault"},
	} {
		err := tool.Failure(t.Context(), exit, tt.text)
		assert.EqualError(t, err, tt.want, tt.name)
		assert.ErrorIs(t, err, exit)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	assert.Equal(t, context.Canceled, tool.Failure(ctx, exit, "a\n"))

	// Ctrl-C ends the command, which is then no failure of it.
	if runtime.GOOS != "windows" {
		_, err := tool.Output(t.Context(), "", nil, "sh", "-c", "kill -INT $$")
		assert.Equal(t, context.Canceled, err)
	}
}
