// Soagen generates structure-of-arrays containers: for a struct Sphere it
// writes a type SphereSoA that is used as a []Sphere is, and keeps each field
// in a column of its own. A loop that needs one field then reads only that
// field, and vector code finds it aligned, padded and in one piece.
//
// Usage, in the file of the struct:
//
//	//go:generate go tool soagen -type Sphere
//
//	-type names      the structs, with commas between them
//	-soa name        the container, if it is not to be called as the struct and SoA
//	-output file     to write, if not that of the first struct, such as sphere_soa.go
//	-align bytes     that columns start on a multiple of: 16, 32 or 64, the default;
//	                 0 for columns that are each allocated on their own
//	-pad n           pad the columns to a multiple of n elements
//	-methods names   of methods, columns and New to generate; all without it
//	-check           write nothing; fail if the file is not what would be written
//
// More of the flags, and the struct tags, are in README.md. The steps from 05 on keep
// their spheres in such a container; nothing in the generator is about spheres.
//
// A run goes through the files in this order: main.go reads the command line,
// write.go protects files that are not generated, load.go finds the structs with
// the type checker, and missing.go says why one is not found; columns.go reads
// their fields and tags.go the tags, types.go finds out what their types are made
// of, and constraint.go where and with which Go they are built; names.go and
// words.go see to it that names do not collide, and generate.go fills in
// container.go.tmpl with what container.go and guards.go prepare.
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
	"go/types"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

func main() {
	os.Exit(run(".", os.Args[1:], loadPackage, os.Stdout, os.Stderr))
}

// run is the command, in the folder dir, whose package load reads. It returns the exit status.
func run(dir string, args []string, load loader, stdout, stderr io.Writer) int {
	opts, err := parse(args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		fmt.Fprint(stdout, usage())
		return 0
	case err != nil:
		fmt.Fprintf(stderr, "soagen: %v\n", err)
		return 2
	}
	if err := generateFile(dir, opts, load); err != nil {
		if errors.As(err, new(*sourceError)) {
			fmt.Fprintln(stderr, err)
		} else {
			fmt.Fprintf(stderr, "soagen: %v\n", err)
		}
		if errors.As(err, new(misuse)) {
			return 2
		}
		return 1
	}
	return 0
}

// options is the command line, with its defaults filled in except for soa.
type options struct {
	types   []string
	soa     string // or "" for the name of each type and SoA
	output  string
	align   int
	pad     int
	methods []string // of methodNames
	columns []string // or none, for all
	check   bool

	command string // the flags that were given, in a fixed order and without -check
}

const maxPad = 1024

func flags(o *options, typ, methods *string) *flag.FlagSet {
	fs := flag.NewFlagSet("soagen", flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	fs.StringVar(typ, "type", "", "`names` of the structs, with commas between them")
	fs.StringVar(&o.soa, "soa", "", "`name` of the container, for one struct (default: that of the struct and SoA)")
	fs.StringVar(&o.output, "output", "", "`file` to write, in the same folder (default: the first struct's name in lower case and _soa.go)")
	fs.IntVar(&o.align, "align", 64, "boundary in `bytes` that columns start on: 16, 32 or 64, in a block of memory that they share; 0 for columns on their own")
	fs.IntVar(&o.pad, "pad", 1, "pad the columns to a multiple of `n` elements")
	fs.StringVar(methods, "methods", "", "`names` of the methods and columns to generate, with those that they call; New is the constructor, Len and PaddedLen are always there, and all columns are if none is named (default: all)")
	fs.BoolVar(&o.check, "check", false, "write nothing; fail if the file is not what would be written")
	return fs
}

func usage() string {
	var b strings.Builder
	b.WriteString("usage: soagen -type names [flags], in the folder of the structs' package\n")
	fs := flags(new(options), new(string), new(string))
	fs.SetOutput(&b)
	fs.PrintDefaults()
	return b.String()
}

func parse(args []string) (options, error) {
	var o options
	var typ, methods string
	fs := flags(&o, &typ, &methods)
	if err := fs.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return o, err
		}
		return o, fmt.Errorf("%v; see soagen -help", err)
	}
	isSet := map[string]bool{}
	fs.Visit(func(f *flag.Flag) { isSet[f.Name] = true })
	var words []string
	for _, name := range []string{"type", "soa", "output", "align", "pad", "methods"} {
		if isSet[name] {
			words = append(words, "-"+name, fs.Lookup(name).Value.String())
		}
	}
	o.command = strings.Join(words, " ")
	if fs.NArg() > 0 {
		return o, fmt.Errorf("unexpected argument %q; want flags only, see soagen -help", fs.Arg(0))
	}
	for _, check := range []func() error{
		func() error { return o.setTypes(typ) },
		o.checkLayout,
		func() error { return o.setNames(isSet) },
		func() error { return o.setMethods(methods, isSet["methods"]) },
	} {
		if err := check(); err != nil {
			return o, err
		}
	}
	return o, nil
}

func (o *options) setTypes(typ string) error {
	if typ == "" {
		return errors.New("-type is missing; want the name of a struct")
	}
	o.types = strings.Split(typ, ",")
	for i, name := range o.types {
		if !token.IsIdentifier(name) || name == "_" {
			return fmt.Errorf("-type is %q; want names of structs, with commas between them", typ)
		}
		if slices.Contains(o.types[:i], name) {
			return fmt.Errorf("-type names %s twice; want each once", name)
		}
	}
	return nil
}

func (o *options) checkLayout() error {
	switch {
	case o.align != 0 && o.align != 16 && o.align != 32 && o.align != 64:
		return fmt.Errorf("-align is %d; want 16, 32 or 64, or 0 for columns on their own", o.align)
	case o.pad < 1 || o.pad > maxPad:
		return fmt.Errorf("-pad is %d; want 1 to %d", o.pad, maxPad)
	case o.align == 0 && o.pad > 1:
		return fmt.Errorf("-pad is %d and -align 0; want columns that are aligned, to pad them", o.pad)
	}
	return nil
}

func (o *options) setNames(isSet map[string]bool) error {
	if isSet["soa"] {
		// What Go declares itself would mean something else in the whole package.
		special := slices.Contains([]string{"_", "init", "main"}, o.soa) || types.Universe.Lookup(o.soa) != nil
		if special || !token.IsIdentifier(o.soa) {
			return fmt.Errorf("-soa is %q; want a name for the container", o.soa)
		}
		if len(o.types) > 1 {
			return fmt.Errorf("-soa names the container of one type, and -type has %d; want a run for each", len(o.types))
		}
	}
	if !isSet["output"] {
		o.output = strings.TrimLeft(strings.ToLower(o.types[0])+"_soa.go", "_")
	}
	if !fileName(o.output) {
		return fmt.Errorf("-output is %q; want the name of a .go file, without a folder", o.output)
	}
	return nil
}

func (o *options) setMethods(methods string, isSet bool) error {
	if !isSet {
		o.methods = methodNames
		return nil
	}
	for name := range strings.SplitSeq(methods, ",") {
		switch {
		case slices.Contains(methodNames, name):
			o.methods = append(o.methods, name)
		case token.IsIdentifier(name):
			o.columns = append(o.columns, name)
		default:
			return fmt.Errorf("-methods names %q; want columns, or some of %s", name, strings.Join(methodNames, ", "))
		}
	}
	return nil
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

// misuse is a type or a folder that was asked for and is not what soagen takes.
type misuse struct{ error }

func (m misuse) Unwrap() error { return m.error }

// sourceError is something wrong in the Go files that were read.
type sourceError struct {
	pos string // file:line:column
	msg string
}

func (e *sourceError) Error() string { return e.pos + ": " + e.msg }
