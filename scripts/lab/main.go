// Lab gives its user a step to make faster, says how far they came, and hints if
// asked. Labs are made from the steps, in folders that git ignores.
package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dustin/go-humanize/english"

	"raysteps/scripts/internal/cli"
	"raysteps/scripts/internal/estimate"
	"raysteps/scripts/internal/results"
	"raysteps/scripts/internal/source"
)

// folder is where labs are, from the root of the module.
const folder = "lab"

func main() { cli.Main(command()) }

func command() cli.Command {
	return cli.Command{
		Name:     "lab",
		Synopsis: "[flags] [start | check | hint | diff] [NAME]",
		Help: `Lab lists programs to make faster, and what you have reached.

  start NAME   makes the folder lab/NAME with a package, its test and a README
               that says what to do. It overwrites nothing
  check NAME   says whether the picture is right, and how fast the package is
               against where it started and against ours
  hint NAME    gives one hint, and each time one more
  diff NAME    shows the difference from yours to ours

A check takes about 15 seconds. Your package, the one that it started as and ours
are linked into one program, in several orders of its functions, and take turns
in slices of milliseconds; the intervals are those of 95 %. Of the gain, which is
the logarithm of the speed against the start, 90 % are wanted where a step is to
be built, and where a fault is to be found, 95 % of the speed of the step without
it. The exit status of a check is 0 if the lab is passed, 1 if it is not, and 2 if
the command was called wrongly. What you have reached is kept in
lab/progress.json.`,
		Examples: `
			go run ./scripts/lab                # the labs
			go run ./scripts/lab start passes   # begin with one
			go run ./scripts/lab check passes
			go run ./scripts/lab check -all     # all that were started, as a table in Markdown`,
		MaxArgs: 2,
		Setup:   setup,
	}
}

func setup(flags *flag.FlagSet) cli.Run {
	every := flags.Bool("all", false, "check all labs that were started, and print a table in Markdown; the status is 1 if one is not passed")
	return func(ctx context.Context, env *cli.Env, args []string) error {
		root, err := cli.ModuleRoot()
		if err != nil {
			return err
		}
		labs, err := all()
		if err != nil {
			return err
		}
		u := user{root: root, dir: filepath.Join(root, folder), labs: labs}
		word := ""
		if len(args) > 0 {
			word = args[0]
		}
		words := []string{"start", "check", "hint", "diff"}
		switch {
		case *every && (word != "check" || len(args) > 1):
			return cli.Misuse("-all is for check; want check -all")
		case *every:
			return u.checkAll(ctx, env)
		case len(args) == 0:
			return u.list(env)
		case !slices.Contains(words, word):
			return cli.Misuse("unknown word %q; want %s", word, english.WordSeries(words, "or"))
		case len(args) == 1:
			return cli.Misuse("%s which lab? want a name, such as %s %s", word, word, order[0])
		}
		i := slices.IndexFunc(labs, func(l *lab) bool {
			return l.name == strings.TrimPrefix(filepath.ToSlash(filepath.Clean(args[1])), folder+"/")
		})
		if i < 0 {
			return cli.Misuse("unknown lab %q; want %s", args[1], english.WordSeries(order, "or"))
		}
		l := labs[i]
		if word == "start" {
			return u.start(env, l)
		}
		if !u.started(l) {
			return cli.Misuse("there is no %s/%s yet; begin with start %s", folder, l.name, l.name)
		}
		switch word {
		case "check":
			return u.checkOne(ctx, env, l)
		case "hint":
			return u.hint(env, l)
		default:
			return u.diff(env, l)
		}
	}
}

// user is somebody who does labs.
type user struct {
	root string // of the module
	dir  string // that holds the labs: lab in the root, but for tests
	labs []*lab
}

// started reports whether the folder of a lab has anything in it.
func (u user) started(l *lab) bool {
	entries, err := os.ReadDir(filepath.Join(u.dir, l.name))
	return err == nil && len(entries) > 0
}

// list prints all labs and what was reached.
func (u user) list(env *cli.Env) error {
	p, err := u.progress()
	if err != nil {
		return err
	}
	t := results.Table{Header: []string{"lab", "what it is", "from", "reached"}, Right: make([]bool, 4)}
	for _, l := range u.labs {
		reached := p[l.name].reached()
		if reached == "" && u.started(l) {
			reached = "started"
		}
		t.Rows = append(t.Rows, []string{l.name, l.title, l.from.Title(), reached})
	}
	_, err = fmt.Fprintf(env.Stdout, "%s\nBegin with go run ./scripts/lab start %s; -help tells the rest.\n", t.Text(), order[0])
	return err
}

// start makes the folder of a lab.
func (u user) start(env *cli.Env, l *lab) error {
	files, err := l.files(u.root)
	if err != nil {
		return err
	}
	dir := filepath.Join(u.dir, l.name)
	if u.started(l) {
		return cli.Misuse("%s/%s is there already, %s; to begin again, rename or delete that folder first", folder, l.name, changes(dir, files))
	}
	if err := create(dir, files); err != nil {
		return err
	}
	_, err = fmt.Fprintf(env.Stdout, "%s/%s is made: %s.\nIts README.md says what to do.\n", folder, l.name, l.title)
	return err
}

// create makes a folder with files, or leaves none behind where that fails.
func create(dir string, files map[string][]byte) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	err := write(dir, files)
	if err != nil {
		err = errors.Join(err, os.RemoveAll(dir))
	}
	return err
}

// write writes files into a folder.
func write(dir string, files map[string][]byte) error {
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// changes says which files of a lab are not as they were at the start.
func changes(dir string, files map[string][]byte) string {
	var changed []string
	for name, text := range files {
		if now, err := os.ReadFile(filepath.Join(dir, name)); err != nil || !bytes.Equal(now, text) {
			changed = append(changed, name)
		}
	}
	if entries, err := os.ReadDir(dir); err == nil {
		for _, e := range entries {
			if _, ok := files[e.Name()]; !ok {
				changed = append(changed, e.Name())
			}
		}
	}
	if len(changed) == 0 {
		return "as it began"
	}
	slices.Sort(changed)
	return "with " + cli.Some(changed) + " changed"
}

// hint prints the next hint.
func (u user) hint(env *cli.Env, l *lab) error {
	p, err := u.progress()
	if err != nil {
		return err
	}
	r := p[l.name]
	if r.Hints >= len(l.hints) {
		_, err := fmt.Fprintf(env.Stdout, "There are no more hints. These were all:\n\n%s\n\nOurs is shown by diff %s.\n",
			strings.Join(l.hints, "\n\n"), l.name)
		return err
	}
	r.Hints++
	if r.Passed {
		r.After++
	}
	if err := u.keep(l, r); err != nil {
		return err
	}
	_, err = fmt.Fprintf(env.Stdout, "Hint %d of %d. %s\n", r.Hints, len(l.hints), l.hints[r.Hints-1])
	return err
}

// diff prints the difference from a lab to its solution.
func (u user) diff(env *cli.Env, l *lab) error {
	lesson, err := source.Diff(u.root, folder+"/"+l.name, l.ours.Folder())
	if err != nil {
		return err
	}
	return lesson.Write(env.Stdout, cli.Color(env.Stdout))
}

// checkOne checks a lab and prints what came out.
func (u user) checkOne(ctx context.Context, env *cli.Env, l *lab) error {
	s, err := u.check(ctx, env, l, usual)
	if err != nil {
		return err
	}
	r, err := u.record(l, s)
	if err != nil {
		return err
	}
	if _, err = fmt.Fprintf(env.Stdout, "The pictures are right.\n%s\n%s\n", s, s.verdict(l, r)); err == nil && !s.passed(l) {
		err = cli.ErrReported
	}
	return err
}

// checkAll checks the labs that were started and prints a table.
func (u user) checkAll(ctx context.Context, env *cli.Env) error {
	t := results.Table{Header: []string{"lab", "what it is", "times the start", "ours", "of the gain", "result"}, Right: []bool{false, false, true, true, true, false}}
	failed := 0
	for _, l := range u.labs {
		if !u.started(l) {
			continue
		}
		row := []string{l.name, l.title, "", "", ""}
		result := "passed"
		s, err := u.check(ctx, env, l, usual)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil:
			result = strings.ReplaceAll(err.Error(), "|", `\|`)
		default:
			if _, err := u.record(l, s); err != nil {
				return err
			}
			row[2], row[3], row[4] = estimate.FormatRatio(s.gain), estimate.FormatRatio(s.ours), s.share()
			if !s.passed(l) {
				result = "not yet"
			}
		}
		if result != "passed" {
			failed++
		}
		t.Rows = append(t.Rows, append(row, result))
	}
	if len(t.Rows) == 0 {
		return cli.Misuse("no lab was started; want one, as in start %s", order[0])
	}
	if _, err := fmt.Fprint(env.Stdout, t.Markdown()); err != nil || failed == 0 {
		return err
	}
	return fmt.Errorf("%s not passed", english.Plural(failed, "lab is", "labs are"))
}
