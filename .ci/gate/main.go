// Gate runs what must pass before a change goes in, and says what it could not test.
// The checks are in checks.go; .ci/run installs what they need.
//
// It runs all checks and ends with status 1 if one fails, if a required test did not run,
// or if a test that may not be was skipped in all runs; and at once if this machine lacks
// something that RAYSTEPS_BLIND does not name.
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
	if err := gate(os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "gate:", err)
		os.Exit(1)
	}
}

func gate(out io.Writer) error {
	tmp, err := os.MkdirTemp("", "gate-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	here := look()
	if err := here.allow(strings.Fields(os.Getenv("RAYSTEPS_BLIND"))); err != nil {
		return err
	}
	l := ledger{map[string]bool{}, map[string]bool{}}
	start, account := time.Now(), ""
	for _, s := range stages(here) {
		if !here.has(s.needs) {
			continue
		}
		began := time.Now()
		fmt.Fprintf(out, "\n== %s (at %.0f s)\n", s.name, time.Since(start).Seconds())
		for _, c := range s.checks {
			if here.has(c.needs) {
				c.env += " " + s.env
				err = errors.Join(err, c.run(out, tmp, l))
			}
		}
		account += fmt.Sprintf("%4.0f s  %s\n", time.Since(began).Seconds(), s.name)
	}
	if err == nil { // what failed would be missed as well
		err = errors.Join(l.missed(required(here)), l.unexpected(skips, here))
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
	fmt.Fprintf(out, "\n%s%d tests passed in %.0f s; %s\n", account, len(l.passed), time.Since(start).Seconds(), verdict)
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
		err = errors.Join(err, fmt.Errorf("RAYSTEPS_BLIND names %s, which nothing here is called", blind))
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
	tests string                 // if it is go test: what the lists below call this run
	judge func(out string) error // of what it prints, or nil
}

func (c check) run(out io.Writer, tmp string, l ledger) error {
	words := strings.Split(strings.ReplaceAll(c.line, "{tmp}", tmp), " ")
	if c.tests != "" {
		words = slices.Insert(words, 2, "-json", "-vet=off") // vet is a check of its own
	}
	cmd := exec.Command(words[0], words[1:]...)
	cmd.Dir, cmd.Env = strings.ReplaceAll(c.in, "{tmp}", tmp), append(os.Environ(), strings.Fields(c.env)...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err, text := cmd.Run(), stdout.String()
	if c.tests != "" {
		packages := 0
		if packages, text = l.read(c.tests, stdout.Bytes()); err == nil {
			fmt.Fprintf(out, "%s: %d packages\n", c.tests, packages)
		}
	}
	if err == nil && c.judge != nil {
		err = c.judge(text)
	}
	if err != nil {
		fmt.Fprintln(out, text, &stderr)
		return fmt.Errorf("%s %s: %w", strings.TrimSpace(c.env), strings.Join(words, " "), err)
	}
	return nil
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

// ledger keeps what became of tests: "suite raysteps/step01 TestStep" is that of the
// package in the run of this name.
type ledger struct{ passed, skipped map[string]bool }

// anyTest stands for one test or more of a package.
const anyTest = "TestAny"

// read reads what go test -json printed in a run. It returns how many packages passed,
// and what was printed of those tests and packages that failed.
func (l ledger) read(run string, events []byte) (packages int, failures string) {
	printed := map[string]string{}
	for line := range bytes.Lines(events) {
		var e struct{ Action, Package, Test, Output string }
		if json.Unmarshal(line, &e) != nil {
			failures += string(line) // of a tool that go test runs
			continue
		}
		test := run + " " + e.Package + " " + e.Test
		switch {
		case e.Action == "build-output":
			failures += e.Output
		case e.Action == "output":
			printed[test] += e.Output
		case e.Action == "fail":
			failures += printed[test]
		case e.Action == "pass" && e.Test == "":
			packages++
		case e.Action == "pass":
			l.passed[test], l.passed[run+" "+e.Package+" "+anyTest] = true, true
		case e.Action == "skip" && e.Test != "":
			l.skipped[test] = true
		}
	}
	return packages, failures
}

// missed returns an error that lists those required tests that did not pass.
func (l ledger) missed(required []string) error {
	missed := slices.DeleteFunc(slices.Clone(required), func(test string) bool { return l.passed[test] })
	if len(required) > 0 && len(missed) == 0 {
		return nil
	}
	return fmt.Errorf("these must have passed, by run, package and test, and did not run:\n\t%s", strings.Join(missed, "\n\t"))
}

// skip is tests that may be skipped in all runs.
type skip struct {
	tests string // a regular expression of package and test
	lacks string // the ability without which they may be, or empty
	why   string
}

// unexpected returns an error that lists tests that were skipped, passed in no run, and
// may not be.
func (l ledger) unexpected(may []skip, here abilities) error {
	passed, list := map[string]bool{}, map[string]bool{}
	for test := range l.passed {
		_, test, _ = strings.Cut(test, " ")
		passed[test] = true
	}
	for test := range l.skipped {
		_, test, _ = strings.Cut(test, " ")
		list[test] = !passed[test] && !slices.ContainsFunc(may, func(s skip) bool {
			return (s.lacks == "" || !here.has(s.lacks)) && regexp.MustCompile("^("+s.tests+")$").MatchString(test)
		})
	}
	maps.DeleteFunc(list, func(_ string, unexpected bool) bool { return !unexpected })
	if len(list) == 0 {
		return nil
	}
	return fmt.Errorf("these were skipped, passed in no run, and are not among those that may be:\n\t%s", strings.Join(slices.Sorted(maps.Keys(list)), "\n\t"))
}

// floors is the judge of a list of packages, each with what it imports: what is internal
// to the scripts imports steps and common, a step common and no other step, and common
// neither.
func floors(list string) (err error) {
	folder := regexp.MustCompile(`^raysteps/((common)|(step\d+|beyond/\w+)|(scripts/internal)|(\w+|\.ci))`)
	for line := range strings.Lines(list) {
		words := strings.FieldsFunc(line, func(r rune) bool { return strings.ContainsRune("[] \n", r) })
		from := folder.FindStringSubmatch(words[0])
		for _, imported := range words[1:] {
			to := folder.FindStringSubmatch(imported)
			if to == nil || to[0] == from[0] {
				continue
			}
			// Of the groups 2 to 5 the one that is not empty is the floor.
			filled := func(s string) bool { return s != "" }
			if slices.IndexFunc(to[2:], filled) >= slices.IndexFunc(from[2:], filled) {
				err = errors.Join(err, fmt.Errorf("%s imports %s, of a floor above it or beside", words[0], imported))
			}
		}
	}
	return err
}
