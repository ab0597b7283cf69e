// Gate runs what must pass before a change goes in, and says what it could not test.
// The checks are in checks.go; .ci/run installs what they need.
//
// It runs all checks, or the stages whose names contain an argument, and ends with status 1 if one fails. A run of tests that is blind
// fails, too: if a package of it ran no test, if a part of -run matched none, or if a test
// was skipped for a reason that does not hold on this machine. What the machine lacks has
// to be named in RAYSTEPS_BLIND, or the gate ends at once and says how to get it.
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"os/signal"
	"regexp"
	"slices"
	"strings"
	"time"
)

func main() {
	signal.Notify(make(chan os.Signal, 1), os.Interrupt) // the check that runs ends, and so fails
	if err := gate(os.Stdout, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "gate:", err)
		os.Exit(1)
	}
}

func gate(out io.Writer, words []string) error {
	tmp, err := os.MkdirTemp("", "gate-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	here := look()
	if err := here.allow(strings.Fields(os.Getenv("RAYSTEPS_BLIND"))); err != nil {
		return err
	}
	start, account, passed := time.Now(), "", 0
	for _, s := range stages(here) {
		asked := func(word string) bool { return strings.Contains(s.name, word) }
		if !here.has(s.needs) || len(words) > 0 && !slices.ContainsFunc(words, asked) {
			continue
		}
		began := time.Now()
		fmt.Fprintf(out, "\n== %s (at %.0f s)\n", s.name, time.Since(start).Seconds())
		for _, c := range s.checks {
			if here.has(c.needs) {
				c.env += " " + s.env
				tests, failure := c.run(out, tmp, here)
				passed, err = passed+tests, errors.Join(err, failure)
			}
		}
		account += fmt.Sprintf("%4.0f s  %s\n", time.Since(began).Seconds(), s.name)
	}
	for _, a := range here {
		if a.lack != "" {
			account += fmt.Sprintf("NOT TESTED HERE: %s: %s\n", a.name, a.lack)
		}
	}
	verdict := "all checks passed"
	if err != nil {
		verdict = "FAILED"
	}
	fmt.Fprintf(out, "\n%s%d tests passed in %.0f s; %s\n", account, passed, time.Since(start).Seconds(), verdict)
	return err
}

// abilities are what a machine can test or lacks.
type abilities []ability

type ability struct {
	name string
	lack string // what is missing, or empty
	help string // what would provide it, or empty if nobody can
}

// has reports whether all of some abilities, with spaces between them, are here.
func (all abilities) has(names string) bool {
	return !slices.ContainsFunc(all, func(a ability) bool { return a.lack != "" && slices.Contains(strings.Fields(names), a.name) })
}

// allow returns an error for what is missing, unless blind names it, and for a name
// there that is none.
func (all abilities) allow(blind []string) (err error) {
	for _, a := range all {
		allowed := slices.Contains(blind, a.name)
		if a.lack != "" && a.help != "" && !allowed {
			err = errors.Join(err, fmt.Errorf("cannot test %s: %s; %s, or allow it with RAYSTEPS_BLIND=%s", a.name, a.lack, a.help, a.name))
		}
		blind = slices.DeleteFunc(blind, func(name string) bool { return name == a.name })
	}
	if len(blind) > 0 {
		err = errors.Join(err, fmt.Errorf("RAYSTEPS_BLIND names %s; want names such as arm64 or race", blind))
	}
	return err
}

// stage is checks that are told and timed together.
type stage struct {
	name, needs, env string // needs and env are those of all its checks
	checks           []check
}

// check is a command line, with one space between its words; {tmp} in it stands for a
// temporary folder.
type check struct {
	line  string
	env   string                 // variables, with spaces between them
	needs string                 // abilities without which it is left out
	in    string                 // folder to run it in; the module's if empty
	skips string                 // a regular expression of reasons why its tests may be skipped
	judge func(out string) error // of what it prints, or nil
}

// run runs a check and returns how many tests passed in it, if it is one of tests.
func (c check) run(out io.Writer, tmp string, here abilities) (passed int, err error) {
	words := strings.Split(strings.ReplaceAll(c.line, "{tmp}", tmp), " ")
	tests := slices.Equal(words[:min(2, len(words))], []string{"go", "test"})
	if tests {
		words = slices.Insert(words, 2, "-json", "-vet=off") // vet is a check of its own
	}
	cmd := exec.Command(words[0], words[1:]...)
	cmd.Dir, cmd.Env = strings.ReplaceAll(c.in, "{tmp}", tmp), append(os.Environ(), strings.Fields(c.env)...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err, text := cmd.Run(), stdout.String()
	if tests {
		var l ledger
		l, text = read(stdout.Bytes())
		if err == nil {
			err = errors.Join(l.blind(words), l.unexpected(c.skips, here))
			fmt.Fprintf(out, "%4d tests passed, %d skipped: %s\n", len(l.passed), len(l.skipped), c.line)
		}
		passed = len(l.passed)
	}
	if err == nil && c.judge != nil {
		err = c.judge(text)
	}
	if err != nil {
		fmt.Fprintln(out, text, &stderr)
		return passed, fmt.Errorf("%s %s: %w", strings.TrimSpace(c.env), strings.Join(words, " "), err)
	}
	return passed, nil
}

// nothingBut is the judge of a command that prints what is wrong, and lines that are not:
// those in which an expression is found.
func nothingBut(fine string) func(string) error {
	return func(out string) error {
		for line := range strings.Lines(out) {
			if fine == "" || !regexp.MustCompile(fine).MatchString(line) {
				return errors.New("it found something")
			}
		}
		return nil
	}
}

// ledger keeps what became of the tests of a run.
type ledger struct {
	passed, skipped map[test]string // with what they printed
	packages        map[string]bool // that have tests, and whether one of them passed
}

type test struct{ pkg, name string }

// read reads what go test -json printed. It returns, too, what was printed of those tests
// and packages that failed.
func read(events []byte) (l ledger, failures string) {
	l = ledger{map[test]string{}, map[test]string{}, map[string]bool{}}
	printed := map[test]string{}
	for line := range bytes.Lines(events) {
		var e struct{ Action, Package, Test, Output string }
		if json.Unmarshal(line, &e) != nil {
			failures += string(line) // of a tool that go test runs
			continue
		}
		t := test{e.Package, e.Test}
		switch {
		case e.Action == "build-output":
			failures += e.Output
		case e.Action == "output":
			printed[t] += e.Output
		case e.Action == "fail":
			failures += printed[t]
		case e.Action == "pass" && e.Test == "":
			if !l.packages[e.Package] {
				l.packages[e.Package] = false // but it is there
			}
		case e.Action == "pass":
			l.passed[t], l.packages[e.Package] = printed[t], true
		case e.Action == "skip" && e.Test != "":
			l.skipped[t] = printed[t]
		}
	}
	return l, failures
}

// blind returns an error if a run of the words of a command could not see: a package ran
// no test, or an alternative of -run matched none. A package without test files is none of
// the ledger's.
func (l ledger) blind(words []string) (err error) {
	if len(l.packages) == 0 {
		return errors.New("no package has tests")
	}
	for _, pkg := range slices.Sorted(maps.Keys(l.packages)) {
		if !l.packages[pkg] {
			err = errors.Join(err, fmt.Errorf("%s ran no test", pkg))
		}
	}
	for i, word := range words {
		if word != "-run" && word != "-fuzz" || words[i+1] == "^$" {
			continue
		}
		first, _, _ := strings.Cut(words[i+1], "/")
		for pattern := range strings.SplitSeq(first, "|") {
			matches := func(t test) bool {
				name, _, _ := strings.Cut(t.name, "/")
				return regexp.MustCompile(pattern).MatchString(name)
			}
			if !slices.ContainsFunc(slices.Collect(maps.Keys(l.passed)), matches) {
				err = errors.Join(err, fmt.Errorf("%s %s matched no test that passed", word, pattern))
			}
		}
	}
	return err
}

// reason is what a test prints before it is skipped.
var reason = regexp.MustCompile(`\.go:\d+: (.*)`)

// unexpected returns an error that lists the tests that were skipped for a reason that is
// none here, and does not match may.
func (l ledger) unexpected(may string, here abilities) error {
	var list []string
	for t, printed := range l.skipped {
		why := "no reason"
		if m := reason.FindStringSubmatch(printed); m != nil {
			why = m[1]
		}
		fine := slices.ContainsFunc(skips, func(s skip) bool {
			return (s.lacks == "" || !here.has(s.lacks)) && regexp.MustCompile(s.reason).MatchString(why)
		})
		if !fine && (may == "" || !regexp.MustCompile(may).MatchString(why)) {
			list = append(list, fmt.Sprintf("%s %s: %s", t.pkg, t.name, why))
		}
	}
	if len(list) == 0 {
		return nil
	}
	slices.Sort(list)
	return fmt.Errorf("these were skipped, and need not be here:\n\t%s", strings.Join(list, "\n\t"))
}

// skip is a reason to skip a test.
type skip struct {
	reason string // a regular expression of what the test says
	lacks  string // the ability without which it is one, or empty if it always is
}

// floors is the judge of a list of packages, each with what it imports: what is internal
// to the scripts imports what is beyond, steps and common, what is beyond steps and
// common, and tracing, which they share; a step common and no other step, and common neither.
func floors(list string) (err error) {
	folder := regexp.MustCompile(`^raysteps/((common)|(step\d+)|(beyond/tracing)|(beyond/\w+)|(scripts/internal)|(\w+|\.ci))`)
	for line := range strings.Lines(list) {
		words := strings.FieldsFunc(line, func(r rune) bool { return strings.ContainsRune("[] \n", r) })
		from := folder.FindStringSubmatch(words[0])
		for _, imported := range words[1:] {
			to := folder.FindStringSubmatch(imported)
			if to == nil || to[0] == from[0] {
				continue
			}
			// Of the groups from 2 on the one that is not empty is the floor.
			filled := func(s string) bool { return s != "" }
			if slices.IndexFunc(to[2:], filled) >= slices.IndexFunc(from[2:], filled) {
				err = errors.Join(err, fmt.Errorf("%s imports %s, of a floor above it or beside", words[0], imported))
			}
		}
	}
	return err
}
