// Package page fills regions of Markdown pages in place, and reads what they ask of
// measurements. A region stands between two comments, which a reader of the page does not see.
// If both stand alone on their lines, its content goes on lines of its own, with an empty line
// before and after it. Otherwise it must be of one line and goes directly between the comments:
//
//	It is <!-- raysteps:number of=4 over=3 scene=large -->1.2<!-- /raysteps --> times as fast.
//
// The name after the colon says which of the [Directives] makes the content. A value with
// spaces stands in double quotes, in which \" is a quote and everything else is what it is.
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

// Directives are all that a page can use, by their names.
type Directives map[string]Directive

// Fill returns the content of a region, in Markdown. Its error needs no place.
type Fill func(*Call) (string, error)

// Call is one use of a directive in a page. A value that is not what it should be
// need not be looked for: the region then fails, whatever its Fill returns.
type Call struct {
	Page string // path of the page
	Name string // of the directive
	Old  string // what the region holds now, trimmed

	values map[string]string
	err    error // the first mistake
	block  bool  // the marker stands alone on its line
	// Offsets in the page: of the marker, of the content, and of what is after it; end is 0 without that.
	at, start, end int
}

// Fail notes an error, unless it is nil or another was noted before.
func (c *Call) Fail(err error) { c.err = cmp.Or(c.err, err) }

// Get returns the value of a key, or "" if it was not given.
func (c *Call) Get(key string) string { return c.values[key] }

// List returns the value of a key that holds several, with commas between.
func (c *Call) List(key string) []string {
	return strings.FieldsFunc(c.Get(key), func(r rune) bool { return r == ',' })
}

// Page returns the text of a page with its regions filled. The path is for messages and for
// directives. If there is an error the page is the text as it was; each of its lines is such as
//
//	docs/step03.md:41: lising: unknown directive; want diff or listing
func (d Directives) Page(path, page string) (string, error) {
	out, done := "", 0
	var errs []error
	for _, c := range Calls(page) {
		c.Page = path
		out, done = out+page[done:c.start]+d.region(c), c.end
		if c.err != nil {
			line, message := 1+strings.Count(page[:c.at], "\n"), strings.Join(strings.Fields(c.err.Error()), " ")
			errs = append(errs, fmt.Errorf("%s:%d: %s: %s", path, line, c.Name, message))
		}
	}
	if errs != nil {
		return page, errors.Join(errs...)
	}
	return out + page[done:], nil
}

var (
	// marker matches what begins or ends a region, or was meant to.
	marker = regexp.MustCompile(`(?s)<!--\s*/?raysteps\b.*?-->`)
	// begin matches what begins a region, and argument each of its arguments.
	begin    = regexp.MustCompile(`(?s)^<!-- raysteps:([\w-]+)(\s.*?)?-->`)
	argument = regexp.MustCompile(`\s([A-Za-z][\w-]*)=(?:"((?:\\"|[^"])*)"|([^\s"]+))`)
)

// Calls returns those of a page, in order, and also what looks like one and has a mistake; with
// names only the calls of these directives.
func Calls(page string, names ...string) (all []*Call) {
	var open *Call
	for _, m := range markers(page) {
		text := page[m[0]:m[1]]
		if open != nil && strings.HasPrefix(text, "<!-- /raysteps") {
			open.Old, open.end, open = strings.TrimSpace(page[open.start:m[0]]), m[0], nil
			continue
		}
		rest, _, _ := strings.Cut(page[m[1]:], "\n")
		c := &Call{Name: text, at: m[0], start: m[1], values: map[string]string{}}
		c.block = (m[0] == 0 || page[m[0]-1] == '\n') && strings.TrimSpace(rest) == ""
		if c.read(text) {
			open = c
		}
		all = append(all, c)
	}
	return slices.DeleteFunc(all, func(c *Call) bool {
		return names != nil && !slices.Contains(names, c.Name)
	})
}

// read reads the name and the values of a marker, and reports whether it begins a region.
func (c *Call) read(marker string) bool {
	m := begin.FindStringSubmatch(marker)
	if m == nil {
		c.Fail(errors.New("begins no region and ends none; want <!-- raysteps:NAME key=value ... -->"))
		return false
	}
	c.Name = m[1]
	for _, m := range argument.FindAllStringSubmatch(m[2], -1) {
		if _, twice := c.values[m[1]]; twice {
			c.Fail(fmt.Errorf("%s is given twice", m[1]))
		}
		c.values[m[1]] = cmp.Or(strings.ReplaceAll(m[2], `\"`, `"`), m[3])
	}
	if rest := strings.TrimSpace(argument.ReplaceAllString(m[2], "")); rest != "" {
		c.Fail(fmt.Errorf("cannot read %q; want key=value or key=\"some value\"", rest))
	}
	return true
}

// markers returns where they are in a page: in what a parser of Markdown takes for HTML.
func markers(page string) (all [][]int) {
	root := goldmark.DefaultParser().Parse(text.NewReader([]byte(page)))
	_ = ast.Walk(root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if lines := htmlLines(n); entering && lines != nil && lines.Len() > 0 {
			first, last := lines.At(0).Start, lines.At(lines.Len()-1).Stop
			for _, m := range marker.FindAllStringIndex(page[first:last], -1) {
				all = append(all, []int{first + m[0], first + m[1]})
			}
		}
		return ast.WalkContinue, nil
	})
	return all
}

// htmlLines returns the lines of a node that is HTML, or nil.
func htmlLines(n ast.Node) *text.Segments {
	switch n := n.(type) {
	case *ast.HTMLBlock:
		lines := text.NewSegments()
		lines.AppendAll(n.Lines().Sliced(0, n.Lines().Len()))
		if n.HasClosure() {
			lines.Append(n.ClosureLine)
		}
		return lines
	case *ast.RawHTML:
		return n.Segments
	}
	return nil
}

// region returns the content of a region as it is to stand between the markers.
func (d Directives) region(c *Call) (content string) {
	directive, ok := d[c.Name]
	switch {
	case c.end == 0:
		c.Fail(errors.New("no <!-- /raysteps --> of its own after it"))
	case !ok:
		c.Fail(fmt.Errorf("unknown directive; want %s", english.WordSeries(slices.Sorted(maps.Keys(d)), "or")))
	}
	if ok {
		directive.check(c)
	}
	if c.err == nil {
		text, err := directive.Fill(c)
		c.Fail(err)
		content = strings.Trim(text, "\n")
	}
	switch {
	case marker.MatchString(content) || strings.Count(content, "```") > 2:
		c.Fail(errors.New("its content holds a marker of a region, or a fence that would end its code block"))
	case c.block && content == "":
		return "\n"
	case c.block:
		return "\n\n" + content + "\n\n"
	case strings.Contains(content, "\n"):
		c.Fail(errors.New("its content has several lines; want its marker alone on the line, not indented"))
	}
	return content
}

// Fence returns text as a fenced code block of a language. Filling a region fails if the text has
// a fence of its own.
func Fence(language, text string) string {
	return "```" + language + "\n" + strings.TrimRight(text, "\n") + "\n```"
}
