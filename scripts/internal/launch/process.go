package launch

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os/exec"
	"strings"
	"time"

	"raysteps/common"
	"raysteps/common/steptest"
	"raysteps/scripts/internal/oldresults"
	"raysteps/scripts/internal/steps"
)

// Process is a running launcher.
type Process struct {
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    *bufio.Reader
	stderr strings.Builder
	ctx    context.Context
}

// StartProcess starts a launcher. It ends when the context does.
func StartProcess(ctx context.Context, binary string, args ...string) (*Process, error) {
	p := &Process{cmd: exec.CommandContext(ctx, binary, args...), ctx: ctx}
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
		p.Close()
	}
	return p, err
}

// Ask sends a request and returns the answer behind ok.
func (p *Process) Ask(format string, args ...any) (string, error) {
	if _, err := fmt.Fprintf(p.in, format+"\n", args...); err != nil {
		return "", p.failed()
	}
	return p.answer()
}

// Prepare makes a tracer and renders its picture once. It returns the number
// that later requests call it by, and the name of its kernel, or "-".
func (p *Process) Prepare(s Slot) (id int, got Picture, kernel string, err error) {
	answer, err := p.Ask("prepare %s %s %d %d %d %d", s.Variant, s.Scene, s.Settings.Width, s.Settings.Height, s.Settings.Samples, s.Settings.Workers)
	if err == nil {
		_, err = fmt.Sscan(answer, &id, &got.Rays, &got.MD5, &kernel)
	}
	return id, got, kernel, err
}

func (p *Process) answer() (string, error) {
	line, err := p.out.ReadString('\n')
	if err != nil {
		return "", p.failed()
	}
	word, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
	switch word {
	case "ok":
		return rest, nil
	case "error":
		return "", errors.New(rest)
	}
	return "", fmt.Errorf("it writes to standard output, which is for answers: %.60q", line)
}

// failed says why a process no longer answers.
func (p *Process) failed() error {
	p.in.Close()
	err := p.cmd.Wait()
	if err == nil {
		err = errors.New("exit status 0")
	}
	return Failure(p.ctx, fmt.Errorf("the launcher ended: %w", err), p.stderr.String())
}

// Stderr returns what the process wrote to standard error. It must have been
// closed.
func (p *Process) Stderr() string { return p.stderr.String() }

// Close ends the process.
func (p *Process) Close() {
	p.in.Close()
	p.cmd.Wait() // it ends at the end of its input; how, does not matter any more
}

// Slicer measures steps by launchers: one process of each build a launch.
type Slicer struct {
	Binaries  [][]string                 // by build and by link order
	arguments []string                   // of the launchers
	units     []string                   // of the counters
	Pictures  map[string]map[int]Picture // by the title of a group and by subject: what was rendered first
}

// NewSlicer returns a slicer without binaries.
func NewSlicer() *Slicer {
	return &Slicer{Pictures: map[string]map[int]Picture{}}
}

// Slot says where a subject is measured.
type Slot struct {
	Build    int
	Variant  string
	Scene    string
	Settings common.Settings
}

// Picture is what a variant renders for a slice.
type Picture struct {
	Rays int64
	MD5  string
}

// SliceSettings returns the picture of a slice. It has as many samples a pixel as
// the picture of 1280x720 that it stands for, since rays of the same pixel are
// alike, and so are the jumps that they take. Rays of neighboring pixels are alike,
// too, the more the smaller the pixels: where a ray is short and its jumps weigh
// much, a picture of 64x36 is slower, and so the picture is larger. Where a
// ray is long the time is that of the spheres, whatever the jumps, and one sample is
// enough. A step with workers needs many tiles for each.
func SliceSettings(s steps.Step, sceneName string, workers int) common.Settings {
	settings := common.Settings{Width: 64, Height: 36, Samples: common.Default().Samples, Workers: 1}
	scalar := s.Number > 0 && s.Number < 10
	scale := 1
	switch {
	case s.Workers:
		scale = min(20, int(math.Ceil(6*math.Sqrt(float64(workers)/2))))
		settings.Workers = workers
	case sceneName == "large" && scalar:
		settings.Samples = 1
	case sceneName == "large":
		scale = 2
	case sceneName == "medium" && !scalar:
		scale = 4
	}
	settings.Width, settings.Height = scale*settings.Width, scale*settings.Height
	return settings
}

// TurnTime is how long a slice takes at the least, and WorkersTurnTime how long
// one does that uses several threads: for the first milliseconds the system may
// run them on the same core. What is faster than that renders its picture several
// times.
const (
	TurnTime        = 4 * time.Millisecond
	WorkersTurnTime = 50 * time.Millisecond
)

// SlicerSession is a launch of a slicer.
type SlicerSession struct {
	*Slicer
	processes []*Process
	group     *Group
	ids       []int // of its subjects
}

// Launch starts a launcher of each build.
func (s *Slicer) Launch(ctx context.Context, order int) (Session, error) {
	l := &SlicerSession{Slicer: s}
	for _, binaries := range s.Binaries {
		p, err := StartProcess(ctx, binaries[order%len(binaries)], s.arguments...)
		if err != nil {
			l.Close()
			return nil, err
		}
		l.processes = append(l.processes, p)
	}
	return l, nil
}

// Close ends the launchers.
func (l *SlicerSession) Close() {
	for _, p := range l.processes {
		p.Close()
	}
}

// Open makes the tracers of a group in place of those of another, in random order,
// so that each lies in another part of the memory in each launch. A step that runs
// another kernel than its own says so in the lines of its subject: figures of a plain
// version never pass for those of SIMD instructions.
func (l *SlicerSession) Open(g *Group) error {
	l.group, l.ids = g, make([]int, len(g.Subjects))
	for _, p := range l.processes {
		if _, err := p.Ask("clear"); err != nil {
			return err
		}
	}
	for _, i := range rand.Perm(len(g.Subjects)) {
		s := &g.Subjects[i]
		id, got, kernel, err := l.processes[s.Slot.Build].Prepare(s.Slot)
		if err != nil {
			return err
		}
		l.ids[i] = id
		if err := l.check(g, i, got); err != nil {
			return err
		}
		if kernel != "-" && kernel != steptest.Kernel(s.Slot.Variant) {
			if s.Config == nil {
				s.Config = map[string]string{}
			}
			s.Config["kernel"] = kernel
		}
	}
	return nil
}

// check holds every launch to the picture of the first one.
func (s *Slicer) check(g *Group, i int, got Picture) error {
	if s.Pictures[g.Title] == nil {
		s.Pictures[g.Title] = map[int]Picture{}
	}
	if want, ok := s.Pictures[g.Title][i]; ok && got != want {
		return fmt.Errorf("%s rendered another picture in another launch: %d rays, %s; want %d, %s", g.Subjects[i].Slot.Variant, got.Rays, got.MD5, want.Rays, want.MD5)
	}
	s.Pictures[g.Title][i] = got
	return nil
}

// Slice renders a slice of a subject of the open group.
func (l *SlicerSession) Slice(i int) (Values, error) {
	slot, atLeast := l.group.Subjects[i].Slot, TurnTime
	if slot.Settings.Workers > 1 {
		atLeast = WorkersTurnTime
	}
	answer, err := l.processes[slot.Build].Ask("turn %d %d", l.ids[i], atLeast.Nanoseconds())
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
	v := Values{"rays/s": rays / nanoseconds * 1e9}
	if slot.Settings.Workers == 1 { // counters are those of one thread
		for i, unit := range l.units {
			v[unit] = counts[i] / rays
		}
	}
	return v, nil
}

// Countable opens the processor's counters once, and has every launch read them
// if that works.
func (s *Slicer) Countable(ctx context.Context) error {
	p, err := StartProcess(ctx, s.Binaries[0][0], "-counters")
	if err != nil {
		return err
	}
	p.Close()
	s.arguments, s.units = []string{"-counters"}, results.Counters()
	return nil
}

// Full renders a picture of the first subject of the open group in another size,
// and slices for some time before and again after it. It returns the rays and the
// nanoseconds of both.
func (l *SlicerSession) Full(s common.Settings, beside time.Duration) (rays, took, sliceRays, sliceTook float64, err error) {
	answer, err := l.processes[l.group.Subjects[0].Slot.Build].Ask("full %d %d %d %d %d", l.ids[0], s.Width, s.Height, s.Samples, beside.Nanoseconds())
	if err != nil {
		return 0, 0, 0, 0, err
	}
	if _, err = fmt.Sscan(answer, &rays, &took, &sliceRays, &sliceTook); err != nil {
		err = fmt.Errorf("answer %q: %w", answer, err)
	}
	return rays, took, sliceRays, sliceTook, err
}
