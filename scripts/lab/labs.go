package main

import (
	"bytes"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/dustin/go-humanize/english"
	"golang.org/x/sys/cpu"
	"golang.org/x/tools/txtar"

	"raysteps/scripts/internal/steps"
)

// lab is one thing to do. Its text is a txtar archive in the folder labs: the exported
// fields of this struct as JSON, and then these files:
//
//	task     what is to be done, in Markdown
//	after    what it was, for those who have passed
//	hints    one a paragraph
//	NAME     a file of the lab in full, or edits of the step's file of that name:
//	         blocks of <<<< the old lines ==== the new lines >>>>. An empty one is
//	         left out
type lab struct {
	Title    string
	From     step     // that the lab is made from
	Ours     step     // a solution; From, if that is without the fault of the lab
	Scene    string   // that is counted and measured
	Parallel bool     // renders on all processors
	Tests    []string // files of tests that a lab must pass, too
	Needs    string   // "kernel" for a processor that our step has a kernel for, "avx2", or empty

	// What decides where it can be counted: units such as "loads", of which a ray
	// may take so many percent more than with ours. Without any, as for what waits
	// for memory or for another goroutine, time decides.
	Counts []string
	Within float64

	name        string // of the package
	task, after string
	hints       []string
	changes     []txtar.File // of the step's files
}

// step is one that a text names by its number.
type step struct{ steps.Step }

func (s *step) UnmarshalText(text []byte) (err error) {
	s.Step, err = steps.Find(string(text))
	return err
}

//go:embed labs
var texts embed.FS

// order is that of the list: the next steps, and then the faults. No lab has the
// solution of a later one that is to be built.
var order = []string{
	"passes", "unit", "sse", "columns", "avx2", "tiles",
	"slow1", "slow2", "slow3", "slow4", "slow5", "slow6", "slow7", "slow8", "slow9", "slow10",
}

// all returns the labs.
func all() (labs []*lab) {
	for _, name := range order {
		text, _ := texts.ReadFile("labs/" + name + ".txtar")
		l, err := parse(name, text)
		if err != nil {
			panic(err) // what is embedded has been tested
		}
		labs = append(labs, l)
	}
	return labs
}

func parse(name string, text []byte) (*lab, error) {
	archive := txtar.Parse(text)
	l := &lab{name: name, Within: 2}
	header := json.NewDecoder(bytes.NewReader(archive.Comment))
	header.DisallowUnknownFields()
	if err := header.Decode(l); err != nil {
		return nil, err
	}
	if l.Ours.Name == "" {
		l.Ours = l.From
	}
	for _, f := range archive.Files {
		switch data := strings.TrimSpace(string(f.Data)); f.Name {
		case "task":
			l.task = data
		case "hints":
			l.hints = strings.Split(data, "\n\n")
		case "after":
			l.after = data
		default:
			l.changes = append(l.changes, f)
		}
	}
	return l, nil
}

// folder is a lab's, from the root of the module.
func (l *lab) folder() string { return folder + "/" + l.name }

// possible returns an error if this machine has not what a lab needs.
func (l *lab) possible() error {
	switch {
	case l.Needs == "avx2" && !(cpu.X86.HasAVX2 && cpu.X86.HasFMA):
		return errors.New("the lab needs a processor with AVX2 and FMA")
	case l.Needs == "kernel" && runtime.GOARCH != "amd64" && runtime.GOARCH != "arm64":
		return fmt.Errorf("this machine is %s; the lab needs amd64 or arm64", runtime.GOARCH)
	case l.Parallel && runtime.GOMAXPROCS(0) < 2:
		return errors.New("this machine has one processor; the lab needs two")
	}
	return nil
}

// files returns the lab as it begins: the text of each file by its name. The
// root is that of the module.
func (l *lab) files(root string) (map[string][]byte, error) {
	dir := filepath.Join(root, filepath.FromSlash(l.From.Folder()))
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	all := map[string][]byte{}
	for _, e := range entries {
		ext := path.Ext(e.Name())
		if ext != ".go" && ext != ".s" || e.Name() == "doc.go" || strings.HasSuffix(e.Name(), "_test.go") && !slices.Contains(l.Tests, e.Name()) {
			continue
		}
		if all[e.Name()], err = os.ReadFile(filepath.Join(dir, e.Name())); err != nil {
			return nil, err
		}
	}
	for _, change := range l.changes {
		if len(change.Data) == 0 {
			delete(all, change.Name)
		} else if all[change.Name], err = edit(all[change.Name], change.Data); err != nil {
			return nil, fmt.Errorf("lab %s: %s/%s: %w", l.name, l.From.Folder(), change.Name, err)
		}
	}
	for name, text := range all {
		if path.Ext(name) == ".go" {
			all[name] = bytes.Replace(text, []byte("package "+l.From.Name+"\n"), []byte("package "+l.name+"\n"), 1)
		}
	}
	common, _ := texts.ReadFile("labs/all.txtar")
	names, picture := strconv.Quote(l.Ours.Name), l.Ours.Title()
	if l.From.Name != l.Ours.Name {
		names, picture = strconv.Quote(l.From.Name)+", "+names, l.From.Title()+" or of "+picture
	}
	goroutines := map[bool]string{false: "One goroutine.", true: "`Render` uses as many goroutines as the settings say, and no more."}
	words := strings.NewReplacer("NAME", l.name, "TITLE", l.Title, "ANSWERS", names, "TASK", l.task, "PICTURE", picture, "PASSED", l.passed(),
		"GOROUTINES", goroutines[l.Parallel], "BENCH", map[bool]string{false: "Bench", true: "BenchWorkers"}[l.Parallel], "TESTS", strings.Join(append([]string{"step_test.go"}, l.Tests...), "`, `"))
	for _, f := range txtar.Parse(common).Files {
		if l.Parallel || f.Name != "goroutines_test.go" {
			all[f.Name] = []byte(words.Replace(string(f.Data)))
		}
	}
	return all, nil
}

// passed says what passes a lab.
func (l *lab) passed() string {
	text := fmt.Sprintf("at %.0f %% of the gain in speed of %s in the %s scene", 100*share, l.Ours.Title(), l.Scene)
	if len(l.Counts) > 0 {
		text = fmt.Sprintf("when a ray of the %s scene takes no more %s than in %s, within %g %%. Without valgrind, which counts, it is passed %s",
			l.Scene, english.WordSeries(l.Counts, "and"), l.Ours.Title(), l.Within, text)
	}
	return text
}

// edit applies the blocks of a change to a file, each of which must fit exactly
// one place in it. A change without blocks is the new file.
func edit(text, change []byte) ([]byte, error) {
	if !bytes.HasPrefix(change, []byte("<<<<\n")) {
		return change, nil
	}
	for block := range bytes.SplitSeq(bytes.TrimPrefix(change, []byte("<<<<\n")), []byte("\n<<<<\n")) {
		from, to, ok := bytes.Cut(append(bytes.TrimRight(block, "\n"), '\n'), []byte("====\n"))
		to, closed := bytes.CutSuffix(to, []byte(">>>>\n"))
		if !ok || !closed {
			return nil, fmt.Errorf("a block of edits is not closed: %q", block)
		}
		if n := bytes.Count(text, from); n != 1 {
			return nil, fmt.Errorf("%d places are %q; want exactly one, so the lab must follow a change of the step", n, from)
		}
		text = bytes.Replace(text, from, to, 1)
	}
	return text, nil
}
