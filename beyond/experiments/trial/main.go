package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/aclements/go-moremath/stats"
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

// pair is a package in both versions.
type pair struct {
	subject
	folder       string    // scratch
	dirs         [2]string // of the old and the new package
	rows         []row
	round, slope float64 // seconds that a round of all rows takes, and by how much more for a longer -benchtime
	squaring     float64 // seconds
}

// prepare copies a package and plants the changes.
func (t *trial) prepare(ctx context.Context, s subject, lines int, random *rand.Rand) (*pair, error) {
	p := &pair{subject: s, folder: filepath.Join(t.folder, s.name)}
	text, err := output(ctx, t.folder, "go", "mod", "download", "-json", s.module+"@"+s.version)
	if err != nil {
		return p, err
	}
	var module struct{ Dir string }
	if err := json.Unmarshal([]byte(text), &module); err != nil {
		return p, err
	}
	for version, name := range []string{"old", "new"} {
		root := filepath.Join(p.folder, name)
		p.dirs[version] = filepath.Join(root, s.folder)
		if err := os.CopyFS(root, os.DirFS(module.Dir)); err != nil {
			return p, err
		}
		packages, err := rewriteAll(p.dirs[version])
		if err == nil && version == 0 {
			if err = plant(p.dirs[version], packages, nil, false, 0); err == nil {
				err = p.probe(ctx)
			}
			draw(p.rows, p.squaring, random)
		}
		if err == nil {
			err = plant(p.dirs[version], packages, p.rows, version == 1, lines)
		}
		if err == nil {
			_, err = p.link(ctx, version, 0) // what is compiled is in the cache then
		}
		if err != nil {
			return p, err
		}
	}
	// For ab the versions are a commit and the folder.
	old, git := filepath.Join(p.folder, "old"), ".git"
	for _, args := range [][]string{{"init", "-q"}, {"add", "-A"}, {"-c", "user.name=trial", "-c", "user.email=trial@localhost", "commit", "-q", "--no-verify", "-m", "old"}} {
		if _, err := output(ctx, old, "git", args...); err != nil {
			return p, err
		}
	}
	return p, os.Rename(filepath.Join(old, git), filepath.Join(p.folder, "new", git))
}

// probe finds the rows, how long they and a squaring take, the median of runs in several link
// orders, and how long a round of all takes.
func (p *pair) probe(ctx context.Context) error {
	const short, long = 20 * time.Millisecond, 60 * time.Millisecond
	took := map[time.Duration]float64{short: math.Inf(1), long: math.Inf(1)}
	times := map[string][]float64{} // nanoseconds
	for order := range 4 {
		file, err := p.link(ctx, 0, 1+order)
		if err != nil {
			return err
		}
		for _, benchtime := range []time.Duration{short, long} {
			start := time.Now()
			text, err := output(ctx, p.dirs[0], file, p.flags(benchtime)...)
			took[benchtime] = min(took[benchtime], time.Since(start).Seconds())
			more, failed := output(ctx, p.dirs[0], file, append(p.flags(benchtime), "-test.bench="+squaring)...)
			if err = cmp.Or(err, failed); err != nil {
				return err
			}
			for _, m := range line.FindAllStringSubmatch(text+more, -1) {
				ns, _ := strconv.ParseFloat(m[2], 64)
				if times[m[1]] == nil && m[1] != squaring {
					p.rows = append(p.rows, row{name: m[1]})
				}
				times[m[1]] = append(times[m[1]], ns)
			}
		}
	}
	if len(p.rows) == 0 {
		return fmt.Errorf("%s matches no benchmark", p.bench)
	}
	median := func(name string) float64 { return stats.Sample{Xs: times[name]}.Quantile(0.5) / 1e9 }
	for i, r := range p.rows {
		p.rows[i].seconds = median(r.name)
	}
	p.squaring = median(squaring)
	p.slope = (took[long] - took[short]) / (long - short).Seconds()
	p.round = max(0, took[short]-p.slope*short.Seconds())
	return nil
}

var line = regexp.MustCompile(`(?m)^Benchmark(\S+)\s+\d+\s+([\d.e+]+) ns/op`)

// link links a version in an order, or the linker's if it is 0, and returns the file.
func (p *pair) link(ctx context.Context, version, order int) (file string, err error) {
	file = filepath.Join(p.folder, fmt.Sprintf("%d-%d.exe", version, order))
	args := []string{"test", "-c", "-vet=off", "-buildvcs=false", "-o", file}
	if order > 0 {
		args = append(args, fmt.Sprint("-ldflags=-randlayout=", order))
	}
	_, err = output(ctx, p.dirs[version], "go", append(args, ".")...)
	return file, err
}

// flags are those of a test binary: a time, or iterations such as 10x.
func (p *pair) flags(benchtime any) []string {
	return []string{"-test.run=^$", "-test.bench=" + p.bench, "-test.cpu=1", fmt.Sprint("-test.benchtime=", benchtime)}
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
