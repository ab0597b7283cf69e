// Renew measures what docs/archsimd.md shows with a release of Go, and says what differs
// from the page. It is run in the root of the module:
//
//	go run ./beyond/archsimd/renew go1.27.4
//	go run ./beyond/archsimd/renew go1.27.4 results/amd-epyc-zen-5.txt  # to publish
//
// It runs the tests and the program of traps; counts the instructions of the vectorized
// loops in what the compiler prints, for amd64, arm64 and wasm; and has bench measure the
// experiments Kernels and Widths.
// Counts go where the measurements go: to the file of this machine, or the one that is named.
//
// It prints a line for each trap and each count that is another than on the page, but for
// traps that this processor cannot show; what was measured, scripts/readme puts there. A
// release that the kernels do not compile with is an error: its methods may have other names.
package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/perf/benchfmt"

	"raysteps/common/outfile"
)

func main() {
	args := os.Args[1:]
	if len(args) < 1 || len(args) > 2 || !regexp.MustCompile(`^go1\.\d+[\w.]*$`).MatchString(args[0]) {
		fmt.Fprintln(os.Stderr, "renew: want a release of Go, such as go1.27.4, and maybe a file of results")
		os.Exit(2)
	}
	var file string
	if len(args) > 1 {
		file = args[1]
	}
	if file != "" {
		if err := outfile.Check("results", file); err != nil {
			fmt.Fprintln(os.Stderr, "renew:", err)
			os.Exit(2)
		}
	}
	if err := renew(release(args[0]), file); err != nil {
		fmt.Fprintln(os.Stderr, "renew:", err)
		os.Exit(1)
	}
}

const (
	kernels = "raysteps/beyond/archsimd/kernels"
	tracer  = "raysteps/beyond/archsimd"
)

func renew(r release, file string) error {
	page, err := os.ReadFile("docs/archsimd.md")
	if err != nil {
		return fmt.Errorf("%w; want the root of a clone as the working directory", err)
	}
	_, published, err := read("results/amd-epyc-zen-5.txt") // that of the page
	if err != nil {
		return err
	}
	if out, err := r.command("test", "./beyond/archsimd/...").CombinedOutput(); err != nil {
		return fmt.Errorf("the tests, with %s: %w\n%s", r, err, out)
	}
	traps, err := r.command("run", "./beyond/archsimd/traps").CombinedOutput()
	if err != nil {
		return fmt.Errorf("the traps, with %s: %w\n%s", r, err, traps)
	}
	var counts []*benchfmt.Result
	for _, arch := range []string{"amd64", "arm64", "wasm"} {
		build := r.command("build", "-gcflags=-S", "-asmflags=-S",
			"./beyond/archsimd", "./beyond/archsimd/kernels", "./step12", "./beyond/avx512")
		system := map[string]string{"wasm": "js"}[arch]
		build.Env = append(build.Env, "GOARCH="+arch, "GOOS="+system, "GOAMD64=v1")
		listing, err := build.CombinedOutput()
		if err != nil {
			return fmt.Errorf("building for %s with %s: %w\n%s", arch, r, err, listing)
		}
		counts = append(counts, count(string(listing), arch)...)
	}
	lines := append(differences(string(page), string(traps)), changes(published, counts)...)
	for _, line := range lines {
		fmt.Println(line)
	}
	fmt.Printf("Traps and counts: %d differ from the page. Measuring takes three minutes.\n", len(lines))
	return r.measure(file, counts)
}

// release is one of Go.
type release string

// command is one of the go command, of the release and with SIMD.
func (r release) command(args ...string) *exec.Cmd {
	cmd := exec.Command("go", args...)
	cmd.Env = append(os.Environ(), "GOTOOLCHAIN="+string(r), "GOEXPERIMENT=simd")
	return cmd
}

// measure has bench measure, and puts the counts beside that.
func (r release) measure(file string, counts []*benchfmt.Result) error {
	args := []string{"run", "./scripts/bench", "-experiments=Kernels,Widths", "-time=140s"}
	if file != "" {
		args = append(args, "-o="+file)
	}
	cmd := r.command(args...)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("bench: %w", err)
	}
	if file == "" {
		file = "results/local/machine.txt" // to which bench writes by itself
	}
	records, page, err := read(file)
	if err != nil {
		return err
	}
	page = slices.DeleteFunc(page, func(line *benchfmt.Result) bool {
		return line.GetConfig("goversion") != string(r) || isCount(line)
	})
	if len(page) == 0 {
		return fmt.Errorf("%s has no line of the kernels with %s; want a release by its whole name", file, r)
	}
	return record(file, records, counts, page[0])
}

// record writes a file with counts in place of those that its records have. What is said of
// them is what is said of a line that was measured here, but for its link order.
func record(file string, records []benchfmt.Record, counts []*benchfmt.Result, like *benchfmt.Result) error {
	records = slices.DeleteFunc(records, func(r benchfmt.Record) bool {
		line, ok := r.(*benchfmt.Result)
		return ok && isCount(line)
	})
	for _, c := range counts {
		line := like.Clone()
		line.Name, line.Iters, line.Values = c.Name, c.Iters, c.Values
		pkg, _ := line.ConfigIndex("pkg") // which all have
		line.Config[pkg].Value = []byte(c.GetConfig("pkg"))
		line.SetConfig("link-order", "")
		records = append(records, line)
	}
	var text bytes.Buffer
	w := benchfmt.NewWriter(&text)
	for _, r := range records {
		if err := w.Write(r); err != nil {
			return err
		}
	}
	return outfile.Write("results", file, text.Bytes())
}

// read returns the records of a file of results, and the lines of the page among them: those
// of builds that are compared with each other are none.
func read(file string) (records []benchfmt.Record, page []*benchfmt.Result, err error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, nil, err
	}
	for r := benchfmt.NewReader(bytes.NewReader(text), file); r.Scan(); {
		switch record := r.Result().(type) {
		case *benchfmt.Result:
			line := record.Clone()
			records = append(records, line)
			pkg, build := line.GetConfig("pkg"), line.GetConfig("build")
			if (pkg == kernels || pkg == tracer) && build == "" {
				page = append(page, line)
			}
		case *benchfmt.SyntaxError:
			return nil, nil, record
		default:
			records = append(records, record)
		}
	}
	return records, page, nil
}

// differences says which traps are others than on the page.
func differences(page, traps string) (lines []string) {
	for trap := range strings.Lines(traps) {
		_, found, _ := strings.Cut(strings.TrimSpace(trap), " ") // behind the release
		if !strings.Contains(found, "cannot happen here") && !strings.Contains(page, found+"\n") {
			lines = append(lines, "trap, not as on the page: "+found)
		}
	}
	return lines
}

func isCount(line *benchfmt.Result) bool { return string(line.Name.Base()) == "Loop" }

// changes says which counts differ from those that are published.
func changes(published, counts []*benchfmt.Result) (lines []string) {
	old := map[string]float64{}
	for _, line := range published {
		if isCount(line) {
			old[string(line.Name)], _ = line.Value(perIteration)
		}
	}
	for _, line := range counts {
		n, _ := line.Value(perIteration)
		if o, ok := old[string(line.Name)]; ok && n != o {
			lines = append(lines, fmt.Sprintf("%s: %v %s, and %v on the page", line.Name, n, perIteration, o))
		}
	}
	return lines
}
