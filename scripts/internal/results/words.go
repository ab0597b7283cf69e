package results

import "cmp"

// word is what tables have for units, fields, bases, and values of fields.
func word(text string) string { return cmp.Or(words[text], text) }

var words = map[string]string{
	"sec/op": "time", "sec/sphere": "time per sphere", "sec/ray": "time per ray", "sec/picture": "time of 1280x720",
	"B/op": "heap bytes", "allocs/op": "allocations",
	"label": "what changes", "again": "the same code again: noise",
	"over first": "against the first row", "over before": "over the step before", "over peer": "over the better in C++",
	"over peer native+fp-contract=off":    "over C++ with the newest instructions, and its arithmetic as written",
	"over peer x86-64-v2+fast-math":       "over C++ with the instructions of step 10, and arithmetic as it likes",
	"over peer x86-64-v2+fp-contract=off": "over C++ with the instructions of step 10, and its arithmetic as written",
	"arithmetic-cycles/sphere":            "arithmetic", "instructions-cycles/sphere": "other instructions", "waiting-cycles/sphere": "waiting",
	"front-cycles/sphere": "front end",
	"hit-sec/ray":         "hit test", "scatter-sec/ray": "scatter", "camera-sec/ray": "camera", "pair-sec/ray": "pair", "rest-sec/ray": "rest", "whole-sec/ray": "whole",
	"called-%": "called", "gate-%": "at a gate of 2 %",
	"toy0": "Toy Path Tracer, one thread", "toy1": "Toy Path Tracer, all threads", "embree": "Embree",
}
