package main

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"raysteps/scripts/internal/cli"
)

// unsaid are turns that a native writer would not say aloud, with what one says.
var unsaid = map[*regexp.Regexp]string{
	regexp.MustCompile(`(?i)\bin place of\b`):                            "instead of",
	regexp.MustCompile(`\d(<[^>]*>)* times as (long|fast)\b`):            "2.95x as long, or 7 % faster",
	regexp.MustCompile(`(?i)\bwritten out\b`):                            "inlined by hand",
	regexp.MustCompile(`\bbytes of its own\b`):                           "no longer byte-identical",
	regexp.MustCompile(`\bsome (ten|fifteen|twenty|thirty|\d[\d,.]*)\b`): "about",
	regexp.MustCompile(`, if (with|by) [^.?]* it takes 1\.00`):           "By pointer it takes 1.00. How long does it take by value?",
	regexp.MustCompile(`\bcores? begins?\b`):                             "can start",
	regexp.MustCompile(`(?m)(^|[.!?] )Besides, `):                        "also",
}

// aside is what nobody reads aloud: listings, tables, what directives fill in, and addresses.
var aside = regexp.MustCompile("(?ms)^```.*?^```$|^\\|[^\n]*$|<!-- raysteps:.*?<!-- /raysteps -->|\\]\\([^)]*\\)")

// TestVoice holds prose to the book's voice.
func TestVoice(t *testing.T) {
	root, err := cli.ModuleRoot()
	require.NoError(t, err)
	pages, err := filepath.Glob(filepath.Join(root, "docs", "*.md"))
	require.NoError(t, err)
	for _, name := range []string{"README_template.md", "CONTRIBUTING.md", "soagen/README.md", "common/scene/README.md"} {
		pages = append(pages, filepath.Join(root, filepath.FromSlash(name)))
	}
	for _, page := range pages {
		name, err := filepath.Rel(root, page)
		require.NoError(t, err)
		text := aside.ReplaceAllStringFunc(read(t, root, name), func(s string) string {
			return strings.Repeat("\n", strings.Count(s, "\n")) // so that lines keep their numbers
		})
		for turn, better := range unsaid {
			for _, at := range turn.FindAllStringIndex(text, -1) {
				line := 1 + strings.Count(text[:at[0]], "\n")
				assert.Fail(t, "not the book's voice", "%s:%d: %q; say: %s", name, line, text[at[0]:at[1]], better)
			}
		}
	}
}
