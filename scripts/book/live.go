package main

import (
	"bytes"
	"html/template"
	"regexp"

	"raysteps/common/answers"
	"raysteps/common/scene"
	"raysteps/scripts/book/tab"
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

var raceScripts = []string{"tab.js", "race.js", "path.js"}

func (b *book) racePage() ([]byte, error) {
	form, err := b.raceForm()
	if err != nil {
		return nil, err
	}
	return b.render(view{Title: "The race", Here: "race.html", Class: "tool",
		Body: "<h1>The race</h1>\n" + form, Scripts: raceScripts})
}

// raceImage is the paragraph with the picture of a race, where the race itself stands.
var raceImage = regexp.MustCompile(`<p>(<a [^>]*>)?<img src="docs/pictures/race\.png"[^>]*>(</a>)?</p>`)
