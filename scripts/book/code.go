package main

import (
	"fmt"
	"html"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/util"
)

// size sets wide listings smaller, if not below what can be read: the widest scroll.
func size(columns int) string {
	if columns > 100 {
		return ` class="wide"`
	}
	return ""
}

// columns is the width of a text, whose tabs are at the beginnings of lines.
func columns(text string) (most int) {
	for line := range strings.Lines(strings.ReplaceAll(text, "\t", "    ")) {
		most = max(most, utf8.RuneCountInString(strings.TrimRight(line, " \n")))
	}
	return most
}

// sign is what the lines of a difference begin with, and header is one with the name of a file,
// which begins as if it were one that was removed or added.
var (
	sign   = regexp.MustCompile(`(?m)^(<b class=\w+>)?([-+ ])`)
	header = regexp.MustCompile(`<b class=\w+><i>([-+])</i>([-+]{2} [^<]+)</b>`)
)

// codeRenderer renders code blocks with colors.
type codeRenderer struct{}

func (codeRenderer) RegisterFuncs(r renderer.NodeRendererFuncRegisterer) {
	r.Register(ast.KindFencedCodeBlock, block)
	r.Register(extast.KindTable, table)
}

func block(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if entering {
		block := n.(*ast.FencedCodeBlock)
		language, text := string(block.Language(source)), string(block.Lines().Value(source))
		code := strings.Join(highlight(language, text), "\n")
		if language == "diff" { // tabs go on from behind the sign
			code = header.ReplaceAllString(sign.ReplaceAllString(code, "$1<i>$2</i>"), "<b class=h>$1$2</b>")
		}
		fmt.Fprintf(w, "<pre tabindex=\"0\"%s><code class=\"%s\">%s</code></pre>\n",
			size(columns(text)), html.EscapeString(language), code)
	}
	return ast.WalkSkipChildren, nil
}

// table scrolls by itself where it is wider than the page.
func table(w util.BufWriter, _ []byte, _ ast.Node, entering bool) (ast.WalkStatus, error) {
	if entering {
		_, _ = w.WriteString("<div class=\"table\" tabindex=\"0\"><table>\n")
	} else {
		_, _ = w.WriteString("</table></div>\n")
	}
	return ast.WalkContinue, nil
}
