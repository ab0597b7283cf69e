//go:build js

// Wasm is what the worker of a page runs: it answers one message of the page with
// others, and has no more than one job at a time. To stop it the page ends the worker.
package main

import (
	"syscall/js"
	"time"

	"raysteps/scripts/book/tab"
	"raysteps/scripts/internal/estimate"
)

type object = map[string]any

// send posts a message, and hands pixels over without a copy.
func send(message object, pixels []byte) {
	transfer := []any{}
	if pixels != nil {
		array := js.Global().Get("Uint8ClampedArray").New(len(pixels))
		js.CopyBytesToJS(array, pixels)
		message["pixels"] = array
		transfer = append(transfer, array.Get("buffer"))
	}
	js.Global().Call("postMessage", message, transfer)
}

func main() {
	requests := make(chan js.Value)
	js.Global().Set("onmessage", js.FuncOf(func(_ js.Value, args []js.Value) any {
		go func() { requests <- args[0].Get("data") }()
		return nil
	}))
	steps := object{}
	for _, step := range tab.Steps() {
		steps[step] = tab.Kernel(step)
	}
	send(object{"kind": "ready", "steps": steps}, nil)
	for r := range requests {
		if err := answer(r); err != nil {
			send(object{"kind": "error", "error": err.Error()}, nil)
		} else {
			send(object{"kind": "end"}, nil)
		}
	}
}

func answer(r js.Value) error {
	start, scene := time.Now(), r.Get("scene").String()
	clock := func() time.Duration { return time.Since(start) }
	var steps []string
	for i := range r.Get("steps").Length() {
		steps = append(steps, r.Get("steps").Index(i).String())
	}
	switch r.Get("do").String() {
	case "race":
		return tab.Race(scene, r.Get("size").String(), steps, clock, func(f tab.Frame) {
			m := object{"kind": "frame", "lane": f.Lane, "row": f.Row, "share": f.Share, "seconds": f.Seconds}
			if p := f.Done; p != nil {
				m["rays"], m["md5"] = p.Rays, p.MD5
			}
			send(m, f.Pixels)
		})
	case "measure":
		last := 0.
		all, err := tab.Measure(scene, steps, time.Duration(r.Get("seconds").Float()*1e9), clock, func(share float64) {
			if share-last > 0.02 {
				last = share
				send(object{"kind": "progress", "share": share}, nil)
			}
		})
		for _, m := range all {
			send(object{"kind": "measured", "step": m.Step, "kernel": m.Kernel, "rate": m.Rate,
				"ratio": m.Ratio.Center, "lo": m.Ratio.Lo, "hi": m.Ratio.Hi, "text": estimate.FormatRatio(m.Ratio)}, nil)
		}
		return err
	default:
		return path(r, scene)
	}
}

func path(r js.Value, scene string) error {
	sc, segments, err := tab.Path(scene, r.Get("x").Int(), r.Get("y").Int(), r.Get("width").Int(), r.Get("height").Int())
	if err != nil {
		return err
	}
	var spheres, path []any
	for _, s := range sc.Spheres {
		spheres = append(spheres, []any{s.Center[0], s.Center[1], s.Center[2], s.Radius})
	}
	for _, s := range segments {
		path = append(path, object{"from": point(s.From), "to": point(s.To), "hit": s.Hit, "sphere": s.Sphere,
			"tests": s.Tests, "positive": s.Positive, "nodes": s.Nodes, "groups": s.Groups})
	}
	send(object{"kind": "path", "spheres": spheres, "path": path}, nil)
	return nil
}

func point(p [3]float32) []any { return []any{p[0], p[1], p[2]} }
