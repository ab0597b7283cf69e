package main

import (
	"bytes"
	"cmp"
	"html/template"
	"os"
	"regexp"

	"raysteps/common/answers"
	"raysteps/common/scene"
	"raysteps/scripts/book/tab"
	"raysteps/scripts/internal/page"
	"raysteps/scripts/internal/results"
	"raysteps/scripts/internal/steps"
)

// tabInfo is what pages know of the program that runs in the reader's tab.
type tabInfo struct {
	Programs []string
	Steps    map[string]string                    // what is written of a step, by its name
	Known    map[string]map[string]answers.Answer // by step, and by scene and size
}

func (b *book) tabData() ([]byte, error) {
	info := tabInfo{b.programs(), map[string]string{}, map[string]map[string]answers.Answer{}}
	for _, name := range tab.Steps() {
		step, err := steps.Find(name)
		if err != nil {
			return nil, err
		}
		info.Steps[name], info.Known[name] = step.Title(), map[string]answers.Answer{}
		for _, sc := range scene.Names() {
			for size := range tab.Sizes {
				info.Known[name][sc+" "+size], _ = answers.Of(name, sc+" "+size)
			}
		}
	}
	return data("tab", info)
}

// raceForm is the race, for its page and for the first one.
func (b *book) raceForm() (template.HTML, error) {
	var offered []steps.Step
	for _, name := range tab.Steps() {
		if step, err := steps.Find(name); err == nil {
			offered = append(offered, step)
		}
	}
	var out bytes.Buffer
	err := templates.ExecuteTemplate(&out, "race.html", map[string]any{"Steps": offered, "Scenes": scene.Names()})
	return template.HTML(out.String()), err
}

var raceScripts = []string{"assets/tab.js", "assets/race.js"}

func (b *book) racePage() ([]byte, error) {
	form, err := b.raceForm()
	if err != nil {
		return nil, err
	}
	return b.render(view{Title: "The race", Here: "race.html", Class: "tool", Body: "<h1>The race</h1>\n" + form, Scripts: raceScripts})
}

// raceImage is the paragraph with the picture of a race, where the race itself stands.
var raceImage = regexp.MustCompile(`<p>(<a [^>]*>)?<img src="docs/pictures/race\.png"[^>]*>(</a>)?</p>`)

// prediction is one that a chapter asks for.
type prediction struct {
	Key                      string // under which the reader's is kept
	Step, Address            string // of the chapter
	Question, Ours, Measured string
}

// predictionKey is the same as long as a chapter asks the same.
func predictionKey(name string, predict *page.Call) string { return name + ": " + predict.Get("ask") }

func (b *book) predictionsData() ([]byte, error) {
	machines, _, err := results.Open(b.root)
	if err != nil {
		return nil, err
	}
	all := []prediction{}
	for _, name := range b.pages {
		text, err := os.ReadFile(b.path(name))
		if err != nil {
			return nil, err
		}
		for _, call := range page.Calls(string(text), "predict") {
			p := prediction{Key: predictionKey(name, call), Step: b.heading(name), Address: pageAddress(name), Question: call.Get("ask"), Ours: cmp.Or(call.Get("ours"), call.Get("estimate"))}
			p.Measured, _ = page.Machine(call, machines).Number(page.Number(call))
			all = append(all, p)
		}
	}
	return data("predictions", all)
}
