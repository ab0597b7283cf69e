package toolchain

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Emitted returns the instructions of a function as the compiler prints them
// with -S, before they are linked: a line each, operation and operands with a
// tab between. A jump names its target by the offset in the function. Unlike
// [Disassemble], this knows every instruction that the compiler can emit. The
// symbol is as in (*firstPass).run512, without the path of the package.
func Emitted(root, pkg, symbol string) ([]string, error) {
	out, err := emitted(question{root: root, pkg: pkg})
	if err != nil {
		return nil, err
	}
	return parseEmitted(out, pkg, symbol)
}

var emitted = memo(func(q question) (string, error) {
	with, err := Experiment(q.root, q.pkg)
	if err != nil {
		return "", err
	}
	args := slices.Concat([]string{"build"}, buildFlags, []string{"-gcflags=-S", "./" + q.pkg})
	_, out, err := goExperiment(q.root, with, args...)
	if err != nil {
		return "", fmt.Errorf("package %s: %w", q.pkg, err)
	}
	return out, nil
})

// instruction is a line of -S: offset in hexadecimal and decimal, file and
// line, and the instruction.
var instruction = regexp.MustCompile(`^\t0x[0-9a-f]+ \d+ \([^()]*\)\t(.*)$`)

func parseEmitted(out, pkg, symbol string) ([]string, error) {
	var code []string
	inside, found := false, false
	for line := range strings.Lines(out) {
		line = strings.TrimRight(line, "\r\n")
		if name, _, ok := strings.Cut(line, " STEXT"); ok && !strings.HasPrefix(line, "\t") {
			inside = strings.HasSuffix(name, "/"+pkg+"."+symbol)
			found = found || inside
			continue
		}
		m := instruction.FindStringSubmatch(line)
		if !inside || m == nil {
			continue
		}
		switch op, _, _ := strings.Cut(m[1], "\t"); op {
		case "TEXT", "PCDATA", "FUNCDATA":
		default:
			code = append(code, m[1])
		}
	}
	if !found {
		return nil, fmt.Errorf("package %s: the compiler prints no function %s; want one such as (*World).Hit", pkg, symbol)
	}
	return code, nil
}
