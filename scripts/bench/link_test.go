package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"raysteps/scripts/internal/cli"
	"raysteps/scripts/internal/steps"
	"raysteps/scripts/internal/toolchain"
)

func TestBuildArguments(t *testing.T) {
	tests := []struct {
		build build
		want  string
	}{
		{build{}, "-trimpath -pgo=off"},
		{build{level: "v3", toolchain: "go1.27.4"}, "-trimpath -pgo=off"},
		{build{level: "v1", pgo: true}, "-trimpath -pgo=a.pprof"},
		{build{pgo: true, unchecked: true, instrumented: true},
			"-trimpath -pgo=a.pprof -gcflags=raysteps/step...=-B -gcflags=raysteps/beyond/...=-B -tags=instrument"},
	}
	for _, tt := range tests {
		assert.Equal(t, tt.want, strings.Join(tt.build.arguments("a.pprof"), " "))
	}
}

func TestEnvironment(t *testing.T) {
	t.Setenv("GOEXPERIMENT", "foo,simd,bar")
	last := func(l *linker, b build, key string) string {
		value := ""
		for _, line := range l.environment(b) {
			if text, ok := strings.CutPrefix(line, key+"="); ok {
				value = text // the last one counts
			}
		}
		return value
	}
	assert.Equal(t, "foo,simd,bar", last(&linker{}, build{}, "GOEXPERIMENT"), "as the user has it")
	assert.Equal(t, "foo,bar,simd", last(&linker{simd: true}, build{}, "GOEXPERIMENT"))
	assert.Equal(t, "v3", last(&linker{}, build{level: "v3"}, "GOAMD64"))
	assert.Equal(t, "go1.27.4", last(&linker{}, build{toolchain: "go1.27.4"}, "GOTOOLCHAIN"))
	assert.Equal(t, os.Getenv("GOAMD64"), last(&linker{}, build{}, "GOAMD64"))
}

func TestUseSIMD(t *testing.T) {
	root, err := cli.ModuleRoot()
	require.NoError(t, err)
	l := &linker{root: root}
	require.NoError(t, l.useSIMD([]string{"step01", "step12"}))
	assert.False(t, l.simd)
	assert.Empty(t, l.note)
	require.NoError(t, l.useSIMD([]string{"step01", "beyond/archsimd"}))
	available := toolchain.HasSIMD(root, append(os.Environ(), "GOEXPERIMENT=simd"))
	assert.Equal(t, available, l.simd)
	if !available {
		assert.Equal(t, "This toolchain has no GOEXPERIMENT=simd for "+runtime.GOARCH+": beyond/archsimd is built without it", l.note)
	}
}

// The tree stays as it is: the launcher's sources and the copy of the first step
// are put in place by the overlay.
func TestOverlay(t *testing.T) {
	root := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(root, "step01"), 0o777))
	for _, name := range []string{"vec.go", "vec_test.go"} {
		require.NoError(t, os.WriteFile(filepath.Join(root, "step01", name), []byte("package step01\n"), 0o666))
	}
	l := &linker{root: root, bin: t.TempDir()}
	name, err := l.overlay(filepath.Join(l.bin, "launcher"), steps.All()[:1], true, false)
	require.NoError(t, err)
	text, err := os.ReadFile(name)
	require.NoError(t, err)
	for _, want := range []string{"main.go", "counters_linux.go", "counters_other.go", "variants.go", "vec.go"} {
		assert.Contains(t, string(text), want)
	}
	assert.NotContains(t, string(text), "vec_test.go")
	assert.Equal(t, []string{"step01"}, names(t, root))
}

// Ctrl-C ends the command, too, which is then no failure of it.
func TestFailure(t *testing.T) {
	exit := errors.New("exit status 1")
	for _, tt := range []struct{ name, text, want string }{
		{"nothing", "", "exit status 1"},
		{"empty lines", "\n \n", "exit status 1"},
		{"does not compile", "# raysteps/step04\nstep04/a.go:3:4: undefined: b\n", "exit status 1: # raysteps/step04; step04/a.go:3:4: undefined: b"},
		{"much", "a\n\nb\n c\nd\ne\n", "exit status 1: a; b; c; d; ..."},
		{"panic", "warming up\npanic: a\n\ngoroutine 7 [running]:\n\tb\nc\nd\n", "exit status 1: panic: a"},
		{"fault", "unexpected fault address 0x0\nfatal error: fault\n[signal SIGSEGV]\n", "exit status 1: fatal error: fault"},
	} {
		err := failure(t.Context(), exit, tt.text)
		assert.EqualError(t, err, tt.want, tt.name)
		assert.ErrorIs(t, err, exit)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	assert.Equal(t, context.Canceled, failure(ctx, exit, "a\n"))
}
