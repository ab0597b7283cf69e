// Readme makes README.md from README_template.md, and fills docs/*.md and soagen/README.md in
// place. Listings, differences, tables, figures in sentences, charts, predictions
// and the output of commands stand between two comments and are made anew from the source and
// from measurements in results, a file for each machine:
//
//	<!-- raysteps:NAME key=value ... -->
//
//	what was filled in last time
//
//	<!-- /raysteps -->
//
// Within a line of prose the content goes directly between the comments. A value
// with spaces stands in double quotes. Nothing is written if anything fails, and
// only files that change are written. What another version of Go said stays as it
// is, until somebody deletes it.
//
// Measurements of your own, which go run ./scripts/bench writes to results/local, take the
// place of the published ones in the table and the chart of README.md and in docs/results.md.
// Chapters and sentences stay about the published machine. -reset takes yours out again.
//
// These are the directives, which -help explains: listing, diff, table, chart, number,
// run, predict and predictions.
//
// Examples:
//
//	go run ./scripts/readme
//	go run ./scripts/readme -reset
package main
