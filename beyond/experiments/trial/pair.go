package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"time"

	"github.com/aclements/go-moremath/stats"
)

// pair is a package in both versions.
type pair struct {
	subject
	folder   string    // scratch
	dirs     [2]string // of the old and the new package
	rows     []row
	round    float64 // seconds that a round of all rows takes with a -benchtime of 0
	slope    float64 // seconds that a round takes more for each second of -benchtime
	squaring float64 // seconds
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
	commit := []string{"-c", "user.name=trial", "-c", "user.email=trial@localhost",
		"commit", "-q", "--no-verify", "-m", "old"}
	for _, args := range [][]string{{"init", "-q"}, {"add", "-A"}, commit} {
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
