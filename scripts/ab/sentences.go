package main

import (
	"fmt"
	"strings"
)

// sentenceList is what a report says in words.
type sentenceList []string

// list names some, of which many are not named.
func list(names []string) string {
	if len(names) > 6 {
		names = append(names[:5:5], fmt.Sprintf("and %d more", len(names)-5))
	}
	return strings.Join(names, ", ")
}

// add says what some have in common, by their names.
func (s *sentenceList) add(words string, names []string) {
	if len(names) > 0 {
		*s = append(*s, words+": "+list(names)+".")
	}
}

// sentences say what was found, and what more time would tell.
func (c *comparison) sentences(all []*finding) (text sentenceList) {
	text.add("The same program in both versions, to the byte, and so not measured", c.equal)
	text = append(text, c.missed()...)
	var noisy, unseen, uncounted []string
	for _, f := range all {
		counted := f.Unit == "sec/op" && len(f.of.counts[after]) > 0
		if counted && f.of.recounted && !f.differs {
			unseen = append(unseen, f.row.Name)
		} else if counted && !f.of.recounted && !f.of.vague && f.differs {
			uncounted = append(uncounted, f.row.Name)
		}
		if f.Noise != nil && f.Noise.Significant(len(c.rows)) {
			noisy = append(noisy, f.row.Name)
		}
	}
	switch {
	case c.floor:
		return append(text, c.floorSaid(all)...)
	case c.canary > 0:
		return append(text, c.canarySaid(all)...)
	}
	for _, f := range c.rule.Findings(c.ratios) {
		text.add(strings.ToUpper(f.Words[:1])+f.Words[1:], f.Names)
	}
	text.add("Do not believe this run, as the same code differs from itself", noisy)
	text.add("Other counts, and no time shows it", unseen)
	text.add("Another time, and the same counts, so look at memory and dependences", uncounted)
	if need := c.needs(); need != "" {
		text = append(text, need+"; -bench chooses fewer rows.")
	}
	return text
}
