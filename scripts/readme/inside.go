package main

import (
	"bytes"
	"fmt"
	"image/png"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"

	"raysteps/common/scene"
	"raysteps/scripts/internal/directive"
	"raysteps/scripts/internal/results"
)

// What the instruments of a render show of its inside. It is the same on every
// machine.
func init() {
	register("stats", directive.Directive{
		Required: []string{"scene"},
		Usage:    "stats scene=medium",
		Help:     "The statistics of a render at full size by one worker, as render -stats prints them.",
	}, func(p *page, c directive.Call) (string, error) {
		if _, err := scene.ByName(c.Get("scene")); err != nil {
			return "", err
		}
		out, err := p.render("-scene", c.Get("scene"), "-workers", "1", "-stats")
		if err != nil {
			return "", err
		}
		// The first line says how long it took.
		_, text, _ := strings.Cut(out, "\n")
		return "```\n" + strings.TrimSpace(text) + "\n```", nil
	})
	register("heat", directive.Directive{
		Usage: "heat",
		Help:  "The three scenes side by side, in the number of rays of each pixel.",
	}, func(p *page, _ directive.Call) (string, error) {
		var head, images []string
		for _, name := range scene.Names() {
			dir, err := os.MkdirTemp("", "raysteps-readme-")
			if err != nil {
				return "", err
			}
			defer os.RemoveAll(dir)
			file := filepath.Join(dir, "heat.png")
			out, err := p.render("-scene", name, "-width", "480", "-height", "270", "-samples", "40", "-heat", file)
			if err != nil {
				return "", err
			}
			picture, err := os.ReadFile(file)
			if err != nil {
				return "", err
			}
			link := path.Join("docs/pictures", "heat-"+name+".png")
			p.asset(link, picture, nearPixels)
			images = append(images, fmt.Sprintf("![Rays of each pixel of the %s scene](%s)", name, p.link(link)))
			_, note, _ := strings.Cut(out, "heat.png: 1.00 to ")
			most, _, found := strings.Cut(note, " rays a sample")
			if !found {
				return "", fmt.Errorf("render -heat prints %q; want the largest number of rays in it", out)
			}
			head = append(head, fmt.Sprintf("%s: up to %s", name, most))
		}
		return results.Table{Header: head, Right: make([]bool, len(head)), Rows: [][]string{images}}.Markdown(), nil
	})
}

// render runs scripts/render with the flags and returns what it prints.
func (p *page) render(flags ...string) (string, error) {
	args := append([]string{"run", "-tags", "instrument", "./scripts/render", "-step", "13"}, flags...)
	cmd := exec.Command("go", args...)
	cmd.Dir = p.root
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("go %s: %w; %s", strings.Join(args, " "), err, bytes.TrimSpace(stderr.Bytes()))
	}
	return stdout.String(), nil
}

// nearPixels is samePixels for colors that are computed in floating point and
// may be rounded differently on another processor.
func nearPixels(a, b []byte) bool {
	x, err := png.Decode(bytes.NewReader(a))
	if err != nil {
		return false
	}
	y, err := png.Decode(bytes.NewReader(b))
	if err != nil || x.Bounds() != y.Bounds() {
		return false
	}
	near := func(a, b uint32) bool { return max(a, b)-min(a, b) <= 0x202 } // two of 255
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
