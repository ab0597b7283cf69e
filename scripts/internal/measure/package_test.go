package measure

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestChild is no test, but a process of these tests.
func TestChild(t *testing.T) {
	if os.Getenv("CHILD") == "" {
		t.Skip("is run by others")
	}
	Add("BenchmarkA", func(b *testing.B) {
		fmt.Print("BenchmarkA 1 1 ns/op\n", mark)
		for b.Loop() {
		}
		cycle, _ := strconv.Atoi(os.Getenv("RAYSTEPS_CYCLE"))
		b.ReportMetric(float64(cycle), "apples")
	})
	Add("BenchmarkBad", func(b *testing.B) {
		b.Run("x=1", func(b *testing.B) { b.Fatal("no apples") })
		b.Run("x=2", func(b *testing.B) { b.ReportMetric(4, "apples") })
	})
	Add("BenchmarkOuter", func(b *testing.B) { b.Run("x=1", func(*testing.B) {}) })
	Add("BenchmarkPanics", func(*testing.B) { panic("out of apples") })
	require.NoError(t, Serve())
	require.Empty(t, flag.Lookup("test.bench").Value.String(), "or the last slice would run again")
	fmt.Fprint(out, strings.Repeat("much\n", 1<<18))
}

func child(t *testing.T, ctx context.Context) Server {
	cmd := exec.CommandContext(ctx, os.Args[0], "-test.run=^TestChild$", "-test.cpu=1")
	cmd.Env = append(os.Environ(), "CHILD=yes")
	p, err := Start(ctx, cmd)
	require.NoError(t, err)
	return p
}

func TestProcess(t *testing.T) {
	p := child(t, t.Context())
	slices, err := p.Ask(Request{Cycle: 3, Slices: []Run{{"A", 7, 0}, {"Bad/x=2", 2, 0}}})
	require.NoError(t, err)
	for i, want := range []struct {
		name   string
		n      int
		apples float64
	}{{"A", 7, 3}, {"Bad/x=2", 2, 4}} {
		assert.Equal(t, want.name, slices[i].Name)
		assert.Equal(t, want.n, slices[i].N)
		assert.Equal(t, want.apples, slices[i].Values["apples"])
		assert.Positive(t, slices[i].Took)
	}

	found, err := p.Ask(Request{Function: "BenchmarkBad", Bench: "."})
	require.NoError(t, err)
	require.Len(t, found, 2, "and not the outer one, which fails by the inner")
	assert.Regexp(t, `^package_test.go:\d+: no apples$`, found[0].Failure)
	assert.Equal(t, []string{"Bad/x=1", "Bad/x=2"}, []string{found[0].Name, found[1].Name})
	assert.NoError(t, p.Close(), "what it prints is read to the end")
	assert.NotNil(t, p.(*process).cmd.ProcessState, "and it has ended, and is waited for")

	for name, want := range map[string]string{
		"Bad/x=1": "Bad/x=1: package_test.go:",
		"Outer":   "Outer is not among the benchmarks of ",
		"Nosuch":  "Nosuch is not among the benchmarks of ",
		"Panics":  "the process ended: exit status 2: panic: out of apples",
	} {
		_, err := child(t, t.Context()).Ask(Request{Slices: []Run{{"A", 1, 0}, {name, 1, 0}}})
		assert.ErrorContains(t, err, want)
	}
	ctx, cancel := context.WithCancel(t.Context())
	p = child(t, ctx)
	cancel()
	_, err = p.Ask(Request{Slices: []Run{{"A", 1, 0}}})
	assert.ErrorIs(t, err, context.Canceled)
}

// In later orders the linker runs alone, and makes what the go command does.
func TestLink(t *testing.T) {
	dir, file := t.TempDir(), filepath.Join(t.TempDir(), "test.exe")
	for name, text := range map[string]string{"go.mod": "module example.com/x\n\ngo 1.21\n", "x_test.go": "package x\n"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	env := append(os.Environ(), "GOFLAGS=-trimpath") // else the program says how it was linked
	all, err := Find(t.Context(), dir, t.TempDir(), env, ".")
	require.NoError(t, err)
	numbers := []int{7, 8, 9, 7}
	side := all[0].Side(file, func(order int) int { return numbers[order] }, nil, "-ldflags=-buildid=") // of all alike
	var binaries [][]byte
	for order := range numbers {
		if order > 1 {
			t.Setenv("PATH", "") // and so there is no go
		}
		require.NoError(t, side.Link(t.Context(), order))
		binary, err := os.ReadFile(file)
		require.NoError(t, err)
		binaries = append(binaries, binary)
	}
	assert.True(t, bytes.Equal(binaries[0], binaries[3]))
	assert.False(t, bytes.Equal(binaries[0], binaries[2]))
	assert.Error(t, side.Link(t.Context(), 0), "which is for the go command")
}

// What others had of the time does not count.
func TestAccount(t *testing.T) {
	values := func() map[string]float64 {
		return map[string]float64{"sec/op": 2e-3, "B/s": 1e6, "B/op": 64, "rays/s": 3}
	}
	for _, tt := range []struct {
		name      string
		spent     Ran                // 0.008 s were timed
		want      map[string]float64 // what changes, or is added
		disturbed bool
	}{
		{"alone", Ran{Took: 0.010}, nil, false},
		{"a fifth", Ran{Took: 0.010, Waited: 0.0015}, map[string]float64{"sec/op": 1.7e-3, "B/s": 1e6 / 0.85, "rays/s": 3 / 0.85}, true},
		{"a little", Ran{Took: 0.010, Waited: 0.0005}, map[string]float64{"sec/op": 1.9e-3, "B/s": 1e6 / 0.95, "rays/s": 3 / 0.95}, false},
		{"longer than it was not timed", Ran{Took: 0.010, Waited: 0.004}, map[string]float64{"sec/op": 1e-3, "B/s": 2e6, "rays/s": 6}, false},
		{"before it was timed", Ran{Took: 0.100, Waited: 0.090}, nil, true},
		{"always", Ran{Took: 0.010, Waited: 0.0099}, nil, false},
		{"both processors", Ran{Took: 0.010, Used: 0.018}, map[string]float64{Processors: 2}, false},
		{"one of them", Ran{Took: 0.010, Used: 0.010}, map[string]float64{Processors: 1}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := Slice{N: 4, Values: values()}
			r.account(tt.spent)
			want := values()
			maps.Copy(want, tt.want)
			assert.InDeltaMapValues(t, want, r.Values, 1e-9)
			assert.Equal(t, tt.disturbed, r.Disturbed)
		})
	}
}

func TestParseCounts(t *testing.T) {
	const events = "events: Ir Dr Dw Bc Bcm Bi Bim\n"
	without := regexp.MustCompile(`^fl=.*runtime/proc\.go$|^fn=runtime\.sysmon$`)
	for _, counts := range []string{"1 2 3 4 5 6 7 8", "1 2 3 x 5 6 7"} {
		_, err := parseCounts(events+"fl=a.go\nfn=a\n9 "+counts+"\n", without)
		assert.EqualError(t, err, `cannot read cachegrind's line "9 `+counts+`"; want counts of ["Ir" "Dr" "Dw" "Bc" "Bcm" "Bi" "Bim"]`)
	}
	got, err := parseCounts("desc: I1 cache: 32768 B\ncmd: ./counter\n"+events+
		"fl=././raysteps/step04/hit.go\nfn=raysteps/step04.(*World).Hit\n20 1000 300 20 10\n21 1 2 3 4 5 6 7\n"+
		"fl=././runtime/proc.go\nfn=runtime.schedule\n1 5000 500 500 500 500 500 500\n"+
		"fl=???\nfn=runtime.sysmon\n1 5000 500 500 500 500 500 500\nfn=runtime.mallocgc\n0 30 0 0 0 0 0 0\nsummary: 6031 802 523 514 505 506 507\n", without)
	require.NoError(t, err)
	assert.Equal(t, map[string]float64{"Ir": 1031, "Dr": 302, "Dw": 23, "Bc": 14, "Bcm": 5, "Bi": 6, "Bim": 7}, got)
}

// Whatever valgrind prints before it ends, one line says what happened.
func TestDyingValgrind(t *testing.T) {
	const warnings = "echo '--7-- warning: L3 cache found' >&2; echo '==7== Warning: large range' >&2; "
	for name, tt := range map[string]struct{ script, want string }{
		"killed":         {warnings + "kill -KILL $$", "valgrind: signal: killed"},
		"warnings alone": {warnings + "exit 7", "valgrind: exit status 7"},
		"of its own":     {warnings + "echo 'valgrind: mmap failed in UME' >&2; exit 1", "valgrind: exit status 1: valgrind: mmap failed in UME"},
		"an instruction": {
			warnings + "echo 'vex amd64->IR: unhandled instruction bytes: 0xF' >&2; echo '==7== valgrind: Unrecognised instruction' >&2; echo '==7==    at 0x4: runtime.cputicks' >&2; " +
				"echo 'GODEBUG sys/cpu: unknown cpu feature \"rdtscp\"' >&2; echo 'SIGILL: illegal instruction'; echo 'PC=0x4 m=0'; echo; echo 'goroutine 1 [running]:'; exit 2",
			"valgrind: exit status 2: SIGILL: illegal instruction"},
		"a program that dies": {
			warnings + "echo '==7== ' >&2; echo '==7== Process terminating with default action of signal 4 (SIGILL)' >&2; echo '==7==    at 0x4: f' >&2; exit 132",
			"valgrind: exit status 132: Process terminating with default action of signal 4 (SIGILL)"},
		"a panic": {warnings + "echo 'panic: no apples'; echo; echo 'goroutine 1 [running]:'; exit 2", "valgrind: exit status 2: panic: no apples"},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := exec.LookPath("sh"); err != nil {
				t.Skip("the file is for another system")
			}
			bin := t.TempDir()
			require.NoError(t, os.WriteFile(filepath.Join(bin, "valgrind"), []byte("#!/bin/sh\n"+tt.script+"\n"), 0o700))
			t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
			assert.EqualError(t, CanCount(t.Context()), tt.want)
			_, _, err := Cachegrind(t.Context(), "", os.Environ(), filepath.Join(bin, "counts"), nil, "program")
			assert.EqualError(t, err, tt.want)
		})
	}
	t.Setenv("PATH", t.TempDir())
	assert.ErrorContains(t, CanCount(t.Context()), "valgrind is not installed, which counts instructions on Linux; want it from apt-get install valgrind")
}

// What a reader has set stays, but for what valgrind lacks.
func TestCountable(t *testing.T) {
	lacks := map[bool]string{true: ",cpu.rdtscp=off"}[runtime.GOARCH == "amd64"]
	for want, env := range map[string][]string{
		"asyncpreemptoff=1":                              {"GO=1"},
		"cpu.avx2=off,asyncpreemptoff=1":                 {"GODEBUG=gctrace=1", "GODEBUG=cpu.avx2=off", "GO=1"},
		"cpu.rdtscp=on,madvdontneed=0,asyncpreemptoff=1": {"GODEBUG=cpu.rdtscp=on,madvdontneed=0"},
	} {
		all := countable(env)
		assert.Equal(t, append(env, "GODEBUG="+want+lacks), all)
	}
}
