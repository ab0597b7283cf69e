// Render renders one picture with one step, writes it as PNG or TGA by the
// ending of its name, and says how many rays it took and how many a second.
//
// Instead of a picture, or with it, render shows how it was made: -stats and
// -phases render with the package instrumented, which is step 13 with
// instruments. The picture is that of step 13; it takes longer.
//
// The scene is a built-in one, or your own from a JSON file;
// common/scene/README.md describes it. The rate is that of a single run: to
// compare steps, use bench. wavefront and archsimd are "plain", and take many times
// as long, unless GOEXPERIMENT=simd is set in the environment.
//
// Examples:
//
//	go run ./scripts/render -step 4 -scene large -o large.png
//	go run ./scripts/render -scene common/scene/example.json -samples 100 -o example.png
//	go run ./scripts/render -scene medium -stats -phases
package main
