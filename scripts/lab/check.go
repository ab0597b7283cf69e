package main

import (
	"context"
	"errors"
	"fmt"
	"go/parser"
	"go/token"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/dustin/go-humanize/english"
	"github.com/gofrs/flock"

	"raysteps/common"
	"raysteps/common/answers"
	"raysteps/common/scene"
	"raysteps/scripts/internal/cli"
	"raysteps/scripts/internal/estimate"
	"raysteps/scripts/internal/launch"
	"raysteps/scripts/internal/results"
)

// The variants that take turns.
const (
	start  = "start"  // the lab as it began
	reader = "reader" // as it is
	ours   = "ours"
)

// What passes a lab.
const (
	passGain  = 0.90 // share of our gain, where a step is to be built
	passSpeed = 0.95 // share of our speed, where a fault is to be found
)

// worthwhile is the speed of ours against the start below which a share of the gain
// says nothing. In each lab it is far above on a machine that has the time.
const worthwhile = 1.05

// effort is how much a check measures.
type effort struct {
	orders int
	time   time.Duration // in all launches
	// The longest that the pictures may take, and then the slices: some ten times
	// as long as those of the slowest lab.
	patience time.Duration
}

// usual takes 15 seconds with what is built from the cache.
var usual = effort{orders: 8, time: 8 * time.Second, patience: 30 * time.Second}

// score is what a check measured.
type score struct {
	gain, ours estimate.Estimate // speed against the start
	rest       estimate.Estimate // speed against ours
}

// logGain is the share of the gain, in logarithms: half of it twice is all of
// it.
func (s score) logGain() float64 { return math.Log(s.gain.Center) / math.Log(s.ours.Center) }

func (s score) share() string { return percent(s.logGain()) }

// percent adds 0 to what it rounds: that of a negative 0 is 0.
func percent(share float64) string { return fmt.Sprintf("%.0f %%", math.Round(100*share)+0) }

func (s score) String() string {
	return fmt.Sprintf("%s times the start; ours is %s: %s of the gain.", results.FormatRatio(s.gain), results.FormatRatio(s.ours), s.share())
}

func (s score) passed(l *lab) bool {
	if l.fault {
		return s.rest.Center >= passSpeed
	}
	return s.logGain() >= passGain
}

// faster reports whether a lab is faster than ours, beyond the interval and the 1 %
// that the same code at another place may differ by.
func (s score) faster() bool { return s.rest.Lo > 1.01 }

// verdict says in a line what a score means.
func (s score) verdict(l *lab, r reached) string {
	switch {
	case s.faster():
		return fmt.Sprintf("Passed, and faster than ours: %s times. Well done! It is kept, and we would like to see it.", results.FormatRatio(s.rest))
	case s.passed(l):
		return "Passed."
	case r.Passed:
		return "Not this time; it was passed before."
	case l.fault:
		return fmt.Sprintf("Not yet: %s times our speed, want %.2f.", results.FormatRatio(s.rest), passSpeed)
	}
	return fmt.Sprintf("Not yet; want %.0f %% of the gain.", 100*passGain)
}

// check is measure while no other check on this machine is, with an error if the
// score is not worth its name.
func (u user) check(ctx context.Context, env *cli.Env, l *lab, e effort) (score, error) {
	release, err := lock(ctx, env, 2*time.Minute)
	if err != nil {
		return score{}, err
	}
	defer release()
	s, err := u.measure(ctx, env, l, e)
	switch {
	case err != nil:
	case s.ours.Center < worthwhile:
		err = fmt.Errorf("%s/%s: the pictures are right, but ours is only %s times the start here; something else keeps the machine busy, so check again", folder, l.name, results.FormatRatio(s.ours))
	case s.gain.Undecided() || s.rest.Undecided():
		err = fmt.Errorf("%s/%s: the pictures are right, but the speed is undecided: %.2f to %.2f times the start; something else keeps the machine busy, so check again", folder, l.name, s.gain.Lo, s.gain.Hi)
	}
	return s, err
}

// measure builds a lab, looks at its pictures and lets it take turns. Its errors
// say in a line why there is no score.
func (u user) measure(ctx context.Context, env *cli.Env, l *lab, e effort) (score, error) {
	name := folder + "/" + l.name
	if err := l.possible(); err != nil {
		return score{}, fmt.Errorf("%s: %w", name, err)
	}
	if err := u.imports(l); err != nil {
		return score{}, err
	}
	bin, err := os.MkdirTemp("", "raysteps-lab-")
	if err != nil {
		return score{}, err
	}
	defer os.RemoveAll(bin)
	binaries, err := u.build(ctx, env, l, bin, e.orders)
	if err != nil {
		return score{}, err
	}
	if err := pictures(ctx, l, binaries[0], e.patience); err != nil {
		return score{}, fmt.Errorf("%s: %w", name, err)
	}
	if err := l.runTests(ctx, filepath.Join(bin, "tree")); err != nil {
		return score{}, err
	}
	s, err := turns(ctx, env, l, binaries, e)
	if err != nil {
		return score{}, fmt.Errorf("%s: %w", name, err)
	}
	return s, nil
}

// possible returns an error if this machine has not what a lab needs.
func (l *lab) possible() error {
	tracer, _ := l.ours.New(scene.Small()).(common.KernelTracer)
	switch {
	case l.arch != "" && l.arch != runtime.GOARCH:
		return fmt.Errorf("this machine is %s; the lab needs %s", runtime.GOARCH, l.arch)
	case l.kernel && tracer.Kernel() == "plain":
		return fmt.Errorf("%s has no kernel for this processor, so there is nothing to compare with", l.ours.Title())
	case l.parallel && l.workers() < 2:
		return errors.New("this machine has one processor; the lab needs two")
	}
	return nil
}

// lock waits until no other check on this machine measures, and no longer than
// the longest of them should take.
func lock(ctx context.Context, env *cli.Env, patience time.Duration) (release func(), err error) {
	name := filepath.Join(os.TempDir(), "raysteps-lab.lock")
	file := flock.New(name, flock.SetPermissions(0o666))
	// The holder's process is in a file of its own: on Windows nobody else can read
	// one that is locked.
	holder := name + ".pid"
	locked, err := file.TryLock()
	if err == nil && !locked {
		other := "another check"
		if pid, err := os.ReadFile(holder); err == nil {
			other += fmt.Sprintf(" (process %s)", pid)
		}
		fmt.Fprintf(env.Stderr, "lab: %s is measuring; this one begins after it\n", other)
		limited, cancel := context.WithTimeout(ctx, patience)
		defer cancel()
		_, err = file.TryLockContext(limited, 100*time.Millisecond)
		if err != nil && ctx.Err() == nil {
			return nil, fmt.Errorf("%s is still measuring after %v; check again when it has ended", other, patience)
		}
	}
	if err != nil {
		return nil, err
	}
	os.WriteFile(holder, []byte(strconv.Itoa(os.Getpid())), 0o644) // without it, the message above names no process
	return func() {
		os.Remove(holder)
		file.Unlock()
	}, nil
}

// otherStep is the import path of a step, or of a package of beyond.
var otherStep = regexp.MustCompile(`^raysteps/(step\d|beyond/|lab/)`)

// imports returns an error if a lab imports a step: what would be measured is not
// the reader's.
func (u user) imports(l *lab) error {
	names, err := filepath.Glob(filepath.Join(u.dir, l.name, "*.go"))
	if err != nil {
		return err
	}
	for _, name := range names {
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
		if err != nil {
			continue // the compiler will tell
		}
		for _, spec := range f.Imports {
			if imported, err := strconv.Unquote(spec.Path.Value); err == nil && otherStep.MatchString(imported) {
				return fmt.Errorf("%s/%s/%s imports %s; a lab stands alone", folder, l.name, filepath.Base(name), imported)
			}
		}
	}
	return nil
}

// build links the lab as it is, as it began and ours into one program, in some
// link orders. The go command takes them from a small copy of the module, since
// its overlays do not serve the assembler.
func (u user) build(ctx context.Context, env *cli.Env, l *lab, bin string, orders int) ([]string, error) {
	tree := filepath.Join(bin, "tree")
	if err := u.copyModule(tree, l); err != nil {
		return nil, err
	}
	linker := launch.Linker{Root: tree, Bin: bin}
	theirs := folder + "/" + l.name
	// First the lab alone: an error there is the reader's, and needs no name of
	// the launcher's files.
	if err := linker.Compile(ctx, "./"+theirs); err != nil {
		return nil, fmt.Errorf("%s does not compile: %w", theirs, err)
	}
	variants := []launch.Variant{{Name: start, Package: cli.Module + "/" + start}, {Name: reader, Package: cli.Module + "/" + theirs}, {Name: ours, Package: l.ours.Package()}}
	overlay, err := linker.Overlay(filepath.Join(bin, "launcher"), variants, strings.HasPrefix(l.scene, "spheres="))
	if err != nil {
		return nil, err
	}
	binaries, err := linker.Link(ctx, env, theirs, launch.Build{}, []string{"build"}, overlay, "", "./"+launch.LauncherFolder, orders)
	if err != nil {
		if m := badNew.FindStringSubmatch(err.Error()); m != nil {
			return nil, fmt.Errorf("%s: %s; want func New(*scene.Scene) *Tracer, with a method Render(*film.Film, common.Settings) int64", theirs, strings.ReplaceAll(m[1], reader+".", ""))
		}
	}
	return binaries, err
}

// badNew is what the compiler says if the launcher cannot call New.
var badNew = regexp.MustCompile(`variants\.go:\d+:\d+: (.*)`)

// copyModule makes a folder with what the three variants of a lab are built from:
// the lab, as it began in the folder start, ours, and common.
func (u user) copyModule(tree string, l *lab) error {
	files, err := l.files(u.root)
	if err != nil {
		return err
	}
	for from, to := range map[string]string{
		filepath.Join(u.root, "common"):                            "common",
		filepath.Join(u.root, filepath.FromSlash(l.ours.Folder())): l.ours.Folder(),
		filepath.Join(u.dir, l.name):                               folder + "/" + l.name,
	} {
		if err := os.CopyFS(filepath.Join(tree, filepath.FromSlash(to)), os.DirFS(from)); err != nil {
			return err
		}
	}
	for _, name := range []string{"go.mod", "go.sum"} {
		text, err := os.ReadFile(filepath.Join(u.root, name))
		if err != nil {
			return err
		}
		files["../"+name] = text
	}
	dir := filepath.Join(tree, start)
	if err := os.Mkdir(dir, 0o755); err != nil {
		return err
	}
	if err := write(dir, files); err != nil {
		return err
	}
	// A file of the launcher besides those that an overlay puts there.
	dir = filepath.Join(tree, filepath.FromSlash(launch.LauncherFolder))
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "heap.go"), []byte(heapFile), 0o644)
}

// heapFile is a part of the launcher. Memory that a process has for the first time
// comes from the system page by page, which takes longer than to allocate it once
// more. Who allocates least, would let the others have more of it. So all of it
// is touched before.
const heapFile = `package main

import "runtime"

func init() {
	heap := make([]byte, collectAbove+collectAbove/4)
	for i := 0; i < len(heap); i += 4096 {
		heap[i] = 1
	}
	runtime.KeepAlive(heap)
	runtime.GC()
}
`

// failedTest is the name of a test of the package that failed.
var failedTest = regexp.MustCompile(`(?m)^--- FAIL: (\w+)`)

// runTests runs the tests of a lab but that of the pictures, which have been looked
// at: no picture shows everything. The tree is the copy that was built from.
func (l *lab) runTests(ctx context.Context, tree string) error {
	if len(l.tests) == 0 {
		return nil
	}
	name := "./" + folder + "/" + l.name
	cmd := exec.CommandContext(ctx, "go", "test", "-trimpath", "-vet=off", "-skip", "^TestStep$", name)
	cmd.Dir = tree
	out, err := cmd.CombinedOutput()
	switch m := failedTest.FindSubmatch(out); {
	case err == nil:
		return nil
	case m != nil:
		return fmt.Errorf("%s/%s: the pictures are right, but %s fails; go test %s tells more", folder, l.name, m[1], name)
	}
	return fmt.Errorf("%s/%s: the pictures are right, but go test %s fails: %w", folder, l.name, name, launch.Failure(ctx, err, string(out)))
}

// picture is one that a lab is held to, with its known answer.
type picture struct {
	scene, answer          string
	width, height, samples int
}

// knownPictures are held against known answers. They take a second.
func knownPictures() []picture {
	all := []picture{{"medium", "size=33x17", 33, 17, 3}, {"small", "size=17x33", 17, 33, 1}}
	quick := common.Quick()
	for _, name := range scene.Names() {
		all = append(all, picture{name, name + " quick", quick.Width, quick.Height, quick.Samples})
	}
	return all
}

// pictures holds a lab to known answers: those of our step, or of the step that
// it is made from. It returns an error if a picture is another one, if a second
// one of the same tracer is, or if there are more goroutines than were asked for.
func pictures(ctx context.Context, l *lab, binary string, patience time.Duration) error {
	limited, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	p, err := launch.StartProcess(limited, binary)
	if err != nil {
		return ended(ctx, "the start", patience, err)
	}
	defer p.Close()
	workers := []int{1}
	if l.parallel {
		workers = []int{1, 2, 7}
	}
	for _, want := range knownPictures() {
		var one launch.Picture // with one worker
		for _, n := range workers {
			what := fmt.Sprintf("the %s scene in %dx%d", want.scene, want.width, want.height)
			if l.parallel {
				what += " with " + english.Plural(n, "worker", "")
			}
			slot := launch.Slot{Variant: reader, Scene: want.scene, Settings: common.Settings{Width: want.width, Height: want.height, Samples: want.samples, Workers: n}}
			id, first, _, err := p.Prepare(slot)
			if err != nil {
				return ended(ctx, what, patience, err)
			}
			if !l.knows(want.answer, first) {
				return fmt.Errorf("%s is another picture, of %d rays; want %s; go test ./%s/%s tells more", what, first.Rays, l.wanted(want.answer), folder, l.name)
			}
			if n == 1 {
				one = first
			} else if first != one {
				return fmt.Errorf("%s is another picture than with 1", what)
			}
			answer, err := p.Ask("repeat %d %d", id, (30 * time.Millisecond).Nanoseconds())
			if err != nil {
				return ended(ctx, what+", rendered again,", patience, err)
			}
			var second launch.Picture
			var goroutines int
			if _, err := fmt.Sscan(answer, &second.Rays, &second.MD5, &goroutines); err != nil {
				return err
			}
			if second != first {
				return fmt.Errorf("%s is another picture, of %d rays, when the same tracer renders it again", what, second.Rays)
			}
			if goroutines > n {
				return fmt.Errorf("%s has %d goroutines where %d may be", what, goroutines, n)
			}
		}
	}
	p.Close()
	if text, _, _ := strings.Cut(p.Stderr(), "\n"); text != "" {
		return fmt.Errorf("it writes to standard error, which takes time: %.60q", text)
	}
	return nil
}

// exited is what a process does that a panic did not end.
var exited = regexp.MustCompile(`^the launcher ended: exit status \d+$`)

// ended says what a lab did in place of a picture.
func ended(ctx context.Context, what string, patience time.Duration, err error) error {
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		return fmt.Errorf("%s is not finished after %v; does a loop end?", what, patience)
	}
	if exited.MatchString(err.Error()) {
		return fmt.Errorf("%s: it ends the process; does something call os.Exit?", what)
	}
	return fmt.Errorf("%s: %w", what, err)
}

// knows reports whether a picture is right.
func (l *lab) knows(answer string, got launch.Picture) bool {
	for _, step := range []string{l.ours.Name, l.from.Name} {
		if known, ok := answers.Of(step, answer); ok && got == launch.Picture(known) {
			return true
		}
	}
	return false
}

// wanted says which pictures are right.
func (l *lab) wanted(answer string) string {
	known, _ := answers.Of(l.ours.Name, answer)
	text := fmt.Sprintf("that of %s, of %d rays", l.ours.Title(), known.Rays)
	if before, ok := answers.Of(l.from.Name, answer); ok && l.from.Name != l.ours.Name {
		text += fmt.Sprintf(", or that of %s, of %d", l.from.Title(), before.Rays)
	}
	return text
}

// turns lets the three variants take turns.
func turns(ctx context.Context, env *cli.Env, l *lab, binaries []string, e effort) (score, error) {
	limited, cancel := context.WithTimeout(ctx, e.patience)
	defer cancel()
	slicer := launch.NewSlicer()
	slicer.Binaries = [][]string{binaries}
	group := launch.Group{Title: l.scene, Time: e.time / time.Duration(e.orders), Cycles: 2}
	for _, name := range []string{start, reader, ours} {
		group.Subjects = append(group.Subjects, launch.Subject{Name: name, Slot: launch.Slot{Variant: name, Scene: l.scene, Settings: l.settings()}})
	}
	var gain, best, rest []estimate.Launch
	_, err := launch.Measure(limited, env, slicer, []launch.Group{group}, launch.Schedule{Orders: e.orders, Launches: 1}, func(records []launch.Record) error {
		var logs [3]float64
		for i, r := range records {
			logs[i] = math.Log(r.Values["rays/s"])
		}
		gain = append(gain, estimate.Launch{Order: records[0].Order, Log: logs[1] - logs[0]})
		best = append(best, estimate.Launch{Order: records[0].Order, Log: logs[2] - logs[0]})
		rest = append(rest, estimate.Launch{Order: records[0].Order, Log: logs[1] - logs[2]})
		return nil
	}, folder+"/"+l.name)
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		return score{}, fmt.Errorf("%v are not enough to measure it; it is very slow, or something else keeps the machine busy", e.patience)
	}
	if err != nil {
		return score{}, err
	}
	if got := slicer.Pictures[l.scene]; got[1] != got[0] && got[1] != got[2] {
		return score{}, fmt.Errorf("the %s scene in %dx%d is another picture, of %d rays; want %d as ours has", l.scene, l.settings().Width, l.settings().Height, got[1].Rays, got[2].Rays)
	}
	return score{estimate.Of(gain), estimate.Of(best), estimate.Of(rest)}, nil
}
