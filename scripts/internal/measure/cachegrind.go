package measure

import (
	"context"
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"

	"raysteps/scripts/internal/cli"
)

// Cachegrind runs a program, whose arguments may come behind more flags of valgrind, and returns
// what it prints, and by event how often that happened, but for functions and files whose line
// ("fn=" or "fl=" and the name) a pattern matches. Valgrind writes to a file.
func Cachegrind(ctx context.Context, dir string, env []string, file string, without *regexp.Regexp, args ...string) (printed string, sums map[string]float64, err error) {
	args = append([]string{"--quiet", "--tool=cachegrind", "--branch-sim=yes", "--cachegrind-out-file=" + file}, args...)
	if printed, err = cli.Output(ctx, dir, env, "valgrind", args...); err != nil {
		return "", nil, err
	}
	text, err := os.ReadFile(file)
	if err == nil {
		sums, err = parseCounts(string(text), without)
	}
	return printed, sums, err
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
