package turns_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"

	"raysteps/common/turns"
)

// A program with two subjects, whose main function would call Serve, and a parent that
// loads them and asks for a slice of each. Here both are one process with two pipes.
func Example() {
	load := func(group json.RawMessage) ([]turns.Subject, error) {
		power := func(name string, n int) turns.Subject {
			return turns.Subject{Name: name, Slice: func(r turns.Request) (turns.Values, error) {
				product := 1
				for range n {
					product *= int(r.Cycle)
				}
				return turns.Values{"product": float64(product)}, nil
			}}
		}
		return []turns.Subject{power("Square", 2), power("Cube", 3)}, nil
	}
	stdin, requests, _ := os.Pipe()
	replies, stdout, _ := os.Pipe()
	outer := os.Stdout
	os.Stdin, os.Stdout = stdin, stdout
	parent := json.NewEncoder(requests)
	parent.Encode(turns.Request{Load: json.RawMessage(`"powers"`)})
	parent.Encode(turns.Request{Subjects: []int{1, 0}, Cycle: 5})
	requests.Close()
	err := turns.Serve(load)
	os.Stdout = outer

	r := bufio.NewReader(replies)
	loaded, _, _ := turns.ReadReply(r)
	taken, _, _ := turns.ReadReply(r)
	fmt.Println(loaded.Subjects[0].Name, loaded.Subjects[1].Name, taken.Slices, err)
	// Output: Square Cube [map[product:125] map[product:25]] <nil>
}
