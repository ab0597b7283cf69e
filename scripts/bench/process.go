package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os/exec"
	"strings"
	"time"

	"raysteps/common"
	"raysteps/common/steptest"
	"raysteps/scripts/internal/cli"
	"raysteps/scripts/internal/results"
	"raysteps/scripts/internal/steps"
)

// process is a running launcher.
type process struct {
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    *bufio.Reader
	stderr strings.Builder
	ctx    context.Context
}

func startProcess(ctx context.Context, binary string, args ...string) (*process, error) {
	p := &process{cmd: exec.CommandContext(ctx, binary, args...), ctx: ctx}
	p.cmd.Stderr = &p.stderr
	var err error
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	p.out = bufio.NewReader(out)
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	_, err = p.answer()
	if err != nil {
		p.close()
	}
	return p, err
}

// ask sends a request and returns the answer behind ok.
func (p *process) ask(format string, args ...any) (string, error) {
	if _, err := fmt.Fprintf(p.in, format+"\n", args...); err != nil {
		return "", p.failed(err)
	}
	return p.answer()
}

func (p *process) answer() (string, error) {
	line, err := p.out.ReadString('\n')
	if err != nil {
		return "", p.failed(err)
	}
	word, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
	if word != "ok" {
		return "", errors.New(rest)
	}
	return rest, nil
}

// failed says why a process no longer answers.
func (p *process) failed(err error) error {
	p.in.Close()
	if waited := p.cmd.Wait(); waited != nil {
		err = waited
	}
	return failure(p.ctx, fmt.Errorf("the launcher ended: %w", err), p.stderr.String())
}

func (p *process) close() {
	p.in.Close()
	p.cmd.Wait() // it ends at the end of its input; how, does not matter any more
}

// slicer measures steps by launchers: one process of each build a launch.
type slicer struct {
	binaries  [][]string                 // by build and by link order
	arguments []string                   // of the launchers
	units     []string                   // of the counters
	pictures  map[string]map[int]picture // by the title of a group and by subject: what was rendered first
	kernels   map[string]string          // by variant
}

// slot says where a subject is measured.
type slot struct {
	build    int
	variant  string
	scene    string
	settings common.Settings
}

// picture is what a variant renders for a slice.
type picture struct {
	rays int64
	md5  string
}

// turnTime is how long a slice takes at the least, and workersTurnTime how long
// one does that uses several threads: for the first milliseconds the system may
// run them on the same core. What is faster than that renders its picture several
// times.
const (
	turnTime        = 4 * time.Millisecond
	workersTurnTime = 50 * time.Millisecond
)

type slicerSession struct {
	*slicer
	processes []*process
	group     *group
	ids       []int // of its subjects
}

func (s *slicer) launch(ctx context.Context, order int) (session, error) {
	l := &slicerSession{slicer: s}
	for _, binaries := range s.binaries {
		p, err := startProcess(ctx, binaries[order%len(binaries)], s.arguments...)
		if err != nil {
			l.close()
			return nil, err
		}
		l.processes = append(l.processes, p)
	}
	return l, nil
}

func (l *slicerSession) close() {
	for _, p := range l.processes {
		p.close()
	}
}

// open makes the tracers of a group, in random order, so that each lies in
// another part of the memory in each launch.
func (l *slicerSession) open(g *group) error {
	l.group, l.ids = g, make([]int, len(g.subjects))
	for _, i := range rand.Perm(len(g.subjects)) {
		s := g.subjects[i].slot
		answer, err := l.processes[s.build].ask("prepare %s %s %d %d %d %d", s.variant, s.scene, s.settings.Width, s.settings.Height, s.settings.Samples, s.settings.Workers)
		if err != nil {
			return err
		}
		var got picture
		var kernel string
		if _, err := fmt.Sscan(answer, &l.ids[i], &got.rays, &got.md5, &kernel); err != nil {
			return err
		}
		if err := l.check(g, i, got); err != nil {
			return err
		}
		l.kernels[s.variant] = kernel
	}
	return nil
}

// check holds every launch to the picture of the first one.
func (s *slicer) check(g *group, i int, got picture) error {
	if s.pictures[g.title] == nil {
		s.pictures[g.title] = map[int]picture{}
	}
	if want, ok := s.pictures[g.title][i]; ok && got != want {
		return fmt.Errorf("%s rendered another picture in another launch: %d rays, %s; want %d, %s", g.subjects[i].slot.variant, got.rays, got.md5, want.rays, want.md5)
	}
	s.pictures[g.title][i] = got
	return nil
}

func (l *slicerSession) slice(i int) (values, error) {
	slot, atLeast := l.group.subjects[i].slot, turnTime
	if slot.settings.Workers > 1 {
		atLeast = workersTurnTime
	}
	answer, err := l.processes[slot.build].ask("turn %d %d", l.ids[i], atLeast.Nanoseconds())
	if err != nil {
		return nil, err
	}
	var renders, rays, nanoseconds float64
	counts := make([]float64, len(l.units))
	targets := []any{&renders, &rays, &nanoseconds}
	for i := range counts {
		targets = append(targets, &counts[i])
	}
	if _, err := fmt.Sscan(answer, targets...); err != nil {
		return nil, fmt.Errorf("answer %q: %w", answer, err)
	}
	v := values{"rays/s": rays / nanoseconds * 1e9}
	if slot.settings.Workers == 1 { // counters are those of one thread
		for i, unit := range l.units {
			v[unit] = counts[i] / rays
		}
	}
	return v, nil
}

// countable opens the processor's counters once, and has every launch read them
// if that works.
func (s *slicer) countable(ctx context.Context) error {
	p, err := startProcess(ctx, s.binaries[0][0], "-counters")
	if err != nil {
		return err
	}
	p.close()
	s.arguments, s.units = []string{"-counters"}, results.Counters()
	return nil
}

// withKernel adds to the lines of a step the kernel that it ran, unless that is
// the one that the step is about.
func (s *slicer) withKernel(pkg string, config map[string]string) map[string]string {
	for _, step := range steps.All() {
		if kernel := s.kernels[step.Name]; step.Package() == pkg && kernel != "" && kernel != "-" && kernel != steptest.Kernel(step.Name) {
			config = maps.Clone(config)
			if config == nil {
				config = map[string]string{}
			}
			config["kernel"] = kernel
		}
	}
	return config
}

// renderFull renders whole pictures, each once, in turns with slices.
func (p *plan) renderFull(ctx context.Context, env *cli.Env, f *file) (done, all int, err error) {
	s := p.slicer
	l, err := s.launch(ctx, 0)
	if err != nil {
		return 0, 0, err
	}
	defer l.close()
	session := l.(*slicerSession)
	full := common.Default()
	for _, g := range p.groups {
		all += len(g.subjects)
	}
	bar := env.Progress(int64(all), "rendering")
	defer bar.Finish()
	for _, g := range p.groups {
		if err := session.open(&g); err != nil {
			return done, all, err
		}
		for i, subject := range g.subjects {
			bar.Describe("rendering the " + g.title + " with " + subject.slot.variant)
			answer, err := session.processes[0].ask("full %d %d %d %d", session.ids[i], full.Width, full.Height, full.Samples)
			if err != nil {
				return done, all, err
			}
			var rays, took, sliceRays, sliceTook float64
			if _, err := fmt.Sscan(answer, &rays, &took, &sliceRays, &sliceTook); err != nil {
				return done, all, fmt.Errorf("answer %q: %w", answer, err)
			}
			subject.name = "Full/" + strings.TrimPrefix(subject.name, "Render/")
			r := record{subject: subject, order: 1, launch: 1, slices: 1, values: values{
				"sec/op": took / 1e9, "rays/op": rays, "rays/s": rays / took * 1e9, results.SliceRate: sliceRays / sliceTook * 1e9,
			}}
			if err := p.keep(f)([]record{r}); err != nil {
				return done, all, err
			}
			done++
			bar.Add(1)
		}
	}
	return done, all, nil
}
