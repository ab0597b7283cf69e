package page_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"raysteps/scripts/internal/page"
	"raysteps/scripts/internal/results"
)

var directives = page.Directives{
	"say": {
		Fill: func(c *page.Call) (string, error) {
			if c.Get("twice") != "" {
				return c.Get("text") + "\n" + c.Get("text"), nil
			}
			return c.Get("text") + "\n", nil
		},
		Arguments: append(page.Required("text=TEXT"), page.Optional("twice=yes")...),
		Manual:    "What it says.\n",
	},
	"code": {Fill: func(*page.Call) (string, error) { return page.Fence("go", "package a\n\n\tx := 1\n"), nil }},
	"fail": {Fill: func(*page.Call) (string, error) { return "", errors.New("no luck\ntoday") }},
	"old": {Fill: func(c *page.Call) (string, error) {
		return "[" + strings.Trim(c.Old, "[]") + "]", nil
	}},
	"nothing": {Fill: func(*page.Call) (string, error) { return "", nil }, Manual: "Nothing.\n\n  more\n"},
}

func TestManual(t *testing.T) {
	const want = "  nothing\n\n      Nothing.\n\n        more\n\n  say text=TEXT [twice=yes]\n\n      What it says.\n"
	assert.Equal(t, want, directives.Manual("nothing", "say"))
}

func TestFill(t *testing.T) {
	for _, tt := range []struct{ name, page, want string }{
		{"no directives", "# Title\n\ntext\n", "# Title\n\ntext\n"},
		{"block", "a\n\n<!-- raysteps:say text=hi -->\n<!-- /raysteps -->\n\nb\n", "a\n\n<!-- raysteps:say text=hi -->\n\nhi\n\n<!-- /raysteps -->\n\nb\n"},
		{
			"block replaces what was there",
			"<!-- raysteps:code -->\nold\n\n```go\nx\n```\n\n<!-- /raysteps -->\n",
			"<!-- raysteps:code -->\n\n```go\npackage a\n\n\tx := 1\n```\n\n<!-- /raysteps -->\n",
		},
		{
			"in a line, a table and a heading",
			"# <!-- raysteps:say text=hi -->ho<!-- /raysteps -->\n\n| a | b |\n|--|--|\n| <!-- raysteps:say text=x --><!-- /raysteps --> | <!-- raysteps:say text=y --><!-- /raysteps --> |\n",
			"# <!-- raysteps:say text=hi -->hi<!-- /raysteps -->\n\n| a | b |\n|--|--|\n| <!-- raysteps:say text=x -->x<!-- /raysteps --> | <!-- raysteps:say text=y -->y<!-- /raysteps --> |\n",
		},
		{
			"arguments",
			"<!-- raysteps:say   text=\"a \\\"b\\\" --y > z \\bc\"\n  twice=yes -->\n<!-- /raysteps -->\n",
			"<!-- raysteps:say   text=\"a \\\"b\\\" --y > z \\bc\"\n  twice=yes -->\n\na \"b\" --y > z \\bc\na \"b\" --y > z \\bc\n\n<!-- /raysteps -->\n",
		},
		{
			"left alone in code",
			"```md\n<!-- raysteps:none -->\n```\n\n`<!-- raysteps:none -->`\n\n- a\n\n  ```\n  <!-- raysteps:none -->\n  ```\n",
			"```md\n<!-- raysteps:none -->\n```\n\n`<!-- raysteps:none -->`\n\n- a\n\n  ```\n  <!-- raysteps:none -->\n  ```\n",
		},
		{"what it holds now", "<!-- raysteps:old -->\n\n  a\n\nb\n\n<!-- /raysteps -->\n", "<!-- raysteps:old -->\n\n[a\n\nb]\n\n<!-- /raysteps -->\n"},
		{
			"nothing",
			"<!-- raysteps:nothing -->\n\nold\n\n<!-- /raysteps -->\n\n.<!-- raysteps:nothing -->x<!-- /raysteps -->\n",
			"<!-- raysteps:nothing -->\n<!-- /raysteps -->\n\n.<!-- raysteps:nothing --><!-- /raysteps -->\n",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := directives.Page("docs/a.md", tt.page)
			require.NoError(t, err)
			assert.Equal(t, tt.want, got)
			again, err := directives.Page("docs/a.md", got)
			require.NoError(t, err)
			assert.Equal(t, got, again, "filled twice")
		})
	}
}

func TestErrors(t *testing.T) {
	for _, tt := range []struct {
		name, page string
		want       []string
	}{
		{"no end", "a\n\n<!-- raysteps:code -->\n", []string{"a.md:3: code: no <!-- /raysteps --> of its own after it"}},
		{"no start", "a\n\n<!-- /raysteps -->\n", []string{"a.md:3: <!-- /raysteps -->: begins no region and ends none; want <!-- raysteps:NAME key=value ... -->"}},
		{"nested", "<!-- raysteps:code -->\n<!-- raysteps:code -->\n<!-- /raysteps -->\n", []string{"a.md:1: code: no <!-- /raysteps --> of its own after it"}},
		{"unknown name", ".<!-- raysteps:lising --><!-- /raysteps -->\n", []string{`a.md:1: lising: unknown directive; want code, fail, nothing, old or say`}},
		{"unknown key", ".<!-- raysteps:say txt=a text=b --><!-- /raysteps -->\n", []string{`a.md:1: say: cannot use txt=a; want text=TEXT [twice=yes]`}},
		{"key without value", ".<!-- raysteps:say text --><!-- /raysteps -->\n", []string{`a.md:1: say: cannot read "text"; want key=value or key="some value"`}},
		{"missing key", ".<!-- raysteps:say --><!-- /raysteps -->\n", []string{`a.md:1: say: text is missing; want text=TEXT [twice=yes]`}},
		{"key twice", ".<!-- raysteps:say text=a text=b --><!-- /raysteps -->\n", []string{`a.md:1: say: text is given twice`}},
		{"neither yes nor no", ".<!-- raysteps:say text=a twice=2 --><!-- /raysteps -->\n", []string{`a.md:1: say: cannot use twice=2; want text=TEXT [twice=yes]`}},
		{"open quote", ".<!-- raysteps:say text=\"a --><!-- /raysteps -->\n", []string{`a.md:1: say: cannot read "text=\"a"; want key=value or key="some value"`}},
		{"no name", "<!-- raysteps code -->\n<!-- /raysteps -->\n", []string{
			"a.md:1: <!-- raysteps code -->: begins no region and ends none; want <!-- raysteps:NAME key=value ... -->",
			"a.md:2: <!-- /raysteps -->: begins no region and ends none; want <!-- raysteps:NAME key=value ... -->",
		}},
		{"several lines in a line", "a <!-- raysteps:code --><!-- /raysteps -->\n", []string{"a.md:1: code: its content has several lines; want its marker alone on the line, not indented"}},
		{"marker in what it makes", "<!-- raysteps:old -->\n`<!-- raysteps:x -->`\n<!-- /raysteps -->\n", []string{
			"a.md:1: old: its content holds a marker of a region, or a fence that would end its code block",
		}},
		{"fence in what it makes", "<!-- raysteps:old -->\n```\na\n```\n\n```go\n```\n<!-- /raysteps -->\n", []string{
			"a.md:1: old: its content holds a marker of a region, or a fence that would end its code block",
		}},
		{"failure", "<!-- raysteps:fail -->\n<!-- /raysteps -->\n", []string{"a.md:1: fail: no luck today"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := directives.Page("a.md", tt.page)
			assert.EqualError(t, err, strings.Join(tt.want, "\n"))
			assert.Equal(t, tt.page, got, "the page stays as it was")
		})
	}
}

// The book reads pages without asking which directives there are.
func TestCalls(t *testing.T) {
	text := "<!-- raysteps:a x=1 y=\"two words\" -->\n\nold\n\n<!-- /raysteps -->\n\n`<!-- raysteps:b -->` It is <!-- raysteps:c -->1<!-- /raysteps -->.\n"
	calls := page.Calls(text)
	require.Len(t, calls, 2)
	assert.Equal(t, []string{"a", "1", "two words", "old", "c", "1"}, []string{calls[0].Name, calls[0].Get("x"), calls[0].Get("y"), calls[0].Old, calls[1].Name, calls[1].Old})
	calls = page.Calls("<!-- raysteps:a x=1 -->")
	assert.Equal(t, []string{"a", "1"}, []string{calls[0].Name, calls[0].Get("x")}, "a marker by itself")
}

// A machine is the one of that name, and none whose name begins so.
func TestMachine(t *testing.T) {
	published := []*results.Set{{Name: "amd-epyc-zen-5"}, {Name: "amd-epyc"}}
	for words, want := range map[string]*results.Set{
		"": published[0], " machine=amd-epyc": published[1], " machine=amd-epyc-zen-5": published[0], " machine=amd": {Name: "amd"},
	} {
		calls := page.Calls("<!-- raysteps:say" + words + " -->")
		require.Len(t, calls, 1)
		assert.Equal(t, want, page.Machine(calls[0], published), words)
	}
}
