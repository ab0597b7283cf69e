package main

import (
	"context"
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
)

// calls matches the functions of the work in a file of cachegrind.
var calls = regexp.MustCompile(`^fn=.*raystepsWork(\d+)\n$`)

// verify counts the instructions of the work of each row: ten iterations, and one before them.
// Valgrind reports rdtscp where the processor lacks it.
func (p *pair) verify(ctx context.Context) error {
	if err := os.Setenv("GODEBUG", os.Getenv("GODEBUG")+",cpu.rdtscp=off"); err != nil {
		return err
	}
	var counts [2]map[string]int
	for version, dir := range p.dirs {
		file, err := p.link(ctx, version, 0)
		if err == nil {
			args := []string{"--quiet", "--tool=cachegrind", "--cachegrind-out-file=" + file + ".counts", file}
			_, err = output(ctx, dir, "valgrind", append(args, p.flags("10x")...)...)
		}
		if err != nil {
			return err
		}
		text, err := os.ReadFile(file + ".counts")
		if err != nil {
			return err
		}
		counts[version] = countWork(string(text))
	}
	for i, r := range p.rows {
		key := strconv.Itoa(i)
		// A block has the instructions of its loop, too.
		got, want, loops := counts[1][key]-counts[0][key], 11*r.more, 11*(8+4*((base+r.more)/block))
		if counts[0][key] == 0 || got < want || got > want+loops {
			return fmt.Errorf("%s: the new version executes %d instructions more in 11 iterations; want %d", r.name, got, want)
		}
		fmt.Printf("%s %s: %g%% are %d squarings, %d instructions more per iteration\n", p.name, r.name, r.class, r.more, got/11)
	}
	return nil
}

// countWork returns the instructions of each function of the work.
func countWork(text string) map[string]int {
	counts, at := map[string]int{}, ""
	for l := range strings.Lines(text) {
		var line, n int
		if m := calls.FindStringSubmatch(l); m != nil {
			at = m[1]
		} else if strings.HasPrefix(l, "fn=") {
			at = ""
		} else if got, _ := fmt.Sscan(l, &line, &n); got == 2 && at != "" {
			counts[at] += n
		}
	}
	return counts
}
