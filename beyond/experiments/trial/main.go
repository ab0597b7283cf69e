package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// trial is a run of the command.
type trial struct {
	folder      string // scratch
	out         string
	time        time.Duration
	ab          string // program
	repetitions int
	only        string
	started     time.Time
}

func main() {
	t := &trial{}
	flag.StringVar(&t.out, "o", "", "`file` to which rows are added, in the Go benchmark format; what it has is not measured again")
	flag.DurationVar(&t.time, "time", time.Minute, "of each way for the rows of a package, building included")
	flag.IntVar(&t.repetitions, "repetitions", 5, "how often each way compares each package, with other changes")
	verify := flag.Bool("verify", false, "count by valgrind that each iteration does the work that it should, and measure nothing")
	flag.StringVar(&t.only, "by", "", "the `way` that compares, or all")
	sum := flag.Bool("sum", false, "print benchmark lines of what was called, and measure nothing")
	flag.Parse()
	known := t.only == "" || slices.ContainsFunc(ways, func(w way) bool { return w.name == t.only })
	if flag.NArg() > 0 || t.time <= 0 || t.repetitions < 1 || !*verify && t.out == "" || !known {
		fmt.Fprintln(os.Stderr, "trial: want flags alone: -o FILE or -verify, a -time and -repetitions above 0, and -by after, turns, orders or ab; go doc ./beyond/experiments/trial says more")
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	var err error
	if *sum {
		err = sumUp(t.out, os.Stdout)
	} else {
		err = t.run(ctx, *verify)
	}
	if err != nil {
		if ctx.Err() != nil {
			err = errors.New("interrupted; the same command goes on")
		}
		fmt.Fprintln(os.Stderr, "trial:", err)
		os.Exit(1)
	}
}

func (t *trial) run(ctx context.Context, verify bool) (err error) {
	if t.folder, err = os.MkdirTemp("", "trial-"); err != nil {
		return err
	}
	defer os.RemoveAll(t.folder)
	all, err := read(t.out)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	t.ab = filepath.Join(t.folder, "ab.exe")
	if _, err := output(ctx, "", "go", "build", "-o", t.ab, "raysteps/scripts/ab"); err != nil {
		return err
	}
	done := map[string]bool{}
	for _, o := range all {
		done[fmt.Sprint(o.repetition, o.pkg, o.way)] = true
	}
	t.started = time.Now()
	if verify {
		t.repetitions = 1
	}
	for repetition := 1; repetition <= t.repetitions; repetition++ {
		random := rand.New(rand.NewPCG(1, uint64(repetition)))
		for _, i := range random.Perm(len(subjects)) {
			s, lines, order, seed := subjects[i], 1+random.IntN(60), random.Perm(len(ways)), random.Uint64()
			left := slices.DeleteFunc(order, func(way int) bool {
				name := ways[way].name
				return t.only != "" && t.only != name || done[fmt.Sprint(repetition, s.name, name)]
			})
			if len(left) == 0 {
				continue
			}
			p, err := t.prepare(ctx, s, lines, rand.New(rand.NewPCG(seed, 0)))
			switch {
			case err != nil:
			case verify:
				err = p.verify(ctx)
			default:
				err = t.compare(ctx, p, repetition, left)
			}
			if err = cmp.Or(err, os.RemoveAll(p.folder)); err != nil {
				return fmt.Errorf("%s: %w", s.name, err)
			}
		}
	}
	return nil
}

// compare lets some ways compare a package, and adds what they say to the file.
func (t *trial) compare(ctx context.Context, p *pair, repetition int, order []int) error {
	for _, i := range order {
		start, way, compare := time.Now(), ways[i], t.benchstat
		if way.orders == 0 {
			compare = t.runAB
		}
		outcomes, err := compare(ctx, way, p)
		took := time.Since(start)
		if err == nil {
			err = t.add(p, outcomes, way.name, repetition, took)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", way.name, err)
		}
		fmt.Fprintf(os.Stderr, "%v: repetition %d, %s by %s in %.1f s\n", time.Since(t.started).Round(time.Second), repetition, p.name, way.name, took.Seconds())
	}
	return nil
}

// output runs a program and returns what it prints.
func output(ctx context.Context, dir, program string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir = dir
	text, err := cmd.Output()
	if failed := (*exec.ExitError)(nil); errors.As(err, &failed) {
		err = fmt.Errorf("%s: %w: %s", filepath.Base(program), err, strings.TrimSpace(string(failed.Stderr)))
	}
	return string(text), err
}
