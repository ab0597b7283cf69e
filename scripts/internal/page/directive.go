package page

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Directive is one that a page can use.
type Directive struct {
	Fill      Fill
	Arguments []Argument
	Manual    string // what it does, for a reader: paragraphs, of lines that are not indented
}

// Argument is a key that a directive knows.
type Argument struct {
	Key string
	// Value is the one that may be given, such as yes, or in capitals what it is, such as FILE.
	Value    string
	Required bool
}

// Required makes arguments that have to be given, of texts such as file=FILE.
func Required(texts ...string) []Argument { return arguments(texts, true) }

// Optional makes arguments that may be left out.
func Optional(texts ...string) []Argument { return arguments(texts, false) }

func arguments(texts []string, required bool) (all []Argument) {
	for _, text := range texts {
		key, value, _ := strings.Cut(text, "=")
		all = append(all, Argument{key, value, required})
	}
	return all
}

// String writes an argument as a manual has it: file=FILE, or [doc=no] if it may be left out.
func (a Argument) String() string {
	if a.Required {
		return a.Key + "=" + a.Value
	}
	return "[" + a.Key + "=" + a.Value + "]"
}

// allows reports whether the argument may have a value.
func (a Argument) allows(value string) bool {
	return a.Value == strings.ToUpper(a.Value) || a.Value == value
}

// usage writes all arguments, in their order.
func (d Directive) usage() []string {
	var all []string
	for _, a := range d.Arguments {
		all = append(all, a.String())
	}
	return all
}

// check holds the keys and values of a call against the arguments of its directive.
func (d Directive) check(c *Call) {
	usage := cmp.Or(strings.Join(d.usage(), " "), "no arguments")
	for _, a := range d.Arguments {
		if a.Required && c.Get(a.Key) == "" {
			c.Fail(fmt.Errorf("%s is missing; want %s", a.Key, usage))
		}
	}
	for _, key := range slices.Sorted(maps.Keys(c.values)) {
		i := slices.IndexFunc(d.Arguments, func(a Argument) bool { return a.Key == key })
		if i < 0 || !d.Arguments[i].allows(c.Get(key)) {
			c.Fail(fmt.Errorf("cannot use %s=%s; want %s", key, c.Get(key), usage))
		}
	}
}

// Manual writes what a reader has to know of directives, in an order.
func (d Directives) Manual(names ...string) string {
	var b strings.Builder
	for i, name := range names {
		if i > 0 {
			b.WriteString("\n")
		}
		line := "  " + name
		for _, argument := range d[name].usage() {
			if len(line)+1+len(argument) > 96 {
				b.WriteString(line + "\n")
				line = strings.Repeat(" ", 8) + argument
				continue
			}
			line += " " + argument
		}
		b.WriteString(line + "\n\n")
		for text := range strings.Lines(d[name].Manual) {
			b.WriteString(strings.TrimRight("      "+text, " \n") + "\n")
		}
	}
	return b.String()
}
