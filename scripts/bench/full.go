package main

import (
	"context"
	"strings"

	"raysteps/common"
	"raysteps/scripts/internal/cli"
	"raysteps/scripts/internal/launch"
	"raysteps/scripts/internal/results"
)

// renderFull renders whole pictures, each once, in turns with slices.
func (p *plan) renderFull(ctx context.Context, env *cli.Env, f *file) (done, all int, err error) {
	l, err := p.slicer.Launch(ctx, 0)
	if err != nil {
		return 0, 0, err
	}
	defer l.Close()
	session := l.(*launch.SlicerSession)
	for _, g := range p.groups {
		all += len(g.Subjects)
	}
	bar := env.Progress(int64(all), "rendering")
	defer bar.Finish()
	for _, g := range p.groups {
		if err := session.Open(&g); err != nil {
			return done, all, err
		}
		for i, subject := range g.Subjects {
			bar.Describe("rendering the " + g.Title + " with " + subject.Slot.Variant)
			rays, took, sliceRays, sliceTook, err := session.Full(i, common.Default())
			if err != nil {
				return done, all, err
			}
			subject.Name = "Full/" + strings.TrimPrefix(subject.Name, "Render/")
			r := launch.Record{Subject: subject, Order: 1, Launch: 1, Slices: 1, Values: launch.Values{
				"sec/op": took / 1e9, "rays/op": rays, "rays/s": rays / took * 1e9, results.SliceRate: sliceRays / sliceTook * 1e9,
			}}
			if err := p.keep(f)([]launch.Record{r}); err != nil {
				return done, all, err
			}
			done++
			bar.Add(1)
		}
	}
	return done, all, nil
}
