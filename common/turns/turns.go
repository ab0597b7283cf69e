// Package turns is the measured side of a measurement. A program that is measured
// serves slices, some milliseconds of work each, of its subjects. The parent process
// decides whose turn it is, so that what is compared takes turns in one program or in
// several, and what slows the machine for a moment slows all alike.
//
// A request and a reply are a line of JSON each, on standard input and standard
// output. The parent asks for the slices of a cycle in one request, as far as they
// are of one program, so nothing waits for it between them. What a slice says goes to
// the parent as it is: no statistic is computed here.
//
// The package imports the standard library alone, as its source is put beside the
// tests of packages that know nothing of this module.
package turns

import (
	"bufio"
	"bytes"
	_ "embed" // for Source
	"encoding/json"
	"fmt"
	"io"
	"os"
)

// Source is the text of this file, for an overlay.
//
//go:embed turns.go
var Source string

// Subject is something that is measured in slices.
type Subject struct {
	Name   string            // of its benchmark, without "Benchmark": Render/scene=large-2
	Config map[string]string `json:",omitempty"` // configuration of its lines, such as pkg
	// Slice does the work of a slice and returns what it measured by unit: nothing, if
	// there is nothing to say.
	Slice func(Request) (Values, error) `json:"-"`
}

// Values are what a slice says, by unit.
type Values map[string]float64

// SliceTime is the unit of how long a slice took. It is for whoever decides what a
// slice is, and no result.
const SliceTime = "slice-sec"

// Request is what a parent asks for: to load a group of subjects, in place of those
// that are loaded, or for slices of some.
type Request struct {
	Load     json.RawMessage `json:",omitempty"` // the group, in terms of the program
	Subjects []int           `json:",omitempty"` // that have a slice, in this order
	// Cycle is the same for all slices that are compared with each other. Subjects that
	// can draw their work at random draw it from this number.
	Cycle uint64
	// Nanoseconds is how long a slice of a subject is to take that can choose.
	Nanoseconds int64
}

// Reply answers a request.
type Reply struct {
	Subjects []Subject `json:",omitempty"` // that were loaded
	Slices   []Values  `json:",omitempty"` // in the order of the request
	Error    string    `json:",omitempty"` // after which the program ends
}

// Mark begins the line of a reply: a program may print others.
const Mark = "\x02turns "

// Serve answers requests on standard input until it ends. What the program prints
// from now on goes to standard error.
func Serve(load func(group json.RawMessage) ([]Subject, error)) error {
	out := os.Stdout
	os.Stdout = os.Stderr
	return serve(os.Stdin, out, load)
}

func serve(in io.Reader, out io.Writer, load func(json.RawMessage) ([]Subject, error)) error {
	var subjects []Subject
	for requests := json.NewDecoder(bufio.NewReader(in)); ; {
		var request Request
		if err := requests.Decode(&request); err == io.EOF {
			return nil
		} else if err != nil {
			return fmt.Errorf("a request for slices: %w", err)
		}
		var reply Reply
		var err error
		if request.Load != nil {
			subjects, err = load(request.Load)
			reply.Subjects = subjects
		}
		for _, i := range request.Subjects {
			if err == nil && (i < 0 || i >= len(subjects)) {
				err = fmt.Errorf("a slice of subject %d is asked for; want one of %d", i, len(subjects))
			}
			if err != nil {
				break
			}
			var values Values
			values, err = subjects[i].Slice(request)
			reply.Slices = append(reply.Slices, values)
		}
		if err != nil {
			reply = Reply{Error: err.Error()}
		}
		text, failure := json.Marshal(reply)
		if failure != nil { // such as a rate that is no number
			return failure
		}
		line := bytes.Join([][]byte{[]byte(Mark), text, []byte("\n")}, nil)
		if _, failure := out.Write(line); err == nil && failure != nil {
			return failure
		}
		if err != nil {
			return err
		}
	}
}

// ReadReply reads lines up to the next reply. It returns what else was printed before
// it, and io.ErrUnexpectedEOF if there is no reply.
func ReadReply(r *bufio.Reader) (reply Reply, printed string, err error) {
	for {
		line, err := r.ReadString('\n')
		// A program may have printed the beginning of the line.
		text, marked := "", false
		if before, after, found := bytes.Cut([]byte(line), []byte(Mark)); found {
			line, text, marked = string(before), string(after), true
		}
		printed += line
		switch {
		case marked && err == nil:
			return reply, printed, json.Unmarshal([]byte(text), &reply)
		case err == io.EOF:
			return reply, printed, io.ErrUnexpectedEOF
		case err != nil:
			return reply, printed, err
		}
	}
}
