package main

import (
	"bytes"
	"fmt"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"raysteps/common/scene"
	"raysteps/scripts/internal/directive"
	"raysteps/scripts/internal/results"
	"raysteps/scripts/internal/toolchain"
)

// credited finds in a region what made it: a version of Go, and for what.
var credited = regexp.MustCompile(`\*(go[0-9][^,*\n]*), ([^*\n]+)\*`)

// fillRun shows what a command prints, and says which Go made it. A region that
// another Go made is kept: it may well say something else.
func fillRun(p *page, c *directive.Call) (string, error) {
	command := c.Get("cmd")
	program := strings.Contains(command, "go run ")
	by := toolchain.Target
	if program {
		by = "any processor"
	} else if with, _, ok := strings.Cut(command, " go "); ok {
		by += ", " + with
	}
	version, err := toolchain.Version(p.root)
	if err != nil {
		return "", err
	}
	if m := credited.FindStringSubmatch(c.Old); !p.remake && m != nil && (m[1] != version || m[2] != by) {
		return "", &kept{fmt.Sprintf("made with %s, %s, and this is %s, %s", m[1], m[2], version, by)}
	}
	out, err := toolchain.Output(p.root, command, "")
	if err != nil {
		return "", err
	}
	language, text := "text", ""
	switch {
	case program:
		language, text = "", sections(c, out)
	case c.Has("func"):
		language = "asm"
		text, err = toolchain.Assembly(out, c.Get("func"), c.Int("from", 1), c.Int("to", math.MaxInt))
	default:
		match := c.Regexp("match")
		for _, line := range slices.Compact(slices.Sorted(strings.Lines(out))) { // the order varies
			if !strings.HasPrefix(line, "#") && match.MatchString(line) {
				text += line
			}
		}
	}
	if err == nil && text == "" {
		err = fmt.Errorf("nothing is chosen of what %s prints; want a match, lines or sections that fit", command)
	}
	return fmt.Sprintf("%s\n\n*%s, %s*: `%s`", directive.Fence(language, text), version, by, command), err
}

// sections are those of the output of a program that a directive chooses, by the lines
// before them that are not indented.
func sections(c *directive.Call, out string) string {
	lines := strings.SplitAfter(strings.ReplaceAll(out, "\r\n", "\n"), "\n")
	if c.Has("skip") {
		lines = lines[min(len(lines), c.Int("skip", 1)):]
	}
	wanted := map[string]bool{}
	for _, name := range c.List("sections") {
		wanted[name] = true
	}
	text, section := "", ""
	for _, line := range lines {
		if !strings.HasPrefix(line, " ") {
			section = strings.TrimSpace(line)
		}
		if len(wanted) == 0 || wanted[section] {
			text += line
		}
	}
	return strings.Trim(text, "\n")
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
		if m := c.Regexp("heading").FindStringSubmatch(out); len(m) > 1 {
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
