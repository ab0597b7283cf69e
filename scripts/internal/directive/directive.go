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
// What looks like a directive inside a fenced code block or a code span is left
// alone. Regions do not nest. Filling a page twice is the same as filling it once.
package directive

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/dustin/go-humanize/english"
)

// Directive makes the content of a region.
type Directive struct {
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
	if m := start.FindStringSubmatch(text); m != nil {
		call := &Call{Name: m[1]}
		if call.read(m[2]) == nil {
			return call
		}
	}
	return nil
}

// Calls returns those of a page, in order.
func Calls(page []byte) []*Call {
	var all []*Call
	for _, r := range regions(string(page)) {
		if call, err := r.call(); err == nil {
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

// Fill returns the text of a page with its regions filled and with \n at the
// ends of its lines. The path is for messages. If there are errors the page that
// comes with them is the text as it was; each of them is a line such as
//
//	docs/step03.md:41: unknown directive "lising"; want diff or listing
func Fill(directives map[string]Directive, path string, text []byte) ([]byte, []error) {
	page := strings.ReplaceAll(string(text), "\r\n", "\n")
	var out strings.Builder
	var errs []error
	done := 0
	for _, r := range regions(page) {
		content, err := r.fill(directives)
		if err != nil {
			line := 1 + strings.Count(page[:r.at], "\n")
			errs = append(errs, fmt.Errorf("%s:%d: %s", path, line, strings.Join(strings.Fields(err.Error()), " ")))
			continue
		}
		out.WriteString(page[done:r.start] + content)
		done = r.end
	}
	if len(errs) > 0 {
		return text, errs
	}
	return []byte(out.String() + page[done:]), nil
}

// region is what stands between two markers.
type region struct {
	marker     string // that it begins with, or one without another
	content    string
	at         int  // offset of the marker
	start, end int  // offsets of the content
	block      bool // the marker stands alone on its line
}

// syntax matches code, a region, or a marker without another.
var syntax = regexp.MustCompile("(?ms)^[ \t]*```.*?^[ \t]*```+[ \t]*$|`[^`\n]*`" +
	`|(<!-- raysteps:[\w-]+\b.*?-->)(.*?)<!-- /raysteps -->|(<!--\s*/?raysteps\b.*?-->)`)

// start matches the marker that a region begins with.
var start = regexp.MustCompile(`(?s)<!-- raysteps:([\w-]+)\b(.*?)-->`)

// regions finds those of a page.
func regions(page string) []region {
	var all []region
	for _, m := range syntax.FindAllStringSubmatchIndex(page, -1) {
		switch {
		case m[2] >= 0:
			r := region{marker: page[m[2]:m[3]], content: page[m[4]:m[5]], at: m[2], start: m[4], end: m[5]}
			r.block = (r.at == 0 || page[r.at-1] == '\n') && strings.HasPrefix(strings.TrimLeft(r.content, " \t"), "\n")
			all = append(all, r)
		case m[6] >= 0:
			all = append(all, region{marker: page[m[6]:m[7]], at: m[6]})
		}
	}
	return all
}

// call reads the marker.
func (r *region) call() (*Call, error) {
	m := start.FindStringSubmatch(r.marker)
	switch {
	case m == nil && strings.HasPrefix(r.marker, "<!-- /raysteps"):
		return nil, fmt.Errorf("%s without a directive before it", r.marker)
	case m == nil:
		return nil, fmt.Errorf("cannot read %s; want <!-- raysteps:NAME key=value ... -->", r.marker)
	case r.start == 0:
		return nil, fmt.Errorf("directive %s has no <!-- /raysteps --> after it", m[1])
	case start.MatchString(r.content):
		return nil, fmt.Errorf("directive %s has no <!-- /raysteps --> before the next directive", m[1])
	}
	call := &Call{Name: m[1], Old: strings.TrimSpace(r.content)}
	if err := call.read(m[2]); err != nil {
		return nil, fmt.Errorf("%s: %w", m[1], err)
	}
	return call, nil
}

// fill returns the content as it is to stand between the markers.
func (r *region) fill(directives map[string]Directive) (string, error) {
	call, err := r.call()
	if err != nil {
		return "", err
	}
	d, ok := directives[call.Name]
	if !ok {
		return "", fmt.Errorf("unknown directive %q; want %s", call.Name, english.WordSeries(slices.Sorted(maps.Keys(directives)), "or"))
	}
	if err = call.check(d); err == nil {
		r.content, err = d.Fill(call)
		err = cmp.Or(call.err, err)
	}
	if err != nil {
		return "", fmt.Errorf("%s: %w", call.Name, err)
	}
	content := strings.Trim(r.content, "\n")
	switch {
	case strings.Contains(content, "<!-- raysteps:") || strings.Contains(content, "<!-- /raysteps"):
		return "", fmt.Errorf("%s: its content holds a marker of a directive", call.Name)
	case r.block && content == "":
		return "\n", nil
	case r.block:
		return "\n\n" + content + "\n\n", nil
	}
	content = strings.TrimSpace(content)
	if strings.Contains(content, "\n") {
		return "", fmt.Errorf("%s: its content has several lines; want its marker alone on the line, not indented", call.Name)
	}
	return content, nil
}

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

// Fence returns text as a fenced code block of a language. The fence is
// longer than any within the text.
func Fence(language, text string) string {
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	return fence + language + "\n" + strings.TrimRight(text, "\n") + "\n" + fence
}
