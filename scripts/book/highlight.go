package main

import (
	"cmp"
	"html"
	"os"
	"path"
	"strings"

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

// lexersOf are those of languages, as the fences of code blocks name them.
var lexersOf = map[string]chroma.Lexer{"asm": goAssembly, "go": lexers.Get("go"), "diff": lexers.Get("diff"), "json": lexers.Get("json"), "bash": lexers.Get("bash")}

var languages = map[string]string{".go": "go", ".tmpl": "go", ".s": "asm", ".h": "asm", ".json": "json"}

// languageOf is the language of a file, or empty.
func languageOf(file string) string { return languages[path.Ext(file)] }

// classes of the style sheet. Names, operators and spaces have none, which makes
// pages a third of what they would be.
var classes = map[chroma.TokenType]string{
	chroma.CommentPreproc: "t", chroma.KeywordType: "t", chroma.NameBuiltin: "t", chroma.NameFunction: "f",
	chroma.Comment: "c", chroma.Keyword: "k", chroma.LiteralString: "s", chroma.LiteralNumber: "n",
	chroma.GenericInserted: "ins", chroma.GenericDeleted: "del", chroma.GenericSubheading: "h", chroma.GenericHeading: "h",
}

func class(t chroma.TokenType) string {
	return cmp.Or(classes[t], classes[t.SubCategory()], classes[t.Category()])
}

// highlightFile returns the lines of a file of the clone as HTML.
func (b *book) highlightFile(name string) ([]string, error) {
	text, err := os.ReadFile(b.path(name))
	return highlight(languageOf(name), string(text)), err
}

// highlight returns the lines of a text as HTML.
func highlight(language, text string) []string {
	text = strings.TrimSuffix(text, "\n")
	tokens := []chroma.Token{{Type: chroma.Text, Value: text}}
	if l := lexersOf[language]; l != nil {
		if it, err := l.Tokenise(nil, text); err == nil {
			tokens = it.Tokens()
		}
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
	// A lexer may end the text with a newline that it adds.
	return lines[:min(len(lines), strings.Count(text, "\n")+1)]
}
