package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/dustin/go-humanize/english"

	"raysteps/common/infile"
	"raysteps/common/outfile"
)

const progressFile = "progress.json" // in the folder of the labs

// standing is what somebody has reached in a lab.
type standing struct {
	Hints     int     `json:"hints"` // that were given
	Passed    bool    `json:"passed"`
	Predicted float64 `json:"predicted,omitempty"` // times the start's speed
	Speed     float64 `json:"speed,omitempty"`     // times the start's, the best that was measured
}

// String is a row of the list of labs: passed, predicted, reached.
func (r standing) String() string {
	passed := ""
	if r.Passed {
		passed = "yes"
	}
	if r.Hints > 0 {
		passed = strings.TrimSpace(passed + " with " + english.Plural(r.Hints, "hint", ""))
	}
	for _, v := range []float64{r.Predicted, r.Speed} {
		passed += "\t"
		if v > 0 {
			passed += fmt.Sprintf("%.3g times", v)
		}
	}
	return passed + "\t" // with all columns, which else are not aligned
}

// progress reads what was reached, by the name of a lab.
func (u user) progress() (map[string]standing, error) {
	p := map[string]standing{}
	text, err := infile.Read("progress", filepath.Join(u.dir, progressFile), 1<<20)
	if errors.Is(err, os.ErrNotExist) {
		return p, nil
	}
	if err != nil {
		return nil, err
	}
	if err = json.Unmarshal(text, &p); err != nil {
		return nil, fmt.Errorf("%s/%s: %w; delete that file to begin a new one", folder, progressFile, err)
	}
	return p, nil
}

// record changes what was reached in a lab, and returns it. The file is read again:
// another command may have changed it.
func (u user) record(l *lab, change func(*standing)) (standing, error) {
	p, err := u.progress()
	if err != nil {
		return standing{}, err
	}
	r := p[l.name]
	change(&r)
	p[l.name] = r
	text, err := json.MarshalIndent(p, "", "\t")
	if err != nil {
		return r, err
	}
	return r, outfile.Write("progress", filepath.Join(u.dir, progressFile), append(text, '\n'))
}
