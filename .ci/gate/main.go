// Gate runs what must pass before a change goes in, and says what it could not test.
// The checks are in checks.go; .ci/run installs what they need.
//
// It runs all checks, or the stages whose names contain an argument, and ends with status 1
// if one fails. A run of tests that is blind fails, too: if a package of it ran no test, if a
// part of -run matched none, or if a test was skipped for a reason that does not hold on this
// machine. What the machine lacks has to be named in RAYSTEPS_BLIND, or the gate ends at once
// and says how to get it.
package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
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
	here := abilitiesHere()
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
