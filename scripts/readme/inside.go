package main

import (
	"bytes"
	"fmt"
	"image/png"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"raysteps/common/scene"
	"raysteps/scripts/internal/directive"
	"raysteps/scripts/internal/results"
)

// What the instruments of a render show of its inside. It is the same on every
// machine.
func init() {
	register("stats scene=medium [categories=Rays,...]", `The statistics of a render of 1280x720 by one worker, all of them or some, as
render -stats prints them.`, fillStats)
	register("heat", "The three scenes side by side, in the number of rays of each pixel.", fillHeat)
}

func fillStats(p *page, c *directive.Call) (string, error) {
	out, err := p.render("-scene", c.Get("scene"), "-workers", "1", "-stats")
	if err != nil {
		return "", err
	}
	_, text, _ := strings.Cut(out, "\n") // the first line says how long it took
	if categories := c.List("categories"); len(categories) > 0 {
		var kept strings.Builder
		category := ""
		for line := range strings.Lines(text) {
			if !strings.HasPrefix(line, " ") {
				category = strings.TrimSpace(line)
			}
			if slices.Contains(categories, category) {
				kept.WriteString(line)
			}
		}
		text = kept.String()
	}
	return directive.Fence("", strings.TrimSpace(text)), nil
}

// mostRays is what render -heat says of the brightest pixel.
var mostRays = regexp.MustCompile(` to ([0-9.]+) rays a sample`)

func fillHeat(p *page, _ *directive.Call) (string, error) {
	dir, err := os.MkdirTemp("", "raysteps-readme-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(dir)
	var head, images []string
	for _, name := range scene.Names() {
		base := "heat-" + name + ".png"
		out, err := p.render("-scene", name, "-width", "480", "-height", "270", "-samples", "40", "-heat", filepath.Join(dir, base))
		if err != nil {
			return "", err
		}
		picture, err := os.ReadFile(filepath.Join(dir, base))
		if err != nil {
			return "", err
		}
		most := mostRays.FindStringSubmatch(out)
		if most == nil {
			return "", fmt.Errorf("render -heat prints %q; want the largest number of rays in it", out)
		}
		file := path.Join("docs/pictures", base)
		p.asset(file, picture, samePixels(2)) // colors are computed in floating point
		images = append(images, fmt.Sprintf("![Rays of each pixel of the %s scene](%s)", name, p.link(file)))
		head = append(head, fmt.Sprintf("%s: up to %s", name, most[1]))
	}
	return results.Table{Header: head, Right: make([]bool, len(head)), Rows: [][]string{images}}.Markdown(), nil
}

// render runs scripts/render with the flags and returns what it prints.
func (p *page) render(flags ...string) (string, error) {
	args := append([]string{"run", "./scripts/render"}, flags...)
	cmd := exec.Command("go", args...)
	cmd.Dir = p.root
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("go %s: %w; %s", strings.Join(args, " "), err, bytes.TrimSpace(stderr.Bytes()))
	}
	return stdout.String(), nil
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
