package main

import (
	"html"
	"path"
	"strings"
	"sync"

	"github.com/alecthomas/chroma/v2"
	"github.com/alecthomas/chroma/v2/lexers"
)

// goAssembly knows the assembly language of Go, which none of the lexers of
// chroma does, and what the go command prints of machine code.
var goAssembly = chroma.MustNewLexer(&chroma.Config{Name: "Go assembly"}, func() chroma.Rules {
	return chroma.Rules{"root": {
		{Pattern: `//[^\n]*`, Type: chroma.CommentSingle},
		{Pattern: `#[^\n]*`, Type: chroma.CommentPreproc},
		{Pattern: `"(\\.|[^"\\\n])*"`, Type: chroma.LiteralString},
		{Pattern: `^[A-Za-z_]\w*:`, Type: chroma.NameFunction},
		{Pattern: `\b(TEXT|DATA|GLOBL|NOSPLIT|NOFRAME|RODATA|NOPTR)\b`, Type: chroma.Keyword},
		{Pattern: `·\w+`, Type: chroma.NameFunction},
		{Pattern: `\$?-?\b(0x[0-9a-fA-F]+|[0-9][0-9.]*(e[-+]?[0-9]+)?)\b`, Type: chroma.LiteralNumber},
		{Pattern: `\b(?:[XYZK][0-9]+|R[0-9]+|[A-D][XLH]|[SD]I|SB|FP|SP|BP|PC)\b`, Type: chroma.KeywordType},
		{Pattern: `(?<=[ \t;])[A-Z][A-Z0-9]+(?=[ \t\n;])`, Type: chroma.Keyword},
		{Pattern: `\w+`, Type: chroma.Name},
		{Pattern: `[^\w]`, Type: chroma.Text},
	}}
})

// lexer returns the one of a language, as the fence of a code block names it, or
// nil.
func lexer(language string) chroma.Lexer {
	switch language {
	case "asm":
		return goAssembly
	case "go", "diff", "json", "bash":
		return lexers.Get(language)
	}
	return nil
}

// languageOf is the language of a file.
func languageOf(file string) string {
	switch path.Ext(file) {
	case ".go", ".tmpl":
		return "go"
	case ".s", ".h":
		return "asm"
	case ".json":
		return "json"
	}
	if path.Base(file) == "run" {
		return "bash"
	}
	return ""
}

// class is the one of a style sheet for a kind of token. Names, operators and
// spaces have none, which makes pages a third of what they would be.
func class(t chroma.TokenType) string {
	switch {
	case t == chroma.CommentPreproc, t == chroma.KeywordType, t == chroma.NameBuiltin:
		return "t"
	case t.InCategory(chroma.Comment):
		return "c"
	case t.InCategory(chroma.Keyword):
		return "k"
	case t.InSubCategory(chroma.LiteralString):
		return "s"
	case t.InSubCategory(chroma.LiteralNumber):
		return "n"
	case t == chroma.NameFunction:
		return "f"
	case t == chroma.GenericInserted:
		return "ins"
	case t == chroma.GenericDeleted:
		return "del"
	case t == chroma.GenericSubheading, t == chroma.GenericHeading:
		return "h"
	}
	return ""
}

// highlighted keeps what was asked for, by language and text.
var highlighted sync.Map

// highlight returns the lines of a text as HTML, which belong to the cache.
func highlight(language, text string) []string {
	key := language + "\n" + text
	lines, ok := highlighted.Load(key)
	if !ok {
		lines, _ = highlighted.LoadOrStore(key, newHighlight(language, text))
	}
	return lines.([]string)
}

func newHighlight(language, text string) []string {
	text = strings.TrimSuffix(text, "\n")
	var tokens []chroma.Token
	if l := lexer(language); l != nil {
		if it, err := l.Tokenise(nil, text); err == nil {
			tokens = it.Tokens()
		}
	}
	if tokens == nil {
		tokens = []chroma.Token{{Type: chroma.Text, Value: text}}
	}
	var lines []string
	for _, line := range chroma.SplitTokensIntoLines(tokens) {
		var b strings.Builder
		for i := 0; i < len(line); {
			// Neighbors of a class are one element.
			c, value := class(line[i].Type), ""
			for ; i < len(line) && class(line[i].Type) == c; i++ {
				value += line[i].Value
			}
			value = html.EscapeString(strings.TrimSuffix(value, "\n"))
			if c == "" || value == "" {
				b.WriteString(value)
			} else {
				b.WriteString(`<b class=` + c + `>` + value + `</b>`)
			}
		}
		lines = append(lines, b.String())
	}
	// A lexer may end the text with a newline of its own.
	if n := strings.Count(text, "\n") + 1; len(lines) > n {
		lines = lines[:n]
	}
	return lines
}
