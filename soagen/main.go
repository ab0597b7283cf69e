// Soagen generates structure-of-arrays containers: for a struct Sphere it
// writes a type SphereSoA that is used as a []Sphere is, and keeps each field
// in a column of its own. A loop that needs one field then reads only that
// field, and vector code finds it aligned, padded and in one piece.
//
// Usage, beside the struct:
//
//	//go:generate go run raysteps/soagen -type Sphere
//
// The flags and the struct tags are described in README.md. The steps from 05
// on keep their spheres in such a container; nothing in the generator is about
// spheres.
//
// One line on standard error says what was wrong, with file, line and column
// where there is one. The exit status is 2 for a misuse of the command and 1
// for everything else that fails.
package main

import (
	"errors"
	"flag"
	"fmt"
	"go/token"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

func main() {
	os.Exit(run(".", os.Args[1:], os.Stdout, os.Stderr))
}

// run is the command, in the folder dir. It returns the exit status.
func run(dir string, args []string, stdout, stderr io.Writer) int {
	opts, err := parse(args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		fmt.Fprint(stdout, usage())
		return 0
	case err != nil:
		fmt.Fprintf(stderr, "soagen: %v\n", err)
		return 2
	}
	if err := generateFile(dir, opts); err != nil {
		if _, ok := err.(*sourceError); ok {
			fmt.Fprintln(stderr, err)
		} else {
			fmt.Fprintf(stderr, "soagen: %v\n", err)
		}
		return 1
	}
	return 0
}

// options is the command line. The zero values of out and soa are already
// replaced by their defaults.
type options struct {
	typ        string
	soa        string
	out        string
	align      int
	pad        int
	standalone bool

	command string // the flags that were given, in a fixed order
}

const maxPad = 1024

func flags(o *options) *flag.FlagSet {
	fs := flag.NewFlagSet("soagen", flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	fs.StringVar(&o.typ, "type", "", "`name` of the struct")
	fs.StringVar(&o.soa, "soa", "", "`name` of the container (default: that of the struct and SoA)")
	fs.StringVar(&o.out, "out", "", "`file` to write, in the same folder (default: the struct's name in lower case and _soa.go)")
	fs.IntVar(&o.align, "align", 64, "boundary in `bytes` that columns start on: 16, 32 or 64")
	fs.IntVar(&o.pad, "pad", 1, "pad the columns to a multiple of `n` elements")
	fs.BoolVar(&o.standalone, "standalone", false, "import nothing of module raysteps (always so in other modules)")
	return fs
}

func usage() string {
	var b strings.Builder
	b.WriteString("usage: soagen -type name [flags], in the folder of the struct's package\n")
	fs := flags(new(options))
	fs.SetOutput(&b)
	fs.PrintDefaults()
	return b.String()
}

func parse(args []string) (options, error) {
	var o options
	fs := flags(&o)
	if err := fs.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return o, err
		}
		return o, fmt.Errorf("%v; see soagen -help", err)
	}
	switch {
	case fs.NArg() > 0:
		return o, fmt.Errorf("unexpected argument %q; want flags only, see soagen -help", fs.Arg(0))
	case o.typ == "":
		return o, errors.New("-type is missing; want the name of a struct")
	case !token.IsIdentifier(o.typ) || o.typ == "_":
		return o, fmt.Errorf("-type is %q; want the name of one struct", o.typ)
	case o.align != 16 && o.align != 32 && o.align != 64:
		return o, fmt.Errorf("-align is %d; want 16, 32 or 64", o.align)
	case o.pad < 1 || o.pad > maxPad:
		return o, fmt.Errorf("-pad is %d; want 1 to %d", o.pad, maxPad)
	}
	given := map[string]bool{}
	fs.Visit(func(f *flag.Flag) { given[f.Name] = true })

	if !given["soa"] {
		o.soa = o.typ + "SoA"
	}
	if !token.IsIdentifier(o.soa) || o.soa == "_" {
		return o, fmt.Errorf("-soa is %q; want a name for the container", o.soa)
	}
	if !given["out"] {
		o.out = strings.TrimLeft(strings.ToLower(o.typ)+"_soa.go", "_")
	}
	if !fileName(o.out) {
		return o, fmt.Errorf("-out is %q; want the name of a .go file, without a folder", o.out)
	}

	words := []string{"-type", o.typ}
	for _, name := range []string{"soa", "out", "align", "pad"} {
		if given[name] {
			words = append(words, "-"+name, fs.Lookup(name).Value.String())
		}
	}
	if o.standalone {
		words = append(words, "-standalone")
	}
	o.command = strings.Join(words, " ")
	return o, nil
}

// fileName reports whether the go command reads a file of that name, and
// whether the name can stand in a comment as one word of a go:generate line.
func fileName(name string) bool {
	for _, r := range name {
		if strings.ContainsRune(" \"/\\:", r) || !strconv.IsPrint(r) {
			return false
		}
	}
	return len(name) > len(".go") && filepath.Ext(name) == ".go" && name[0] != '_' && name[0] != '.'
}

// sourceError is something wrong in the Go files that were read.
type sourceError struct {
	pos token.Position
	msg string
}

func (e *sourceError) Error() string { return e.pos.String() + ": " + e.msg }
