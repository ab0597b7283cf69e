// Package directive fills regions of Markdown pages in place. A region
// stands between two comments, which a reader of the page does not see:
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
// What looks like a directive inside a code block or a code span is left
// alone. Regions do not nest. Filling a page twice is the same as filling it
// once.
package directive

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/dustin/go-humanize/english"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"
)

// Directive makes the content of a region.
type Directive struct {
	Help     string   // what it makes, in sentences
	Required []string // keys that must be given
	Optional []string // and those that may be

	// Fill returns the content, in Markdown. Its error needs no place.
	Fill func(*Call) (string, error)
}

// Call is one use of a directive in a page. A value that is not what it should be
// need not be looked for: the region then fails, whatever its Fill returns.
type Call struct {
	Name string // of the directive
	Old  string // what the region holds now, trimmed

	values map[string]string
	err    error // the first mistake in the values
}

// ParseMarker reads the first comment of a text that begins a region, without
// asking which directives and keys there are. It is nil if there is none.
func ParseMarker(text string) *Call {
	m := start.FindStringSubmatch(marker.FindString(text))
	if m == nil {
		return nil
	}
	call := &Call{Name: m[1]}
	if call.read(m[2]) != nil {
		return nil
	}
	return call
}

// Calls returns those of a page, in order.
func Calls(page []byte) []*Call {
	regions, _ := parse(page)
	var all []*Call
	for _, r := range regions {
		call := &Call{Name: r.name, Old: r.content(page)}
		if call.read(r.args) == nil {
			all = append(all, call)
		}
	}
	return all
}

// Fail notes an error, unless it is nil or another was noted before.
func (c *Call) Fail(err error) { c.err = cmp.Or(c.err, err) }

// Get returns the value of a key, or "" if it was not given.
func (c *Call) Get(key string) string { return c.values[key] }

// Has reports whether a key was given.
func (c *Call) Has(key string) bool {
	_, ok := c.values[key]
	return ok
}

// List returns the value of a key that holds several, with commas between.
func (c *Call) List(key string) []string {
	var all []string
	for item := range strings.SplitSeq(c.values[key], ",") {
		if item = strings.TrimSpace(item); item != "" {
			all = append(all, item)
		}
	}
	return all
}

// Int returns the value of a key that is a number of at least 1, or otherwise
// if it was not given.
func (c *Call) Int(key string, otherwise int) int {
	if !c.Has(key) {
		return otherwise
	}
	n, err := strconv.Atoi(c.values[key])
	if err != nil || n < 1 {
		c.Fail(fmt.Errorf("%s is %q; want a whole number of at least 1", key, c.values[key]))
	}
	return n
}

// Bool returns the value of a key that is yes or no, or otherwise if it was
// not given.
func (c *Call) Bool(key string, otherwise bool) bool {
	v := c.values[key]
	if !c.Has(key) {
		return otherwise
	}
	if v != "yes" && v != "no" {
		c.Fail(fmt.Errorf("%s is %q; want yes or no", key, v))
	}
	return v == "yes"
}

// Regexp returns the value of a key that is a regular expression, or one that
// matches everything if it was not given.
func (c *Call) Regexp(key string) *regexp.Regexp {
	re, err := regexp.Compile(c.values[key])
	if err != nil {
		c.Fail(fmt.Errorf("%s is no regular expression: %w", key, err))
		return regexp.MustCompile("")
	}
	return re
}

// Kept is the error of a directive that cannot tell whether the content of
// the region is current. The region keeps it, and nothing fails.
type Kept struct{ Reason string }

func (k *Kept) Error() string { return "could not be checked: " + k.Reason }

// Engine fills pages. It is safe for concurrent use if its directives are and
// if Keep is.
type Engine struct {
	Directives map[string]Directive

	// Keep, if set, is told why a region keeps its content, of each whose
	// directive returned a [Kept].
	Keep func(reason string)
}

// Fill returns the text of a page with its regions filled and with \n at the
// ends of its lines. The path is for messages. If there are errors the page that
// comes with them is the text as it was; each of them is a line such as
//
//	docs/step03.md:41: unknown directive "lising"; want diff or listing
func (e *Engine) Fill(path string, text []byte) ([]byte, []error) {
	page := bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n"))
	regions, errs := parse(page)
	var out bytes.Buffer
	done := 0
	for _, r := range regions {
		filled, err := e.fill(r, r.content(page))
		if err != nil {
			errs = append(errs, &placed{r.line, err})
			continue
		}
		out.Write(page[done:r.start])
		out.WriteString(r.layout(filled))
		done = r.end
	}
	if len(errs) > 0 {
		slices.SortStableFunc(errs, func(a, b *placed) int { return a.line - b.line })
		all := make([]error, len(errs))
		for i, err := range errs {
			all[i] = fmt.Errorf("%s:%d: %s", path, err.line, oneLine(err.error))
		}
		return text, all
	}
	out.Write(page[done:])
	return out.Bytes(), nil
}

func (e *Engine) fill(r *region, old string) (string, error) {
	d, ok := e.Directives[r.name]
	if !ok {
		names := slices.Sorted(maps.Keys(e.Directives))
		return "", fmt.Errorf("unknown directive %q; want %s", r.name, english.WordSeries(names, "or"))
	}
	call := &Call{Name: r.name, Old: old}
	err := call.read(r.args)
	if err == nil {
		err = call.check(d)
	}
	if err != nil {
		return "", fmt.Errorf("%s: %w", r.name, err)
	}
	filled, err := d.Fill(call)
	err = cmp.Or(call.err, err)
	if kept := (*Kept)(nil); errors.As(err, &kept) {
		if e.Keep != nil {
			e.Keep(kept.Reason)
		}
		return old, nil
	}
	if err != nil {
		return "", fmt.Errorf("%s: %w", r.name, err)
	}
	filled = strings.Trim(filled, "\n")
	if marker.MatchString(filled) {
		return "", fmt.Errorf("%s: its content holds a marker of a directive", r.name)
	}
	if !r.block {
		filled = strings.TrimSpace(filled)
		if strings.Contains(filled, "\n") {
			return "", fmt.Errorf("%s: its content has several lines; want both markers alone on their lines, not indented", r.name)
		}
	}
	return filled, nil
}

// placed is an error in a line of a page.
type placed struct {
	line int
	error
}

func oneLine(err error) string { return strings.Join(strings.Fields(err.Error()), " ") }

var argument = regexp.MustCompile(`^([A-Za-z][\w-]*)=(?:"((?:\\"|[^"])*)"|([^\s"]*))(?:\s+|$)`)

// read takes the arguments apart.
func (c *Call) read(args string) error {
	c.values = map[string]string{}
	for args = strings.TrimSpace(args); args != ""; {
		m := argument.FindStringSubmatch(args)
		if m == nil {
			return fmt.Errorf("cannot read %q; want key=value or key=\"some value\"", args)
		}
		args = args[len(m[0]):]
		if c.Has(m[1]) {
			return fmt.Errorf("%s is given twice", m[1])
		}
		c.values[m[1]] = cmp.Or(strings.ReplaceAll(m[2], `\"`, `"`), m[3])
	}
	return nil
}

// check holds the keys against those that d wants.
func (c *Call) check(d Directive) error {
	keys := slices.Concat(d.Required, d.Optional)
	for _, key := range slices.Sorted(maps.Keys(c.values)) {
		if !slices.Contains(keys, key) {
			return fmt.Errorf("unknown key %q; want %s", key, cmp.Or(english.WordSeries(keys, "or"), "none"))
		}
	}
	for _, key := range d.Required {
		if c.values[key] == "" {
			return fmt.Errorf("%s is missing; want %s", key, english.WordSeries(d.Required, "and"))
		}
	}
	return nil
}

// region is what stands between two markers.
type region struct {
	name, args string
	line       int  // of the start marker
	start, end int  // offsets of the content
	block      bool // alone on their lines
}

func (r *region) content(page []byte) string { return strings.TrimSpace(string(page[r.start:r.end])) }

// layout returns the content as it stands between the markers.
func (r *region) layout(content string) string {
	switch {
	case !r.block:
		return content
	case content == "":
		return "\n"
	}
	return "\n\n" + content + "\n\n"
}

var (
	marker = regexp.MustCompile(`(?s)<!--\s*/?raysteps\b.*?-->`)
	start  = regexp.MustCompile(`(?s)^<!--\s*raysteps:([\w-]+)(?:\s(.*?))?\s*-->$`)
	end    = regexp.MustCompile(`^<!--\s*/raysteps\s*-->$`)
)

// parse finds the regions of a page.
func parse(page []byte) ([]*region, []*placed) {
	var regions []*region
	var errs []*placed
	var open *region
	for _, at := range markers(page) {
		text := string(page[at.start:at.end])
		line := 1 + bytes.Count(page[:at.start], []byte("\n"))
		fail := func(format string, args ...any) {
			errs = append(errs, &placed{line, fmt.Errorf(format, args...)})
		}
		if end.MatchString(text) {
			if open == nil {
				fail("%s without a directive before it", text)
				continue
			}
			open.end = at.start
			if open.block && !alone(page, at) {
				fail("the directive of line %d stands alone on its line; want its %s alone as well", open.line, text)
			} else {
				regions = append(regions, open)
			}
			open = nil
			continue
		}
		if open != nil {
			errs = append(errs, &placed{open.line, fmt.Errorf("directive %s has no <!-- /raysteps --> before the next directive in line %d", open.name, line)})
			open = nil
		}
		m := start.FindStringSubmatch(text)
		if m == nil {
			fail("cannot read %s; want <!-- raysteps:NAME key=value ... --> or <!-- /raysteps -->", text)
			continue
		}
		open = &region{name: m[1], args: m[2], line: line, start: at.end, block: alone(page, at)}
	}
	if open != nil {
		errs = append(errs, &placed{open.line, fmt.Errorf("directive %s has no <!-- /raysteps --> after it", open.name)})
	}
	return regions, errs
}

// span is a range of bytes of a page.
type span struct{ start, end int }

// markers returns where the markers are, in order. A Markdown parser says
// what is a comment, so that what only looks like one in code is no marker.
func markers(page []byte) []span {
	var html []span
	doc := goldmark.DefaultParser().Parse(text.NewReader(page))
	_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		var parts *text.Segments
		switch n := n.(type) {
		case *ast.HTMLBlock:
			parts = n.Lines()
			if n.HasClosure() {
				html = append(html, span{n.ClosureLine.Start, n.ClosureLine.Stop})
			}
		case *ast.RawHTML:
			parts = n.Segments
		default:
			return ast.WalkContinue, nil
		}
		if parts.Len() > 0 {
			html = append(html, span{parts.At(0).Start, parts.At(parts.Len() - 1).Stop})
		}
		return ast.WalkContinue, nil
	})
	slices.SortFunc(html, func(a, b span) int { return a.start - b.start })

	var all []span
	for i := 0; i < len(html); i++ {
		s := html[i]
		for i+1 < len(html) && html[i+1].start <= s.end { // the lines of a block and its last
			i++
			s.end = max(s.end, html[i].end)
		}
		for _, m := range marker.FindAllIndex(page[s.start:s.end], -1) {
			all = append(all, span{s.start + m[0], s.start + m[1]})
		}
	}
	return all
}

// alone reports whether the lines of s hold nothing else.
func alone(page []byte, s span) bool {
	after, _, _ := bytes.Cut(page[s.end:], []byte("\n"))
	return (s.start == 0 || page[s.start-1] == '\n') && len(bytes.TrimSpace(after)) == 0
}

// Fence returns text as a fenced code block of a language. The fence is
// longer than any within the text.
func Fence(language, text string) string {
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	return fence + language + "\n" + strings.TrimRight(text, "\n") + "\n" + fence
}
