module raysteps

go 1.26.0

require (
	github.com/aclements/go-moremath v0.0.0-20210112150236-f10218a38794 // the quantiles of Student's t, for intervals
	github.com/alecthomas/chroma/v2 v2.27.0 // colors of Go, assembly and differences, for the book
	github.com/aymanbagabas/go-udiff v0.4.1 // differences between two steps, and between a page and what it should be
	github.com/dustin/go-humanize v1.1.0 // numbers with commas; plurals and lists in sentences
	github.com/fsnotify/fsnotify v1.10.1 // changes of files, for labs
	github.com/gofrs/flock v0.13.1 // a lock between processes: two checks of labs do not measure at once
	github.com/google/pprof v0.0.0-20260906184651-6331bc6350fe // reading CPU profiles, for the phases of a render
	github.com/klauspost/cpuid/v2 v2.4.2 // what the processor is and has, for files of measurements and builds
	github.com/rhysd/actionlint v1.7.12 // workflows: checked by the gate, and run by a test of ab
	github.com/schollz/progressbar/v3 v3.19.1 // progress on a terminal
	github.com/stretchr/testify v1.12.1 // assertions in tests
	github.com/yuin/goldmark v1.8.7 // finding comments, links and headings in pages; pages as HTML
	golang.org/x/perf v0.0.0-20260908200009-22c9c6c9d4da // the format, medians and intervals of measurements, and benchstat
	golang.org/x/sync v0.24.0 // goroutines that end together, in scripts/bench and an experiment of step 13
	golang.org/x/sys v0.49.0 // what the processor can do; its counters; pages of memory, in tests
	golang.org/x/term v0.47.0 // whether somebody looks at the output
	golang.org/x/tools v0.52.0 // loading packages with their types, for soagen; the files of labs; taking marks out of a step, in a test
	gonum.org/v1/gonum v0.16.0 // sums and products of columns, for estimates
)

require (
	github.com/BurntSushi/toml v1.4.1-0.20240526193622-a339e1f7089c // indirect
	github.com/bmatcuk/doublestar/v4 v4.10.0 // indirect
	github.com/clipperhouse/uax29/v2 v2.7.0 // indirect
	github.com/dlclark/regexp2/v2 v2.2.1 // indirect
	github.com/fatih/color v1.19.0 // indirect
	github.com/mattn/go-colorable v0.1.14 // indirect
	github.com/mattn/go-isatty v0.0.22 // indirect
	github.com/mattn/go-runewidth v0.0.21 // indirect
	github.com/mattn/go-shellwords v1.0.12 // indirect
	github.com/mitchellh/colorstring v0.0.0-20190213212951-d06e56a500db // indirect
	github.com/rivo/uniseg v0.4.7 // indirect
	github.com/robfig/cron/v3 v3.0.1 // indirect
	go.yaml.in/yaml/v3 v3.0.5 // indirect
	go.yaml.in/yaml/v4 v4.0.0-rc.3 // indirect
	golang.org/x/exp/typeparams v0.0.0-20231108232855-2478ac86f678 // indirect
	golang.org/x/mod v0.42.0 // indirect
	golang.org/x/telemetry v0.0.0-20261009151841-97e8ea77aa2a // indirect
	honnef.co/go/tools v0.8.2 // indirect
)

tool (
	github.com/rhysd/actionlint/cmd/actionlint
	golang.org/x/perf/cmd/benchstat
	golang.org/x/tools/cmd/deadcode
	honnef.co/go/tools/cmd/staticcheck
	raysteps/soagen
)
