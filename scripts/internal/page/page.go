// Package page fills regions of Markdown pages in place, and reads what they ask of
// measurements. A region stands between two comments, which a reader of the page does not see:
//
//	<!-- raysteps:listing file=step04/sphere.go decl=Sphere.Hit -->
//
//	what was filled in last time
//
//	<!-- /raysteps -->
//
// The name after the colon says which [Directive] makes the content; after it
// come its arguments, key=value. A value with spaces stands in double quotes, in
// which \" is a quote and everything else is what it is; it cannot hold the end
// of a comment.
//
// If both comments stand alone on their lines, the content goes on lines of
// its own, with an empty line before and after it. Otherwise it must be of one line
// and goes directly between the comments:
//
//	It is <!-- raysteps:number of=4 over=3 scene=large -->1.2<!-- /raysteps --> times as fast.
//
// What looks like a directive inside a fenced code block or a code span is left
// alone: markers are those comments that a Markdown parser takes for comments. Regions do
// not nest. Filling a page twice is the same as filling it once.
package page

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/dustin/go-humanize/english"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"
)

// Directive makes the content of a region.
type Directive struct {
	// Usage lists the arguments, those that may be left out in brackets, and names values in
	// capitals unless there is only one: file=FILE [match=REGEXP] [doc=no].
	Usage string

	// Fill returns the content, in Markdown. Its error needs no place.
	Fill func(*Call) (string, error)
}

// Call is one use of a directive in a page. A value that is not what it should be
// need not be looked for: the region then fails, whatever its Fill returns.
type Call struct {
	Page string // path of the page
	Name string // of the directive
	Old  string // what the region holds now, trimmed

	values         map[string]string
	err            error // the first mistake
	at, start, end int   // offsets in the page: of the marker, of the content, and of what is after it; end is 0 without that
	block          bool  // the marker stands alone on its line
}

// Calls returns those of a page, in order, but for mistakes.
func Calls(page string) []*Call {
	return slices.DeleteFunc(calls(page), func(c *Call) bool { return c.err != nil })
}

// Fail notes an error, unless it is nil or another was noted before.
func (c *Call) Fail(err error) {
	if err != nil && c.err == nil {
		c.err = fmt.Errorf("%s: %w", c.Name, err)
	}
}

// Get returns the value of a key, or "" if it was not given.
func (c *Call) Get(key string) string { return c.values[key] }

// List returns the value of a key that holds several, with commas between.
func (c *Call) List(key string) []string {
	return strings.FieldsFunc(c.Get(key), func(r rune) bool { return r == ',' })
}

// Fill returns the text of a page with its regions filled. The path is for messages and for
// directives. If there is an error the page is the text as it was; each of its lines is such as
//
//	docs/step03.md:41: lising: unknown directive; want diff or listing
func Fill(directives map[string]Directive, path, page string) (string, error) {
	var out strings.Builder
	var errs []error
	done := 0
	for _, c := range calls(page) {
		c.Page = path
		content := c.fill(directives)
		if c.err != nil {
			line := 1 + strings.Count(page[:c.at], "\n")
			errs = append(errs, fmt.Errorf("%s:%d: %s", path, line, strings.Join(strings.Fields(c.err.Error()), " ")))
			continue
		}
		out.WriteString(page[done:c.start] + content)
		done = c.end
	}
	if len(errs) > 0 {
		return page, errors.Join(errs...)
	}
	return out.String() + page[done:], nil
}

// marker matches what begins or ends a region, or was meant to.
var marker = regexp.MustCompile(`(?s)<!--\s*/?raysteps\b.*?-->`)

// markers returns where they are in a page: in what a parser of Markdown takes for HTML.
func markers(page string) (all [][]int) {
	_ = ast.Walk(goldmark.DefaultParser().Parse(text.NewReader([]byte(page))), func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		var lines *text.Segments
		switch n := n.(type) {
		case *ast.HTMLBlock:
			lines = n.Lines()
			if entering && n.HasClosure() {
				lines.Append(n.ClosureLine)
			}
		case *ast.RawHTML:
			lines = n.Segments
		}
		if entering && lines != nil {
			first, last := lines.At(0).Start, lines.At(lines.Len()-1).Stop
			for _, m := range marker.FindAllStringIndex(page[first:last], -1) {
				all = append(all, []int{first + m[0], first + m[1]})
			}
		}
		return ast.WalkContinue, nil
	})
	return all
}

// calls finds those of a page, and what looks like one and has a mistake.
func calls(page string) (all []*Call) {
	var open *Call
	for _, m := range markers(page) {
		text := page[m[0]:m[1]]
		if open != nil && strings.HasPrefix(text, "<!-- /raysteps") {
			open.Old, open.end, open = strings.TrimSpace(page[open.start:m[0]]), m[0], nil
			continue
		}
		rest, _, _ := strings.Cut(page[m[1]:], "\n")
		open = read(text)
		open.at, open.start = m[0], m[1]
		open.block = (m[0] == 0 || page[m[0]-1] == '\n') && strings.TrimSpace(rest) == ""
		all = append(all, open)
		if open.Name == "" {
			open = nil
		}
	}
	for _, c := range all {
		if c.end == 0 {
			c.Fail(errors.New("no <!-- /raysteps --> of its own after it"))
		}
	}
	return all
}

// start matches what begins a region, and argument each of its arguments.
var (
	start    = regexp.MustCompile(`(?s)^<!-- raysteps:([\w-]+)(\s.*?)?-->`)
	argument = regexp.MustCompile(`\s([A-Za-z][\w-]*)=(?:"((?:\\"|[^"])*)"|([^\s"]+))`)
)

// read takes a marker apart.
func read(marker string) *Call {
	begun := start.FindStringSubmatch(marker)
	if begun == nil {
		return &Call{err: fmt.Errorf("%s begins no region and ends none; want <!-- raysteps:NAME key=value ... -->", marker)}
	}
	c := &Call{Name: begun[1], values: map[string]string{}}
	for _, m := range argument.FindAllStringSubmatch(begun[2], -1) {
		if _, twice := c.values[m[1]]; twice {
			c.Fail(fmt.Errorf("%s is given twice", m[1]))
		}
		c.values[m[1]] = cmp.Or(strings.ReplaceAll(m[2], `\"`, `"`), m[3])
	}
	if rest := strings.TrimSpace(argument.ReplaceAllString(begun[2], "")); rest != "" {
		c.Fail(fmt.Errorf("cannot read %q; want key=value or key=\"some value\"", rest))
	}
	return c
}

// ParseMarker reads the first comment of a text that begins a region, without
// asking which directives and keys there are. It is nil if there is none.
func ParseMarker(text string) *Call {
	if c := read(strings.TrimSpace(text)); c.err == nil {
		return c
	}
	return nil
}

// fill returns the content as it is to stand between the markers.
func (c *Call) fill(directives map[string]Directive) (content string) {
	d, ok := directives[c.Name]
	if !ok {
		c.Fail(fmt.Errorf("unknown directive; want %s", english.WordSeries(slices.Sorted(maps.Keys(directives)), "or")))
	} else {
		c.check(d.Usage)
	}
	if c.err == nil {
		text, err := d.Fill(c)
		c.Fail(err)
		content = strings.Trim(text, "\n")
	}
	if marker.MatchString(content) || strings.Count(content, "```") > 2 {
		c.Fail(errors.New("its content holds a marker of a region, or a fence that would end its code block"))
	}
	switch {
	case c.block && content == "":
		return "\n"
	case c.block:
		return "\n\n" + content + "\n\n"
	case strings.Contains(content, "\n"):
		c.Fail(errors.New("its content has several lines; want its marker alone on the line, not indented"))
	}
	return content
}

// check holds the keys and values against the usage of a directive.
func (c *Call) check(usage string) {
	values := map[string]string{} // by known key
	for word := range strings.FieldsSeq(usage) {
		key, value, _ := strings.Cut(strings.Trim(word, "[]"), "=")
		if values[key] = value; word[0] != '[' && c.Get(key) == "" {
			c.Fail(fmt.Errorf("%s is missing; want %s", key, usage))
		}
	}
	for _, key := range slices.Sorted(maps.Keys(c.values)) {
		value, known := values[key]
		if !known || value != strings.ToUpper(value) && value != c.Get(key) {
			c.Fail(fmt.Errorf("cannot use %s=%s; want %s", key, c.Get(key), cmp.Or(usage, "no arguments")))
		}
	}
}

// Fence returns text as a fenced code block of a language. Filling a region fails if the text has
// a fence of its own.
func Fence(language, text string) string {
	return "```" + language + "\n" + strings.TrimRight(text, "\n") + "\n```"
}
