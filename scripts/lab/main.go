package main

import (
	"bufio"
	"context"
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/dustin/go-humanize/english"

	"raysteps/scripts/internal/cli"
	"raysteps/scripts/internal/source"
)

// folder is where labs are, from the root of the module.
const folder = "lab"

func main() { cli.Main(command) }

//go:embed doc.go
var manual string

var command = cli.Command{
	Name:     "lab",
	Synopsis: "[flags] [start | watch | check | hint | diff] [NAME]",
	Manual:   manual,
	MaxArgs:  2,
	Setup:    func(*flag.FlagSet) cli.Run { return run },
}

func run(ctx context.Context, env *cli.Env, args []string) error {
	root, err := cli.ModuleRoot()
	if err != nil {
		return err
	}
	u := user{root: root, dir: filepath.Join(root, folder), labs: all()}
	if len(args) == 0 {
		return u.list(env)
	}
	word, words := args[0], []string{"start", "watch", "check", "hint", "diff"}
	if !slices.Contains(words, word) {
		return cli.Misuse("unknown word %q; want %s", word, english.WordSeries(words, "or"))
	}
	if len(args) == 1 {
		return cli.Misuse("%s which lab? want %s", word, english.WordSeries(order, "or"))
	}
	i := slices.Index(order, strings.TrimPrefix(path.Clean(strings.ReplaceAll(args[1], `\`, "/")), folder+"/"))
	if i < 0 {
		return cli.Misuse("unknown lab %q; want %s", args[1], english.WordSeries(order, "or"))
	}
	l := u.labs[i]
	if word != "start" && !u.started(l) {
		return cli.Misuse("there is no %s yet; begin with start %s", l.folder(), l.name)
	}
	s := u.session(env, l)
	switch word {
	case "start":
		var in io.Reader = strings.NewReader("")
		if cli.IsTerminal(os.Stdin) && cli.IsTerminal(env.Stdout) {
			in = os.Stdin
		}
		return u.start(env, l, in)
	case "watch":
		changed, err := changes(ctx, filepath.Join(u.dir, l.name))
		if err != nil {
			return err
		}
		s.watch(ctx, changed)
		return nil
	case "check":
		return s.check(ctx)
	case "hint":
		return u.hint(env, l)
	}
	lesson, err := source.Diff(u.root, l.folder(), l.Ours.Folder(), source.Here())
	if err != nil {
		return err
	}
	return lesson.Write(env.Stdout, cli.Color(env.Stdout))
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
	t := tabwriter.NewWriter(env.Stdout, 0, 0, 3, ' ', 0)
	fmt.Fprintln(t, "lab\twhat it is\tfrom\tpassed\tpredicted\treached\t")
	for _, l := range u.labs {
		fmt.Fprintln(t, l.name+"\t"+l.Title+"\t"+l.From.Title()+"\t"+p[l.name].String())
	}
	t.Flush()
	_, err = fmt.Fprintln(env.Stdout, "\ngo run ./scripts/lab start NAME begins one; -help tells the rest.")
	return err
}

// start makes the folder of a lab, and keeps the prediction that it reads.
func (u user) start(env *cli.Env, l *lab, in io.Reader) error {
	files, err := l.files(u.root)
	if err != nil {
		return err
	}
	if u.started(l) {
		return cli.Misuse("%s is there already; to begin again, rename or delete that folder first", l.folder())
	}
	if err := create(filepath.Join(u.dir, l.name), files); err != nil {
		return err
	}
	fmt.Fprintf(env.Stdout, "%s is made: %s.\nIts README.md says what to do. Read it, and predict:\n", l.folder(), l.Title)
	var predicted float64
	for lines := bufio.NewScanner(in); !(predicted >= 1 && predicted <= 20); {
		fmt.Fprint(env.Stdout, "how fast will it be, times the start, 1.0 to 20? (Enter: no prediction) ")
		if !lines.Scan() || strings.TrimSpace(lines.Text()) == "" {
			_, err := fmt.Fprintln(env.Stdout, "No prediction is kept.")
			return err
		}
		predicted, _ = strconv.ParseFloat(strings.TrimSpace(lines.Text()), 64) // 0 asks again
	}
	if _, err = u.record(l, func(r *standing) { r.Predicted = predicted }); err == nil {
		_, err = fmt.Fprintf(env.Stdout, "Kept: %.3g times. You are told how far that was when it is passed.\n", predicted)
	}
	return err
}

// create makes a folder with files, or leaves none behind where that fails.
func create(dir string, files map[string][]byte) error {
	err := os.MkdirAll(dir, 0o755)
	for name, text := range files {
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, name), text, 0o644)
		}
	}
	if err != nil {
		err = errors.Join(err, os.RemoveAll(dir))
	}
	return err
}

// hint prints the next hint, or all of them once the lab is passed, which count no more.
func (u user) hint(env *cli.Env, l *lab) error {
	r, err := u.record(l, func(r *standing) {
		if !r.Passed {
			r.Hints = min(r.Hints+1, len(l.hints))
		}
	})
	if err != nil {
		return err
	}
	text := strings.Join(l.hints, "\n\n")
	if !r.Passed {
		text = fmt.Sprintf("Hint %d of %d. %s", r.Hints, len(l.hints), l.hints[r.Hints-1])
	}
	_, err = fmt.Fprintln(env.Stdout, text)
	return err
}
