// Loganalyzer reads an access log, from a file or from standard input, and writes a report as
// JSON: requests by service, by class of status and by minute, and the busiest clients. With
// -generate it writes a log instead, always the same.
//
//	go run ./beyond/examples/loganalyzer -generate 25000 > access.log
//	go run ./beyond/examples/loganalyzer access.log
package main

import (
	"flag"
	"fmt"
	"io"
	"os"

	"raysteps/beyond/examples/accesslog"
)

func main() {
	generate := flag.Int("generate", 0, "write a log of so many `lines`, and read none")
	flag.Parse()
	if flag.NArg() > 1 || *generate < 0 {
		fmt.Fprintln(os.Stderr, "loganalyzer: want one file, or none for standard input, or -generate with lines above 0")
		os.Exit(2)
	}
	if err := run(*generate, flag.Arg(0), os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "loganalyzer:", err)
		os.Exit(1)
	}
}

// run writes a log of so many lines, or if that is 0, the report of a file or of in.
func run(lines int, file string, in io.Reader, out io.Writer) error {
	if lines > 0 {
		_, err := out.Write(accesslog.Generate(1, lines))
		return err
	}
	if file != "" {
		f, err := os.Open(file)
		if err != nil {
			return err
		}
		defer f.Close()
		in = f
	}
	report, err := accesslog.Analyze(in, accesslog.Services)
	if err != nil {
		return err
	}
	return report.Write(out)
}
