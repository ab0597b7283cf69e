package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

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
		for _, alternative := range alternatives(words[i+1]) {
			pattern, _, _ := strings.Cut(alternative, "/")
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

// alternatives returns the parts of a pattern for -run between bars that are in no parentheses.
func alternatives(pattern string) (all []string) {
	depth, begin := 0, 0
	for i, c := range pattern {
		switch {
		case c == '(':
			depth++
		case c == ')':
			depth--
		case c == '|' && depth == 0:
			all = append(all, pattern[begin:i])
			begin = i + 1
		}
	}
	return append(all, pattern[begin:])
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
