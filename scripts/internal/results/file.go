package results

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"

	"golang.org/x/perf/benchfmt"

	"raysteps/common/infile"
)

// maxFile is more bytes than all machines have together.
const maxFile = 1 << 28

// readFile returns the benchmarks of a file, none if it does not exist or is empty.
func readFile(file string) ([]*benchfmt.Result, error) {
	text, err := infile.Read("results", file, maxFile)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	lines, err := Parse(text, file)
	if err == nil && len(lines) == 0 && len(text) > 0 {
		const format = "results %q: there is something else in it; want a file of measurements, or a new one"
		err = fmt.Errorf(format, file)
	}
	return lines, err
}

// Parse returns the benchmarks of a file. A line that looks like a benchmark but is none
// is an error.
func Parse(text []byte, name string) (lines []*benchfmt.Result, err error) {
	reader := benchfmt.NewReader(bytes.NewReader(text), name)
	for reader.Scan() {
		switch record := reader.Result().(type) {
		case *benchfmt.SyntaxError:
			_, line := record.Pos()
			const format = "results %q: line %d: %s; want the Go benchmark format"
			return nil, fmt.Errorf(format, name, line, record.Msg)
		case *benchfmt.Result:
			lines = append(lines, record.Clone())
		}
	}
	return lines, reader.Err()
}
