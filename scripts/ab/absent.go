package main

import (
	"cmp"
	"fmt"
	"path"
)

// The states of what was not measured.
const (
	failed    = "failed"
	skipped   = "skipped"
	unreached = "unreached"
	removed   = "removed"
	added     = "added"
)

// absence is a benchmark that was not measured, or a package if it has no benchmark.
type absence struct {
	Package   string `json:"package"`
	Benchmark string `json:"benchmark,omitempty"`
	State     string `json:"state"`
	Version   string `json:"version,omitempty"` // of which it is said, if not of both: old or new
	Reason    string `json:"reason"`

	name  string
	words string // that are said of all that share them
	lost  bool   // whether a limit cannot be answered without it: the old version has it
}

// where says which version something is said of, if it is not both.
func where(said [2]string) (version, words string) {
	switch {
	case said[before] == "" && said[after] != "":
		return sides[after], " in the new version"
	case said[after] == "" && said[before] != "":
		return sides[before], " in the old version"
	}
	return "", ""
}

// reason says why a package was not measured.
func (p *pkg) reason(c *comparison) string {
	version := before
	if p.broken[before] == "" {
		version = after
	}
	return fmt.Sprintf("%s: %s: %s", c.versions[version].label, p.path, p.broken[version])
}

// absences returns what was not measured.
func (c *comparison) absences() (all []absence) {
	for _, p := range c.broken {
		reason := cmp.Or(p.broken[after], p.broken[before])
		version, in := where(p.broken)
		all = append(all, absence{Package: p.path, State: failed, Version: version, Reason: reason,
			name: p.path, words: "Does not build" + in, lost: p.broken[before] == ""})
	}
	for _, p := range c.packages {
		if !p.reached {
			all = append(all, absence{Package: p.path, State: unreached, Reason: "the time was over before its turn", name: p.path,
				words: "Not reached, packages", lost: true})
		}
	}
	for _, name := range c.apart {
		all = append(all, absence{Package: name, State: removed, Reason: "only one version has it", name: name,
			words: "Only one version has benchmarks of"})
	}
	for _, r := range c.rows {
		if a := r.absence(c); a != nil {
			all = append(all, *a)
		}
	}
	return all
}

// absence says why a row was not measured, or returns nil if it was.
func (r *row) absence(c *comparison) *absence {
	a := &absence{Package: r.pkg.path, Benchmark: r.name, State: failed, name: c.name(r)}
	a.lost = r.lacks[before] == ""
	version, in := where(r.lacks)
	a.Version, a.Reason, a.words = version, cmp.Or(r.lacks[after], r.lacks[before]), "Fails"+in
	switch {
	case r.lacks[before] == tooLong || r.lacks[after] == tooLong:
		a.State, a.Version, a.Reason, a.words, a.lost = unreached, "", tooLong, "Not reached", true
	case r.lacks[after] == missing && r.lacks[before] != "":
		a.Reason = r.lacks[before]
		a.Version, a.words = sides[before], "Fails in the old version"
	case r.lacks[before] == missing && r.lacks[after] != "":
		a.Version, a.words, a.lost = sides[after], "Fails in the new version", true
	case r.lacks[after] == missing:
		a.State, a.Reason, a.words, a.lost = removed, "only the old version has it", "Only the old version has", false
	case r.lacks[before] == missing:
		a.State, a.Reason, a.words, a.lost = added, "only the new version has it", "Only the new version has", false
	case r.skipped && a.Reason != "":
		a.State, a.words = skipped, "Skipped"+in
	case a.Reason != "":
	case r.late != "":
		a.State, a.Reason, a.words = unreached, r.late, "Not reached"
	case r.group.Err != nil:
		a.Reason = r.group.Err.Error()
	case len(r.group.Lines) > 0 && r.hasRatio():
		return nil
	case len(r.group.Lines) > 0:
		a.State, a.Reason, a.words = unreached, "takes 0 s: want a benchmark that does its work b.N times", "Not measured"
	case r.pkg.unit.Err != nil:
		a.Reason = r.pkg.unit.Err.Error()
	default:
		a.State, a.Reason, a.words = unreached, "the time was over before its turn", "Not reached"
	}
	return a
}

// missed says what was not measured and why, a reason once.
func (c *comparison) missed() (all sentenceList) {
	type key struct{ words, reason string }
	names, order := map[key][]string{}, []key(nil)
	for _, a := range c.absences() {
		k := key{a.words, a.Reason}
		if a.State == removed || a.State == added { // which the words say
			k.reason = ""
		}
		if names[k] == nil {
			order = append(order, k)
		}
		names[k] = append(names[k], a.name)
	}
	for _, k := range order {
		if k.reason == "" {
			all.add(k.words, names[k])
		} else {
			all = append(all, k.words+": "+list(names[k])+": "+k.reason)
		}
	}
	for _, r := range c.rows {
		if r.uncounted != nil {
			all = append(all, fmt.Sprintf("%s was not counted: %v", c.name(r), r.uncounted))
		}
	}
	var inputs []string
	for _, p := range c.packages {
		if p.inputs {
			inputs = append(inputs, path.Base(p.path))
		}
	}
	all.add("The same program, and other testdata", inputs)
	return all
}
