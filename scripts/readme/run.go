package main

import (
	"bytes"
	"fmt"
	"image/png"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"raysteps/common/scene"
	"raysteps/scripts/internal/directive"
	"raysteps/scripts/internal/results"
	"raysteps/scripts/internal/toolchain"
)

// credited finds in a region what made it: a version of Go, and what else.
var credited = regexp.MustCompile(`\*(go[0-9][^,*\n]*), ([^*\n]+)\*`)

// credit names the toolchain and what else made an output, for a caption with the
// command. The error is a [kept] if something else made what the region
// holds, which may well say something else.
func (p *page) credit(c *directive.Call, by string) (string, error) {
	version, err := toolchain.Version(p.root)
	if err != nil {
		return "", err
	}
	if m := credited.FindStringSubmatch(c.Old); !p.remake && m != nil && (m[1] != version || m[2] != by) {
		return "", &kept{fmt.Sprintf("made with %s, %s, and this is %s, %s", m[1], m[2], version, by)}
	}
	return fmt.Sprintf("\n\n*%s, %s*: `%s`", version, by, c.Get("cmd")), nil
}

func fillRun(p *page, c *directive.Call) (string, error) {
	command := c.Get("cmd")
	program := strings.Contains(command, "go run ")
	target := toolchain.Target
	if with, _, ok := strings.Cut(command, " go "); ok {
		target += ", " + with
	}
	if !program {
		if _, err := p.credit(c, target); err != nil { // before it takes time
			return "", err
		}
	}
	out, err := toolchain.Output(p.root, command, "")
	if err != nil {
		return "", err
	}
	if program {
		return p.output(c, out)
	}
	credit, err := p.credit(c, target)
	if err != nil {
		return "", err
	}
	if c.Has("func") {
		text, err := instructions(p.root, c, out)
		return text + credit, err
	}
	match := c.Regexp("match")
	var lines []string
	all := toolchain.Report(out)
	for _, line := range all {
		if match.MatchString(line) {
			lines = append(lines, line)
		}
	}
	if len(lines) == 0 {
		return "", fmt.Errorf("of the %d things that the compiler says none is chosen; want a match that fits", len(all))
	}
	return directive.Fence("text", strings.Join(lines, "\n")) + credit, nil
}

// output is that of a program of the module.
func (p *page) output(c *directive.Call, out string) (string, error) {
	by := "any processor"
	if c.Has("by") {
		m := c.Regexp("by").FindStringSubmatch(out)
		if len(m) < 2 {
			return "", fmt.Errorf("by is %q, and finds no group in what %s prints", c.Get("by"), c.Get("cmd"))
		}
		by = m[1]
	}
	credit, err := p.credit(c, by)
	if err != nil {
		return "", err
	}
	lines := strings.SplitAfter(strings.ReplaceAll(out, "\r\n", "\n"), "\n")
	if c.Has("skip") {
		lines = lines[min(len(lines), c.Int("skip", 1)):]
	}
	wanted := map[string]bool{}
	for _, name := range c.List("sections") {
		wanted[name] = true
	}
	var kept strings.Builder
	section := ""
	for _, line := range lines {
		if !strings.HasPrefix(line, " ") {
			section = strings.TrimSpace(line)
		}
		if len(wanted) == 0 || wanted[section] {
			kept.WriteString(line)
		}
	}
	text := strings.Trim(kept.String(), "\n")
	if text == "" {
		return "", fmt.Errorf("nothing is left of what %s prints; want sections that it has", c.Get("cmd"))
	}
	return directive.Fence("", text) + credit, nil
}

func fillPicture(p *page, c *directive.Call) (string, error) {
	dir, err := os.MkdirTemp("", "raysteps-readme-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(dir)
	draw := func(name string) (link, heading string, err error) {
		named := func(key string) string { return strings.ReplaceAll(c.Get(key), "{scene}", name) }
		file := filepath.Join(dir, filepath.Base(named("file")))
		out, err := toolchain.Output(p.root, named("cmd"), file)
		if err != nil {
			return "", "", err
		}
		data, err := os.ReadFile(file)
		if err != nil {
			return "", "", fmt.Errorf("%s wrote no picture; want {} for the name of the file", named("cmd"))
		}
		asset := "docs/pictures/" + named("file")
		p.asset(asset, data, samePixels(2)) // some colors are computed in floating point
		if c.Has("heading") {
			m := c.Regexp("heading").FindStringSubmatch(out)
			if len(m) < 2 {
				return "", "", fmt.Errorf("heading is %q, and finds no group in %q", c.Get("heading"), out)
			}
			heading = m[1]
		}
		return fmt.Sprintf("![%s](%s)", named("alt"), p.link(asset)), heading, nil
	}
	if !c.Has("scenes") {
		link, _, err := draw("")
		return link, err
	}
	t := results.Table{Rows: [][]string{nil}}
	for _, name := range c.List("scenes") {
		sc, err := scene.ByName(name)
		if err != nil {
			return "", err
		}
		link, heading, err := draw(name)
		if err != nil {
			return "", err
		}
		if heading == "" {
			heading = fmt.Sprintf("%d spheres", len(sc.Spheres))
		}
		t.Header, t.Right, t.Rows[0] = append(t.Header, name+": "+heading), append(t.Right, false), append(t.Rows[0], link)
	}
	return t.Markdown(), nil
}

// samePixels compares what two PNG files show. Colors may differ by a tolerance,
// in 255ths. Two versions of Go may compress the same picture differently, and
// other programs pack pixels into a palette.
func samePixels(tolerance uint32) func(have, want []byte) bool {
	near := func(a, b uint32) bool { return max(a, b)-min(a, b) <= tolerance*0x101 }
	return func(have, want []byte) bool {
		x, errX := png.Decode(bytes.NewReader(have))
		y, errY := png.Decode(bytes.NewReader(want))
		if errX != nil || errY != nil || x.Bounds() != y.Bounds() {
			return false
		}
		for i := x.Bounds().Min.Y; i < x.Bounds().Max.Y; i++ {
			for j := x.Bounds().Min.X; j < x.Bounds().Max.X; j++ {
				xr, xg, xb, xa := x.At(j, i).RGBA()
				yr, yg, yb, ya := y.At(j, i).RGBA()
				if !near(xr, yr) || !near(xg, yg) || !near(xb, yb) || !near(xa, ya) {
					return false
				}
			}
		}
		return true
	}
}
