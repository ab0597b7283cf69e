// Readme makes README.md from README_template.md, and fills docs/*.md and soagen/README.md in
// place. What is filled in stands between two comments, and is made anew from the source and
// from measurements in results, a file for each machine:
//
//	<!-- raysteps:NAME key=value ... -->
//
//	what was filled in last time
//
//	<!-- /raysteps -->
//
// Nothing is written if anything fails, and only files that change are written.
//
// Measurements of your own, which go run ./scripts/bench writes to results/local, take the
// place of the published ones in the table and the chart of README.md and in docs/results.md.
// Chapters and sentences stay about the published machine. -reset takes yours out again.
//
// Examples:
//
//	go run ./scripts/readme
//	go run ./scripts/readme -reset
//
// The directives, by their names:
package main
