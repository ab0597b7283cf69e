package main

import (
	"fmt"
	"html/template"
	"regexp"
	"slices"
	"strings"
)

// glossary is the page of terms, which is a table of them: in bold, and what each means.
const glossary = "docs/glossary.md"

var glossaryRow = regexp.MustCompile(`(?m)^\| \*\*([^*]+)\*\* \| (.+) \|$`)

// homonyms are words that the pages use in another sense, too: Go's slices.
var homonyms = []string{"Slice"}

// term is a word of the glossary, with its other forms.
type term struct {
	Names   []string
	Meaning template.HTML // with the links that it has on a page at the address of the book
}

// terms reads the glossary.
func (b *book) terms() (all []term, err error) {
	d, err := b.open(glossary)
	if err != nil {
		return nil, err
	}
	for _, m := range glossaryRow.FindAllSubmatch(d.text, -1) {
		names := strings.Split(string(m[1]), ", ")
		if slices.Contains(homonyms, names[0]) {
			continue
		}
		meaning, err := parse(glossary, m[2]).html(b)
		if err != nil {
			return nil, err
		}
		// Pages are in different folders, so links begin at the root, which a script puts before them.
		text := strings.ReplaceAll(strings.TrimSpace(string(meaning)), `href="../`, `href="`)
		all = append(all, term{names, template.HTML(text)})
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("%s: no terms; want rows such as | **Ray** | A half-line. |", glossary)
	}
	return all, nil
}

func (b *book) termsData() ([]byte, error) {
	all, err := b.terms()
	if err != nil {
		return nil, err
	}
	return data("terms", all)
}
