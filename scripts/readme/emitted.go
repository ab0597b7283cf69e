package main

import (
	"fmt"
	"slices"
	"strings"

	"raysteps/scripts/internal/directive"
	"raysteps/scripts/internal/toolchain"
)

func init() {
	register("emitted", directive.Directive{
		Required: []string{"pkg", "func", "from", "to"},
		Usage:    "emitted pkg=beyond/archsimd func=(*firstPass).run512 from=REGEXP to=REGEXP",
		Help: `The instructions of a function as the compiler prints them with -gcflags=-S,
from the first that matches one expression to the next that matches the other.
Unlike assembly, this knows AVX and AVX-512.`,
	}, fillEmitted)
}

func fillEmitted(p *page, c directive.Call) (string, error) {
	made, err := p.compiled(c, c.Get("pkg"))
	if err != nil {
		return "", err
	}
	from, err := c.Regexp("from")
	if err != nil {
		return "", err
	}
	to, err := c.Regexp("to")
	if err != nil {
		return "", err
	}
	code, err := toolchain.Emitted(p.root, c.Get("pkg"), c.Get("func"))
	if err != nil {
		return "", err
	}
	first := slices.IndexFunc(code, from.MatchString)
	if first < 0 {
		return "", fmt.Errorf("none of the %d instructions of %s matches %q", len(code), c.Get("func"), c.Get("from"))
	}
	last := slices.IndexFunc(code[first:], to.MatchString)
	if last < 0 {
		return "", fmt.Errorf("no instruction of %s after the first one matches %q", c.Get("func"), c.Get("to"))
	}
	text := "\t" + strings.Join(code[first:first+last+1], "\n\t") + "\n"
	return directive.Fence("asm", text) + "\n\n*" + made + "*", nil
}
