package measure

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestChild is no test, but what a process of these tests does.
func TestChild(t *testing.T) {
	in := bufio.NewScanner(os.Stdin)
	switch os.Getenv("CHILD") {
	case "":
		t.Skip("is run by others")
	case "chatty": // and prints at its end
		for in.Scan() {
			var r Request
			if err := json.Unmarshal(in.Bytes(), &r); err != nil {
				t.Fatal(err)
			}
			text, _ := json.Marshal(r.Slices)
			fmt.Printf("a line\nand a half%s%s\n", mark, text)
		}
		fmt.Print(strings.Repeat("much\n", 1<<18))
	case "refuses":
		in.Scan()
		fmt.Printf("%s[{\"Name\":\"A\"},{\"Name\":\"B\",\"Failure\":\"no such benchmark\"}]\n", mark)
		in.Scan()
	case "forgets":
		in.Scan()
		fmt.Printf("%s[{\"Name\":\"A\"}]\n", mark)
		in.Scan()
	case "panics":
		in.Scan()
		fmt.Println("warming up")
		panic("out of apples")
	}
}

func child(t *testing.T, ctx context.Context, does string) Server {
	cmd := exec.CommandContext(ctx, os.Args[0], "-test.run=^TestChild$")
	cmd.Env = append(os.Environ(), "CHILD="+does)
	p, err := Start(ctx, cmd)
	require.NoError(t, err)
	return p
}

func TestProcess(t *testing.T) {
	p := child(t, t.Context(), "chatty")
	request := Request{Slices: []Slice{{Name: "A", N: 3, Values: map[string]float64{"sec/op": 2}}, {Name: "B"}}}
	for range 2 {
		slices, err := p.Ask(request)
		require.NoError(t, err)
		assert.Equal(t, request.Slices, slices)
	}
	assert.NoError(t, p.Close(), "what it prints is read to the end")

	for does, want := range map[string]string{
		"refuses": "B: no such benchmark",
		"forgets": "ran 1 slices; want 2",
		"panics":  "the process ended: exit status 2: panic: out of apples",
	} {
		_, err := child(t, t.Context(), does).Ask(request)
		assert.ErrorContains(t, err, want)
	}
	ctx, cancel := context.WithCancel(t.Context())
	p = child(t, ctx, "chatty")
	cancel()
	_, err := p.Ask(request)
	assert.ErrorIs(t, err, context.Canceled)
}
