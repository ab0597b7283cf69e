package cachegrind

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

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
			assert.EqualError(t, Works(t.Context()), tt.want)
			_, _, err := Run(t.Context(), "", os.Environ(), filepath.Join(bin, "counts"), nil, "program")
			assert.EqualError(t, err, tt.want)
		})
	}
	t.Setenv("PATH", t.TempDir())
	assert.ErrorContains(t, Works(t.Context()), "valgrind is not installed, which counts instructions on Linux; want it from apt-get install valgrind")
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
