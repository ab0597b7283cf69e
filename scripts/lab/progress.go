package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/dustin/go-humanize/english"

	"raysteps/common/outfile"
)

// reached is what somebody has reached in a lab.
type reached struct {
	Hints  int     `json:"hints"`  // that were given
	After  int     `json:"after"`  // of these, once it was passed
	Checks int     `json:"checks"` // that gave a score
	Gain   float64 `json:"gain"`   // share of ours, of the best check
	Passed bool    `json:"passed"`
	Faster bool    `json:"faster"` // than ours, beyond the interval
}

func (r reached) reached() string {
	text := ""
	switch {
	case r.Faster:
		text = "passed, and faster than ours: " + percent(r.Gain) + " of the gain"
	case r.Passed:
		text = "passed: " + percent(r.Gain) + " of the gain"
	case r.Checks > 0:
		text = percent(r.Gain) + " of the gain"
	}
	if hints := r.Hints - r.After; hints > 0 {
		if text != "" {
			text += ", "
		}
		text += "with " + english.Plural(hints, "hint", "")
	}
	return text
}

func (u user) progressFile() string { return filepath.Join(u.dir, "progress.json") }

// progress reads what was reached, by the name of a lab.
func (u user) progress() (map[string]reached, error) {
	p := map[string]reached{}
	text, err := os.ReadFile(u.progressFile())
	if errors.Is(err, os.ErrNotExist) {
		return p, nil
	}
	if err == nil {
		err = json.Unmarshal(text, &p)
	}
	if err != nil {
		return nil, fmt.Errorf("%s/progress.json: %w; delete that file to begin a new one", folder, err)
	}
	return p, nil
}

// keep writes what was reached in a lab. It reads the file again, which another
// command may have changed since.
func (u user) keep(l *lab, r reached) error {
	p, err := u.progress()
	if err != nil {
		return err
	}
	p[l.name] = r
	text, err := json.MarshalIndent(p, "", "\t")
	if err != nil {
		return err
	}
	return outfile.Write("progress", u.progressFile(), append(text, '\n'))
}

// record keeps a score if it is the best of a lab.
func (u user) record(l *lab, s score) (reached, error) {
	p, err := u.progress()
	if err != nil {
		return reached{}, err
	}
	r := p[l.name]
	if r.Checks == 0 || s.logGain() > r.Gain {
		r.Gain = s.logGain()
	}
	r.Checks++
	r.Passed = r.Passed || s.passed(l)
	r.Faster = r.Faster || s.faster()
	return r, u.keep(l, r)
}
