package main

import (
	"fmt"
	"path"
	"strings"

	"raysteps/scripts/internal/results"
)

// program is one that is measured.
type program struct {
	kinds, scenes string            // with spaces between them
	recipe        string            // in recipes.txt
	pkg           string            // in measurements, or empty if the program says it
	vars          map[string]string // of the recipe

	against string  // the recipe whose pictures its own are held against, or empty
	within  float64 // the [difference] that its pictures may have, or 0 if other materials are allowed any
}

// key are the variables of a program that has a few.
type key = map[string]string

const (
	three  = "small medium large"
	large  = three + " sphereflake=4 sphereflake=6 cloud=10000"
	traced = "large sphereflake=3 sphereflake=4 sphereflake=5 sphereflake=6 cloud=10000 cloud=1000000"
)

// chance is more than the [difference] of two pictures by the same rules: those of Go's path tracers
// are 0.2 to 0.9 from ours, and a row too low is 1.5 to 2.
const chance = 1.2

// tracers are the programs of others that are no steps.
var tracers = []program{
	{kinds: "rays", scenes: traced, recipe: "rays", vars: key{"CXX": "g++"}},
	{kinds: "pictures", scenes: large, recipe: "embree", pkg: "peer/g++/embree", vars: key{"CXX": "g++"}},
	{kinds: "pictures", scenes: "medium", recipe: "toy", pkg: "peer/toy0", vars: key{"CXX": "g++", "THREADS": "0"}},
	{kinds: "pictures", scenes: "medium", recipe: "toy", pkg: "peer/toy1", vars: key{"CXX": "g++", "THREADS": "1"}},
	{kinds: "pictures", scenes: three, recipe: "gotracer", pkg: "peer/Go/GoTracer", against: "horizon", within: chance},
	{kinds: "pictures", scenes: three, recipe: "pt", pkg: "peer/Go/pt", against: "picture"},
	{kinds: "pictures", scenes: three, recipe: "izpi", pkg: "peer/Go/izpi", against: "picture", within: chance},
}

// programs returns all, and first what they need.
func programs() (all []program) {
	for scene := range strings.FieldsSeq("medium small " + traced) {
		all = append(all, program{kinds: "rays pictures", recipe: "record", vars: key{"SCENE": scene}})
	}
	for _, folder := range []string{"beyond/tree", "beyond/wavefront", "step12"} {
		scenes := "large sphereflake=3 sphereflake=4 cloud=10000"
		if folder == "beyond/tree" {
			scenes = traced
		}
		vars := key{"PACKAGE": folder, "NAME": path.Base(folder)}
		all = append(all, program{kinds: "rays", scenes: scenes, recipe: "search", vars: vars})
	}
	for step := range strings.FieldsSeq("9 10 11 12 13 wavefront tree") {
		kinds, scenes := "pictures", three
		switch step {
		case "9":
			kinds = "flags"
		case "10", "11", "12":
			kinds = "pictures flags"
		case "tree":
			scenes = large
		}
		p := program{kinds: kinds, scenes: scenes, recipe: "step", pkg: results.Package(step)}
		p.vars = key{"STEP": step}
		all = append(all, p)
	}
	for scene := range strings.FieldsSeq(three) {
		all = append(all,
			program{kinds: "pictures", recipe: "picture", vars: key{"SCENE": scene}},
			program{kinds: "pictures", recipe: "horizon", vars: key{"SCENE": scene}})
	}
	all = append(all, tracers...)
	return append(append(all, article("g++", "bfd")...), article("clang++-19", "lld")...)
}

// article returns the steps of the article's program, built by a compiler with some flags.
func article(cxx, linker string) (all []program) {
	for step := 9; step <= 13; step++ {
		old := "-march=x86-64-v2"
		if step >= 12 {
			old += " -mavx2 -mfma"
		}
		kinds := "pictures flags"
		if step == 9 {
			kinds = "flags"
		}
		for _, f := range [][3]string{
			{kinds, "", "-march=native -ffast-math"},
			{"flags", "/x86-64-v2+fast-math", old + " -ffast-math"},
			{"flags", "/x86-64-v2+fp-contract=off", old + " -ffp-contract=off"},
		} {
			if f[1] != "" && (step == 9 || step == 13) {
				continue
			}
			pkg := fmt.Sprintf("peer/%s%s/step%02d", cxx, f[1], step)
			p := program{kinds: f[0], scenes: three, recipe: "article", pkg: pkg}
			p.vars = key{"CXX": cxx, "LINKER": linker, "FLAGS": f[2], "STEP": fmt.Sprint(step)}
			p.vars["NAME"] = strings.ReplaceAll(pkg, "/", "-")
			all = append(all, p)
		}
	}
	return all
}
