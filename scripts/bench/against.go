package main

import "fmt"

// workingTree is what -against calls the files as they are. No revision can have
// that name, as a name of git has no space.
const workingTree = "working tree"

// verdicts says by scene whether a step still renders the picture that it
// rendered in another revision.
func (p *plan) verdicts() map[string]string {
	all := map[string]string{}
	for _, scene := range sceneNames() {
		pictures := p.slicer.Pictures[scene+" scene"]
		before, after := pictures[0], pictures[1]
		all[scene] = "the same"
		if before != after {
			all[scene] = fmt.Sprintf("another, of %d rays in place of %d", after.Rays, before.Rays)
		}
	}
	return all
}
