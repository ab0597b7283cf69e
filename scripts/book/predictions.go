package main

import (
	"cmp"
	"os"
	"strings"

	"raysteps/scripts/internal/page"
	"raysteps/scripts/internal/results"
)

// prediction is one that a chapter asks for.
type prediction struct {
	Key                      string // under which the reader's is kept
	Step, Address            string // of the chapter
	Question, Ours, Measured string
	Slower                   bool // whether more is slower, as it is of a time
}

// predictionKey is the same as long as a chapter asks the same.
func predictionKey(name string, predict *page.Call) string { return name + ": " + predict.Get("ask") }

// predictions are those of all chapters, in their order.
func (b *book) predictions() (all []prediction, err error) {
	machines, _, err := results.Open(b.root)
	if err != nil {
		return nil, err
	}
	for _, name := range b.pages {
		text, err := os.ReadFile(b.path(name))
		if err != nil {
			return nil, err
		}
		for _, call := range page.Calls(string(text), "predict") {
			p := prediction{Key: predictionKey(name, call), Step: b.heading(name), Address: pageAddress(name),
				Question: call.Get("ask"), Ours: cmp.Or(call.Get("ours"), call.Get("estimate")), Slower: slower(call)}
			p.Measured, _ = page.Machine(call, machines).Number(page.Number(call))
			all = append(all, p)
		}
	}
	return all, nil
}

// slower reports whether more of what a question is about is slower: it asks how long something
// takes, and not how fast it is.
func slower(call *page.Call) bool { return strings.Contains(call.Get("ask"), "How long") }

func (b *book) predictionsData() ([]byte, error) {
	all, err := b.predictions()
	if err != nil {
		return nil, err
	}
	return data("predictions", all)
}
