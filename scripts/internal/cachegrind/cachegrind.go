// Package cachegrind counts what programs of Go execute, by the tool of valgrind of that name.
package cachegrind

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"raysteps/scripts/internal/tool"
)

// A simulated cache has the same size everywhere: nothing that is counted depends on it, and what
// some virtual machines say of theirs is more than cachegrind takes.
var caches = []string{"--I1=32768,8,64", "--D1=32768,8,64", "--LL=8388608,16,64"}

// Installed returns an error that says how to get valgrind if it is not here.
func Installed() error {
	if _, err := exec.LookPath("valgrind"); err != nil {
		return errors.New("valgrind is not installed, which counts instructions on Linux; want it from apt-get install valgrind, or the like")
	}
	return nil
}

// Works returns an error that says why no program of Go can be counted here. To know that,
// valgrind runs one that ends at once.
func Works(ctx context.Context) error {
	if err := Installed(); err != nil {
		return err
	}
	command, err := exec.LookPath("go")
	if err != nil {
		return err
	}
	_, err = valgrind(ctx, "", append(os.Environ(), "GOTOOLCHAIN=local"), "--tool=none", command, "version")
	return err
}

// Run runs a program of Go, whose arguments may come behind more flags of valgrind, on one
// processor and without collecting garbage before GOMEMLIMIT, and returns what it prints, and by
// event how often that happened, but for functions and files whose line ("fn=" or "fl=" and the
// name) a pattern matches. Valgrind writes to a file. The environment is not empty.
func Run(
	ctx context.Context, dir string, env []string, file string, without *regexp.Regexp, args ...string,
) (printed string, sums map[string]float64, err error) {
	args = slices.Concat([]string{"--tool=cachegrind", "--branch-sim=yes", "--cachegrind-out-file=" + file}, caches, args)
	env = append(slices.Clip(env), "GOMAXPROCS=1", "GOGC=off")
	if printed, err = valgrind(ctx, dir, env, args...); err != nil {
		return "", nil, err
	}
	text, err := os.ReadFile(file)
	if err == nil {
		sums, err = parseCounts(string(text), without)
	}
	return printed, sums, err
}

// valgrind runs it, and returns what the program prints. Its error is one line.
func valgrind(ctx context.Context, dir string, env []string, args ...string) (string, error) {
	stdout, stderr, err := tool.Execute(ctx, dir, countable(env), "valgrind", append([]string{"--quiet"}, args...)...)
	if err == nil {
		return stdout, nil
	}
	text := stderr + "\n" + stdout
	if m := killed.FindStringSubmatch(text); m != nil {
		text = m[1] + "\n" + strings.Join(fatal.FindAllString(text, 1), "")
	}
	if err = tool.Failure(ctx, err, chatter.ReplaceAllString(text, "")); ctx.Err() == nil {
		err = fmt.Errorf("valgrind: %w", err)
	}
	return "", err
}

var (
	// killed is what valgrind says of a program that a signal ended, and fatal what the runtime
	// of Go says, which catches some of them.
	killed = regexp.MustCompile(`(?m)^==\d+== (Process terminating .*)$`)
	fatal  = regexp.MustCompile(`(?m)^(?:panic|fatal error|SIG[A-Z]+): .*$`)
	// chatter is what explains no failure: of valgrind, of the settings of [countable], and the
	// bytes and frames around an instruction that valgrind does not know.
	chatter = regexp.MustCompile(`(?m)^(?:(?:==|--|\*\*)\d+(?:==|--|\*\*)|vex |GODEBUG).*$`)
)

// countable adds to an environment what programs of Go need in order to run in valgrind, and to
// be the same in each run: no signal interrupts a goroutine, and rdtscp is not used.
//
// Of the features that Go's internal/cpu and golang.org/x/sys/cpu ask for, valgrind 3.19 to 3.25
// reports those of an older processor, or none: AVX-512 in all its parts, VAES, VPCLMULQDQ, GFNI,
// SHA, ADX and FSRM are hidden, AES and PCLMULQDQ are emulated on every host, and AVX, AVX2, F16C,
// RDRAND and RDSEED are reported where the host has them. RDTSCP alone is reported always, and
// executed only where the host has it. (So are BMI1 and BMI2 where the host has AVX2, and no
// processor with that lacks them.) The runtime reads its clock by it, so no count hangs on it.
func countable(env []string) []string {
	settings := ""
	for _, variable := range env { // the last counts
		if value, ok := strings.CutPrefix(variable, "GODEBUG="); ok {
			settings = value
		}
	}
	settings = strings.TrimPrefix(settings+",asyncpreemptoff=1", ",")
	if runtime.GOARCH == "amd64" { // others do not know it, and say so
		settings += ",cpu.rdtscp=off"
	}
	return append(slices.Clip(env), "GODEBUG="+settings)
}

func parseCounts(text string, without *regexp.Regexp) (map[string]float64, error) {
	var names []string
	sums, left := map[string]float64{}, map[string]bool{} // by fn and fl
	for line := range strings.Lines(text) {
		fields := strings.Fields(line)
		if key, _, _ := strings.Cut(line, "="); key == "fl" || key == "fn" {
			left[key] = without.MatchString(strings.TrimSpace(line))
		} else if len(fields) > 0 && fields[0] == "events:" {
			names = fields[1:]
		} else if !left["fl"] && !left["fn"] && line[0] >= '0' && line[0] <= '9' {
			for i, field := range fields[1:] { // behind the number of a line of source
				n, err := strconv.ParseFloat(field, 64)
				if err != nil || i >= len(names) {
					return nil, fmt.Errorf("cannot read cachegrind's line %q; want counts of %q", strings.TrimSpace(line), names)
				}
				sums[names[i]] += n
			}
		}
	}
	return sums, nil
}
