package main

import (
	"bytes"
	"context"
	_ "embed" // for the checker's source
	"encoding/json"
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
	"raysteps/common/turns"
	"raysteps/scripts/internal/cli"
	"raysteps/scripts/internal/estimate"
	"raysteps/scripts/internal/launch"
	"raysteps/scripts/internal/tracers"
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
	cycles int // of each order
	// The longest that the pictures may take, and then the slices: some ten times
	// as long as those of the slowest lab.
	patience time.Duration
}

// usual takes 15 seconds with what is built from the cache.
var usual = effort{orders: 8, cycles: 30, patience: 60 * time.Second}

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
	return fmt.Sprintf("%s times the start; ours is %s: %s of the gain.", estimate.FormatRatio(s.gain), estimate.FormatRatio(s.ours), s.share())
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
		return fmt.Sprintf("Passed, and faster than ours: %s times. Well done! It is kept, and we would like to see it.", estimate.FormatRatio(s.rest))
	case s.passed(l):
		return "Passed."
	case r.Passed:
		return "Not this time; it was passed before."
	case l.fault:
		return fmt.Sprintf("Not yet: %s times our speed, want %.2f.", estimate.FormatRatio(s.rest), passSpeed)
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
		err = fmt.Errorf("%s/%s: the pictures are right, but ours is only %s times the start here; something else keeps the machine busy, so check again", folder, l.name, estimate.FormatRatio(s.ours))
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
	linker, err := u.copyModule(ctx, l, bin)
	if err != nil {
		return score{}, err
	}
	if err := u.pictures(ctx, env, l, linker, e.patience); err != nil {
		return score{}, err
	}
	if err := l.runTests(ctx, filepath.Join(bin, "tree")); err != nil {
		return score{}, err
	}
	s, err := u.turns(ctx, env, l, linker, e)
	if err != nil {
		return score{}, fmt.Errorf("%s: %w", name, err)
	}
	return s, nil
}

// possible returns an error if this machine has not what a lab needs.
func (l *lab) possible() error {
	tracer, _ := tracers.New(l.ours, scene.Small()).(common.KernelTracer)
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

// link links a main package with variants of a lab in some link orders.
func (u user) link(ctx context.Context, env *cli.Env, l *lab, linker *launch.Linker, main launch.Main, orders int, variants ...launch.Variant) ([]string, error) {
	theirs := folder + "/" + l.name
	overlay, err := linker.Overlay(filepath.Join(linker.Bin, filepath.Base(main.Folder)), main, variants)
	if err != nil {
		return nil, err
	}
	binaries, err := linker.Link(ctx, env, filepath.Base(main.Folder), launch.Build{}, []string{"build"}, overlay, "", "./"+main.Folder, 0, orders)
	if err != nil {
		if m := badNew.FindStringSubmatch(err.Error()); m != nil {
			return nil, fmt.Errorf("%s: %s; want func New(*scene.Scene) *Tracer, with a method Render(*film.Film, common.Settings) int64", theirs, strings.ReplaceAll(m[1], reader+".", ""))
		}
	}
	return binaries, err
}

// variant is the lab as it is.
func (l *lab) variant() launch.Variant {
	return launch.Variant{Name: reader, Package: cli.Module + "/" + folder + "/" + l.name}
}

// badNew is what the compiler says if the launcher cannot call New.
var badNew = regexp.MustCompile(`variants\.go:\d+:\d+: (.*)`)

// copyModule makes a folder with what the three variants of a lab are built from:
// the lab, as it began in the folder start, ours, and common. The go command's
// overlays do not serve the assembler.
func (u user) copyModule(ctx context.Context, l *lab, bin string) (*launch.Linker, error) {
	tree := filepath.Join(bin, "tree")
	files, err := l.files(u.root)
	if err != nil {
		return nil, err
	}
	for from, to := range map[string]string{
		filepath.Join(u.root, "common"):                            "common",
		filepath.Join(u.root, filepath.FromSlash(l.ours.Folder())): l.ours.Folder(),
		filepath.Join(u.dir, l.name):                               folder + "/" + l.name,
	} {
		if err := os.CopyFS(filepath.Join(tree, filepath.FromSlash(to)), os.DirFS(from)); err != nil {
			return nil, err
		}
	}
	for _, name := range []string{"go.mod", "go.sum"} {
		text, err := os.ReadFile(filepath.Join(u.root, name))
		if err != nil {
			return nil, err
		}
		files["../"+name] = text
	}
	dir := filepath.Join(tree, start)
	if err := os.Mkdir(dir, 0o755); err != nil {
		return nil, err
	}
	if err := write(dir, files); err != nil {
		return nil, err
	}
	linker := &launch.Linker{Root: tree, Home: u.root, Bin: bin}
	// First the lab alone: an error there is the reader's, and needs no name of
	// the launcher's files.
	theirs := folder + "/" + l.name
	if _, err := linker.Go(ctx, "build", "-trimpath", "-pgo=off", "./"+theirs); err != nil {
		return nil, fmt.Errorf("%s does not compile: %w", theirs, err)
	}
	return linker, nil
}

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

//go:embed checker/main.go
var checkerSource string

// asked is a picture that the checker renders, and its answer.
type asked struct {
	Scene           string
	Settings        common.Settings
	First, Second   string
	OtherGoroutines int
	answer          string
}

// pictures holds a lab to known answers: those of our step, or of the step that
// it is made from. It returns an error if a picture is another one, if a second
// one of the same tracer is, or if there are more goroutines than were asked for.
func (u user) pictures(ctx context.Context, env *cli.Env, l *lab, linker *launch.Linker, patience time.Duration) error {
	name := folder + "/" + l.name
	binaries, err := u.link(ctx, env, l, linker, launch.Main{Folder: "scripts/lab/checker", Source: checkerSource}, 1, l.variant())
	if err != nil {
		return err
	}
	workers := []int{1}
	if l.parallel {
		workers = []int{1, 2, 7}
	}
	limited, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	one := map[string]string{} // by answer, with one worker
	for _, want := range knownPictures() {
		for _, n := range workers {
			what := fmt.Sprintf("%s: the %s scene in %dx%d", name, want.scene, want.width, want.height)
			if l.parallel {
				what += " with " + english.Plural(n, "worker", "")
			}
			p := asked{Scene: want.scene, Settings: common.Settings{Width: want.width, Height: want.height, Samples: want.samples, Bounces: common.Default().Bounces, Workers: n}}
			stderr, err := p.ask(limited, binaries[0])
			if err != nil {
				return ended(ctx, what, patience, err)
			}
			switch {
			case !l.knows(want.answer, p.First):
				return fmt.Errorf("%s is another picture, of %s rays; want %s; go test ./%s tells more", what, strings.Fields(p.First)[0], l.wanted(want.answer), name)
			case n > 1 && p.First != one[want.answer]:
				return fmt.Errorf("%s is another picture than with 1", what)
			case p.Second != p.First:
				return fmt.Errorf("%s is another picture, of %s rays, when the same tracer renders it again", what, strings.Fields(p.Second)[0])
			case p.OtherGoroutines > n:
				return fmt.Errorf("%s has %d goroutines where %d may be", what, p.OtherGoroutines, n)
			case stderr != "":
				return fmt.Errorf("%s: it writes to standard output or error, which takes time: %.60q", name, stderr)
			}
			if n == 1 {
				one[want.answer] = p.First
			}
		}
	}
	return nil
}

// ask has the checker render the picture. It returns the first line that the lab
// prints.
func (p *asked) ask(ctx context.Context, checker string) (string, error) {
	question, err := json.Marshal(p)
	if err != nil {
		return "", err
	}
	cmd := exec.CommandContext(ctx, checker)
	cmd.Stdin = bytes.NewReader(question)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return "", launch.Failure(ctx, fmt.Errorf("it ended: %w", err), stderr.String())
	}
	line, _, _ := strings.Cut(stderr.String(), "\n")
	if len(out) == 0 {
		return line, errors.New("it ended: exit status 0")
	}
	return line, json.Unmarshal(out, p)
}

// exited is what a process does that a panic did not end.
var exited = regexp.MustCompile(`^it ended: exit status \d+$`)

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
func (l *lab) knows(answer, got string) bool {
	for _, step := range []string{l.ours.Name, l.from.Name} {
		if known, ok := answers.Of(step, answer); ok && got == fmt.Sprintf("%d %s", known.Rays, known.MD5) {
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
func (u user) turns(ctx context.Context, env *cli.Env, l *lab, linker *launch.Linker, e effort) (score, error) {
	variants := []launch.Variant{{Name: start, Package: cli.Module + "/" + start}, l.variant(), {Name: ours, Package: l.ours.Package()}}
	binaries, err := u.link(ctx, env, l, linker, launch.Launcher(), e.orders, variants...)
	if err != nil {
		return score{}, err
	}
	limited, cancel := context.WithTimeout(ctx, e.patience)
	defer cancel()
	g := turns.Group{Scene: l.scene}
	if n, ok := strings.CutPrefix(l.scene, "spheres="); ok {
		g.Scene = ""
		if g.Spheres, err = strconv.Atoi(n); err != nil {
			return score{}, err
		}
	}
	for _, v := range variants {
		g.Subjects = append(g.Subjects, turns.Picture{Variant: v.Name, Package: v.Package, Name: "Render", Workers: l.workers(), Width: l.width, Height: l.height, Samples: l.samples()})
	}
	program := launch.Program{Binaries: binaries, Plan: turns.Plan{Groups: []turns.Group{g}, Cycles: e.cycles}}
	bar := env.Progress(int64(e.orders), "measuring "+folder+"/"+l.name)
	defer bar.Finish()
	var levels [3][]estimate.Launch
	for order := range e.orders {
		results, err := launch.Launch(limited, []launch.Program{program}, order)
		if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
			return score{}, fmt.Errorf("%v are not enough to measure it; it is very slow, or something else keeps the machine busy", e.patience)
		}
		if err != nil {
			return score{}, err
		}
		for i, r := range results {
			rate, _ := r.Value("rays/s")
			levels[i] = append(levels[i], estimate.Launch{Order: order, Log: math.Log(rate)})
			if hash := r.GetConfig("picture"); i == 1 && hash != results[0].GetConfig("picture") && hash != results[2].GetConfig("picture") {
				return score{}, fmt.Errorf("the %s scene is another picture than that of the start and of ours", l.scene)
			}
		}
		bar.Add(1)
	}
	return score{estimate.Ratio(levels[1], levels[0]), estimate.Ratio(levels[2], levels[0]), estimate.Ratio(levels[1], levels[2])}, nil
}
