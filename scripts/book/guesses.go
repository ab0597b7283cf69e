package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"raysteps/scripts/internal/cli"
)

// guesses are what a reader saves on the page of predictions, by the keys of the questions.
type guesses struct {
	Raysteps string // "guesses"
	Answers  map[string]guess
}

// guess is an answer: its sign, which is empty in one without, and its size.
type guess struct {
	Sign  string
	Value float64
}

var signs = []string{"", "faster", "same", "slower"}

// readGuesses reads all files of a folder. One that is damaged is an error that names it.
func readGuesses(folder string) (all []guesses, err error) {
	names, _ := filepath.Glob(filepath.Join(folder, "*.json")) // a pattern without a mistake
	if len(names) == 0 {
		return nil, cli.Misuse("-guesses %q: has no .json file; want a folder of those that the page Your predictions saves", folder)
	}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		var g guesses
		if err := json.Unmarshal(text, &g); err != nil || g.Raysteps != "guesses" {
			return nil, fmt.Errorf("%s: no guesses; want a file that the page Your predictions saves", name)
		}
		for key, a := range g.Answers {
			if !(a.Value > 0) || math.IsInf(a.Value, 0) || !slices.Contains(signs, a.Sign) {
				return nil, fmt.Errorf("%s: %s: %q, %g; want faster, same or slower, and a number above 0", name, key, a.Sign, a.Value)
			}
		}
		all = append(all, g)
	}
	return all, nil
}

// strip is a question with what many guessed, over a line that is logarithmic.
type strip struct {
	prediction
	Count, Right   int     // guesses, and those of them whose sign is that of what came
	Low, High      float64 // between which half of them are
	Dots           []dot
	OursX, CameX   float64
	Ticks          []tick
	Height, Ground float64
}

type dot struct{ X, Y float64 }

type tick struct {
	X     float64
	Label string
}

const (
	stripWide, stripEdge = 360., 20. // pixels, and what is left free on each side
	dotWide              = 7.        // pixels, of a column of dots
)

// signOf is the sign of a ratio. What differs by up to two percent is the same.
func signOf(ratio float64, slower bool) string {
	switch {
	case math.Abs(ratio-1) <= 0.02:
		return "same"
	case ratio > 1 == slower:
		return "slower"
	}
	return "faster"
}

// newStrip lays out the guesses of a question, or nothing if nobody answered it, or nothing was
// measured.
func newStrip(p prediction, all []guesses) *strip {
	came, err := strconv.ParseFloat(p.Measured, 64)
	ours, err2 := strconv.ParseFloat(p.Ours, 64)
	s := &strip{prediction: p}
	var values []float64
	for _, g := range all {
		if a, ok := g.Answers[p.Key]; ok {
			values = append(values, a.Value)
			if a.Sign == signOf(came, p.Slower) {
				s.Right++
			}
		}
	}
	if len(values) == 0 || err != nil || err2 != nil {
		return nil
	}
	slices.Sort(values)
	s.Count, s.Low, s.High = len(values), values[(len(values)-1)/4], values[len(values)-1-(len(values)-1)/4]
	s.place(values, ours, came)
	return s
}

// place puts everything over the line: dots of one place stand on each other.
func (s *strip) place(values []float64, ours, came float64) {
	shown := append([]float64{ours, came, 1}, values...)
	lo, hi := math.Log(slices.Min(shown)/1.05), math.Log(slices.Max(shown)*1.05)
	at := func(v float64) float64 { return stripEdge + (math.Log(v)-lo)/(hi-lo)*(stripWide-2*stripEdge) }
	stacked, most := map[float64]int{}, 0
	for _, v := range values {
		x := math.Round(at(v)/dotWide) * dotWide
		stacked[x]++
		most = max(most, stacked[x])
		s.Dots = append(s.Dots, dot{x, -dotWide * (float64(stacked[x]) - 0.5)})
	}
	s.OursX, s.CameX = at(ours), at(came)
	s.Ground = max(3, float64(most))*dotWide + 24
	s.Height = s.Ground + 36
	last := math.Inf(-1)
	for _, v := range []float64{0.1, 0.2, 0.5, 0.8, 1, 1.2, 1.5, 2, 3, 5, 10, 20, 50, 100} {
		if x := at(v); x >= stripEdge/2 && x <= stripWide-stripEdge/2 && x-last > 26 {
			s.Ticks, last = append(s.Ticks, tick{x, strconv.FormatFloat(v, 'g', -1, 64)}), x
		}
	}
}

// drawGuesses writes a page with a strip for each question that the files of a folder answer.
func (b *book) drawGuesses(env *cli.Env, folder, file string) error {
	all, err := readGuesses(folder)
	if err != nil {
		return err
	}
	asked, err := b.predictions()
	if err != nil {
		return err
	}
	strips, known := []*strip{}, map[string]bool{}
	for _, p := range asked {
		known[p.Key] = true
		if s := newStrip(p, all); s != nil {
			strips = append(strips, s)
		}
	}
	gone := 0 // answers to what this clone does not ask
	for _, g := range all {
		for key := range g.Answers {
			if !known[key] {
				gone++
			}
		}
	}
	var out bytes.Buffer
	values := map[string]any{"Files": len(all), "Strips": strips, "Asked": len(asked), "Gone": gone,
		"Style": style()}
	if err := templates.ExecuteTemplate(&out, "guesses.html", values); err != nil {
		return err
	}
	if err := replace(file, out.Bytes()); err != nil {
		return cli.Misuse("-o %q: %v; want a file in a folder that exists", file, err)
	}
	_, err = fmt.Fprintf(env.Stdout, "%d files, %d questions; open %s\n", len(all), len(strips), file)
	return err
}

// replace writes a file beside, and renames it: what was there stays, or is replaced as a whole.
func replace(file string, text []byte) error {
	beside, err := os.CreateTemp(filepath.Dir(file), ".raysteps-")
	if err != nil {
		return err
	}
	defer os.Remove(beside.Name()) // which is gone if it was renamed
	_, err = beside.Write(text)
	if err = errors.Join(err, beside.Chmod(0o644), beside.Close()); err != nil {
		return err
	}
	return os.Rename(beside.Name(), file)
}

// style is that of the book, in a page that stands by itself.
func style() template.CSS {
	text, _ := assets.ReadFile("assets/book.css") // which is embedded
	return template.CSS(text)
}
