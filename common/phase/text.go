package phase

import (
	"bufio"
	"fmt"
	"io"
	"time"
	"unicode/utf8"
)

// WriteText writes the report as aligned text: a line about the whole, a table
// with a line a phase, indented by two spaces within its parent, and a remark
// each on stacks that were cut and on functions that were not met. Of a profile
// without samples it says so in one line.
func (r *Report) WriteText(w io.Writer) error {
	wall := r.Wall.Round(10 * time.Millisecond)
	if r.Samples == 0 {
		_, err := fmt.Fprintf(w, "no samples in %v; the processor has to be busy for 10ms to give one\n", wall)
		return err
	}
	out := bufio.NewWriter(w)
	fmt.Fprintf(out, "%d samples, %v of processor time in %v; ± is the 95%% interval of sampling\n\n",
		r.Samples, r.CPU.Round(10*time.Millisecond), wall)

	type line struct {
		name string
		Part
	}
	var lines []line
	var addLines func(phases []*Phase, indent string)
	addLines = func(phases []*Phase, indent string) {
		for _, p := range phases {
			lines = append(lines, line{indent + p.Name, p.Part})
			addLines(p.Phases, indent+"  ")
		}
	}
	addLines(r.Phases, "")
	lines = append(lines, line{"(no phase)", r.NoPhase}, line{"(runtime)", r.Runtime})
	width := 0
	for _, l := range lines {
		width = max(width, utf8.RuneCountInString(l.name))
	}
	fmt.Fprintf(out, "%-*s  %14s  %8s\n", width, "phase", "share", "samples")
	for _, l := range lines {
		fmt.Fprintf(out, "%-*s  %5.1f%% ± %4.1f%%  %8d\n", width, l.name, 100*l.Share, 100*l.Error, l.Samples)
	}

	if r.Cut > 0 {
		fmt.Fprintf(out, "\n%d samples have a stack of %d functions or more; marked ones further out are missing\n", r.Cut, maxStack)
	}
	for i, name := range r.Unseen {
		if i == 0 {
			fmt.Fprintln(out, "\nmarked, but in no sample:")
		}
		fmt.Fprintf(out, "  %s\n", name)
	}
	return out.Flush()
}
