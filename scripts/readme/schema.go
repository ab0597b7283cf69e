package main

import (
	_ "embed"
	"slices"

	"golang.org/x/tools/txtar"

	"raysteps/scripts/internal/page"
)

// manuals say what each directive does, in the order of -help.
//
//go:embed directives.txt
var manuals []byte

// Arguments that several directives have.
var (
	required  = page.Required
	optional  = page.Optional
	selection = optional("steps=STEPS", "pkg=PACKAGES", "bench=NAMES", "where=FILTER", "builds=yes",
		"noise=yes", "machine=NAME", "prefer=own")
	unit = optional("bench=NAME", "scene=SCENE", "unit=UNIT")
)

// directives declares all of them: who fills their regions, and which arguments they take.
func (s *site) directives() page.Directives {
	all := page.Directives{
		"listing": {Fill: s.listing, Arguments: slices.Concat(required("file=FILE"),
			optional("decl=NAMES", "doc=no", "match=REGEXP"))},
		"diff": {Fill: s.diff, Arguments: slices.Concat(required("from=STEP", "to=STEP"), optional("file=FILES"))},
		"table": {Fill: s.measured(s.table), Arguments: slices.Concat(
			required("show=COLUMNS", "rows=FIELDS"), optional("cols=FIELD"), selection)},
		"chart": {Fill: s.measured(s.chart), Arguments: slices.Concat(
			required("file=NAME", "title=TEXT", "rows=FIELD", "cols=FIELD", "show=COLUMNS", "ytitle=TEXT"),
			optional("xtitle=TEXT", "linear=yes", "xlinear=yes", "bars=yes"), selection)},
		"number": {Fill: s.measured(number), Arguments: slices.Concat(required("of=PACKAGE"), unit,
			optional("over=PACKAGE", "overbench=NAME", "as=FORM", "machine=NAME", "prefer=own"))},
		"run": {Fill: s.runCommand, Arguments: slices.Concat(required("cmd=COMMAND"), optional("match=REGEXP"))},
		"predict": {Fill: s.measured(predict), Arguments: slices.Concat(
			required("ask=TEXT"), optional("ours=NUMBER", "estimate=NUMBER"), required("of=PACKAGE", "over=PACKAGE"),
			unit, optional("overbench=NAME", "as=FORM", "machine=NAME", "argument=TEXT"))},
		"predictions": {Fill: s.predictions},
	}
	for _, file := range txtar.Parse(manuals).Files {
		directive := all[file.Name]
		directive.Manual = string(file.Data)
		all[file.Name] = directive
	}
	return all
}

// manual writes what -help prints of the directives.
func (s *site) manual() string {
	var names []string
	for _, file := range txtar.Parse(manuals).Files {
		names = append(names, file.Name)
	}
	return s.directives().Manual(names...)
}
