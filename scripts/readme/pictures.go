package main

import (
	"bytes"
	"fmt"
	"path"
	"slices"
	"sync"

	"raysteps/common"
	"raysteps/common/film"
	"raysteps/common/scene"
	"raysteps/scripts/internal/directive"
	"raysteps/scripts/internal/results"
	"raysteps/scripts/internal/steps"
)

func init() {
	register("pictures", "The three scenes side by side.", func(p *page, _ *directive.Call) (string, error) {
		var head, images []string
		for _, name := range slices.Backward(scene.Names()) {
			link, err := p.picture(name)
			if err != nil {
				return "", err
			}
			head = append(head, fmt.Sprintf("%s: %d spheres", name, len(named(name).Spheres)))
			images = append(images, link)
		}
		return results.Table{Header: head, Right: make([]bool, len(head)), Rows: [][]string{images}}.Markdown(), nil
	})
	register("picture scene=large", "A scene, rendered by the last step.", func(p *page, c *directive.Call) (string, error) { return p.picture(c.Get("scene")) })
}

// pictureSize is that of the pictures in the pages.
var pictureSize = common.Settings{Width: 480, Height: 270, Samples: 10, Bounces: 50, Workers: 1}

// pictures renders each scene at most once in a process, with the last step that
// has a number: those of beyond may draw other random numbers on other machines.
var pictures = func() map[string]func() *film.Film {
	all := map[string]func() *film.Film{}
	for _, name := range scene.Names() {
		all[name] = sync.OnceValue(func() *film.Film {
			f := film.New(pictureSize.Width, pictureSize.Height)
			numbered := steps.Numbered()
			numbered[len(numbered)-1].New(named(name)).Render(f, pictureSize)
			return f
		})
	}
	return all
}()

// named returns the scene of one of scene.Names.
func named(name string) *scene.Scene {
	sc, err := scene.ByName(name)
	if err != nil {
		panic(err)
	}
	return sc
}

// picture renders a scene into docs/pictures and returns the Markdown that
// shows it.
func (p *page) picture(name string) (string, error) {
	var b bytes.Buffer
	if err := pictures[name]().WritePNG(&b); err != nil {
		return "", err
	}
	file := path.Join("docs/pictures", name+".png")
	p.asset(file, b.Bytes(), samePixels(0))
	return fmt.Sprintf("![The %s scene](%s)", name, p.link(file)), nil
}
