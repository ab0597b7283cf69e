package main

import (
	"bytes"
	"embed"
	"fmt"
	"go/format"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/txtar"

	"raysteps/scripts/internal/steps"
)

// lab is one thing to do. Its text is a txtar archive in the folder labs: lines
// of the form "key: value", and then these files:
//
//	task     what is to be done, in Markdown
//	hints    one a paragraph
//	NAME     a file of the lab in full, or edits of the step's file of that name:
//	         blocks of <<<< the old lines ==== the new lines >>>>. An empty one is
//	         left out. With a question mark behind its name, it counts only if the
//	         step has such a file
type lab struct {
	name  string // of the folder and the package
	fault bool   // a fault is planted; else the lab is to become the next step
	title string
	from  steps.Step // that the lab is made from
	ours  steps.Step // what a solution is measured against; that of a fault is from
	scene string     // that is measured: a name of a built-in scene, or spheres=N
	tests []string   // files of tests that a check runs: of the step, or of the lab

	parallel bool   // renders on all processors
	kernel   bool   // wants a processor for which our step has a kernel
	arch     string // that it wants, or empty for any
	width    int    // of the measured picture, if not the usual one
	height   int

	task    string
	hints   []string
	changes []txtar.File // of the step's files
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
func all() ([]*lab, error) {
	var labs []*lab
	for _, name := range order {
		text, err := texts.ReadFile("labs/" + name + ".txtar")
		if err != nil {
			return nil, err
		}
		l, err := parse(name, text)
		if err != nil {
			return nil, fmt.Errorf("labs/%s.txtar: %w", name, err)
		}
		labs = append(labs, l)
	}
	return labs, nil
}

func parse(name string, text []byte) (*lab, error) {
	archive := txtar.Parse(text)
	l := &lab{name: name}
	for line := range strings.Lines(string(archive.Comment)) {
		key, value, ok := strings.Cut(strings.TrimSpace(line), ": ")
		var err error
		switch {
		case line == "\n":
		case !ok:
			err = fmt.Errorf("line %q; want a key, a colon and a value", line)
		case key == "title":
			l.title = value
		case key == "kind" && (value == "fault" || value == "step"):
			l.fault = value == "fault"
		case key == "from":
			l.from, err = steps.Find(value)
		case key == "ours":
			l.ours, err = steps.Find(value)
		case key == "scene":
			l.scene = value
		case key == "size":
			_, err = fmt.Sscanf(value, "%dx%d", &l.width, &l.height)
		case key == "tests":
			l.tests = strings.Fields(value)
		case key == "needs" && value == "kernel":
			l.kernel = true
		case key == "needs":
			l.arch = value
		default:
			err = fmt.Errorf("unknown key %q", key)
		}
		if err != nil {
			return nil, err
		}
	}
	if l.ours.Name == "" {
		l.ours = l.from
	}
	l.parallel = l.ours.Workers
	for _, f := range archive.Files {
		switch f.Name {
		case "task":
			l.task = strings.TrimSpace(string(f.Data))
		case "hints":
			l.hints = strings.Split(strings.TrimSpace(string(f.Data)), "\n\n")
		default:
			l.changes = append(l.changes, f)
		}
	}
	return l, nil
}

// workers is how many goroutines a measured picture is rendered on.
func (l *lab) workers() int {
	if l.parallel {
		return runtime.GOMAXPROCS(0)
	}
	return 1
}

// samples is how many the measured picture has a pixel, or 0 if the launcher finds
// its size.
func (l *lab) samples() int {
	if l.width > 0 {
		return 1
	}
	return 0
}

// files returns the lab as it begins: the text of each file by its name. The
// root is that of the module.
func (l *lab) files(root string) (map[string][]byte, error) {
	dir := filepath.Join(root, filepath.FromSlash(l.from.Folder()))
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	all := map[string][]byte{}
	for _, e := range entries {
		ext := path.Ext(e.Name())
		if ext != ".go" && ext != ".s" || e.Name() == "doc.go" || strings.HasSuffix(e.Name(), "_test.go") && !slices.Contains(l.tests, e.Name()) {
			continue
		}
		text, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			return nil, err
		}
		all[e.Name()] = bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n"))
	}
	for _, change := range l.changes {
		name, optional := strings.CutSuffix(change.Name, "?") // changed only if the step has it
		old, ok := all[name]
		if optional && !ok {
			continue
		}
		if len(change.Data) == 0 {
			delete(all, name)
			continue
		}
		if all[name], err = edit(old, change.Data); err != nil {
			return nil, fmt.Errorf("lab %s: %s/%s: %w", l.name, l.from.Folder(), name, err)
		}
	}
	clause := regexp.MustCompile(`(?m)^package ` + l.from.Name + `$`)
	for name, text := range all {
		if path.Ext(name) == ".go" {
			text = clause.ReplaceAll(text, []byte("package "+l.name))
			if all[name], err = format.Source(text); err != nil {
				return nil, fmt.Errorf("lab %s: %s: %w", l.name, name, err)
			}
		}
	}
	all["doc.go"] = fmt.Appendf(nil, "// Package %s is a lab: %s.\npackage %s\n", l.name, l.title, l.name)
	all["step_test.go"] = fmt.Appendf(nil, testFile, l.name, l.answers())
	all["README.md"] = fmt.Appendf(nil, readme, l.title, l.task, l.rules(), l.name)
	return all, nil
}

// answers names the steps whose pictures are right, as arguments of a call.
func (l *lab) answers() string {
	names := strconv.Quote(l.ours.Name)
	if l.from.Name != l.ours.Name {
		names = strconv.Quote(l.from.Name) + ", " + names
	}
	return names
}

// testFile is the test of a lab, with its package and the steps that it may
// render as.
const testFile = `package %s

import (
	"testing"

	"raysteps/common/steptest"
)

func TestStep(t *testing.T)        { steptest.RunAs(t, New, %s) }
func BenchmarkRender(b *testing.B) { steptest.Bench(b, New) }
`

// readme is the README of a lab, with its title, task, rules and name.
const readme = `# %s

%s

## Rules

%s

## Commands

` + "```" + `
go test ./lab/%[4]s                  # is the picture right?
go run ./scripts/lab check %[4]s     # is it, and how fast is it?
go run ./scripts/lab hint %[4]s      # one hint more
go run ./scripts/lab diff %[4]s      # yours and ours; it gives the solution away
` + "```" + `
`

func (l *lab) rules() string {
	s := "- `New` and `Render` keep their names and what they mean. Everything else is yours to change.\n"
	switch {
	case l.from.Name == l.ours.Name:
		s += "- The picture stays that of " + l.ours.Title() + ", to the byte.\n"
	default:
		s += "- The picture is that of " + l.from.Title() + " or that of " + l.ours.Title() + ", to the byte.\n"
	}
	if l.parallel {
		s += "- `Render` uses as many goroutines as the settings say, and no more.\n"
	} else {
		s += "- One goroutine.\n"
	}
	s += "- No other step is imported.\n"
	for _, test := range l.tests {
		s += "- A check also runs `" + test + "`.\n"
	}
	if n, ok := strings.CutPrefix(l.scene, "spheres="); ok {
		s += "- A scene of " + n + " spheres is measured.\n"
	} else {
		s += "- The " + l.scene + " scene is measured.\n"
	}
	if l.fault {
		return s + fmt.Sprintf("- It is passed at %.0f %% of the speed of %s, the step without the fault.", 100*passSpeed, l.ours.Title())
	}
	return s + fmt.Sprintf("- It is passed at %.0f %% of the gain of %s.", 100*passGain, l.ours.Title())
}

// edit applies the blocks of a change to a file, each of which must fit exactly
// one place in it. A change without blocks is the new file.
func edit(text, change []byte) ([]byte, error) {
	if !bytes.HasPrefix(change, []byte("<<<<\n")) {
		return change, nil
	}
	for block := range bytes.SplitSeq(bytes.TrimPrefix(change, []byte("<<<<\n")), []byte("\n<<<<\n")) {
		block = bytes.TrimRight(block, "\n")
		from, to, ok := bytes.Cut(append(block, '\n'), []byte("====\n"))
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
