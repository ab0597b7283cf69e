package measure

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"maps"
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
			for i, run := range r.Slices {
				fmt.Printf("a line\nBenchmark%s %d 2e9 ns/op\nand a half%s{\"Took\":%[2]d}\n", run.Name, 3+i, mark)
			}
		}
		fmt.Print(strings.Repeat("much\n", 1<<18))
	case "fails":
		in.Scan()
		fmt.Printf("BenchmarkA 1 2 ns/op\n%s{}\n--- FAIL: BenchmarkB\n    a_test.go:12: no apples\n%[1]s{}\n", mark)
		in.Scan()
	case "forgets":
		in.Scan()
		fmt.Printf("BenchmarkA 1 2 ns/op\n%s{}\nBenchmarkA 1 2 ns/op\n%[1]s{}\n", mark)
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
	request := Request{Slices: []Run{{Name: "A"}, {Name: "B"}}}
	for range 2 {
		slices, err := p.Ask(request)
		require.NoError(t, err)
		two := map[string]float64{"sec/op": 2}
		assert.Equal(t, []Slice{{Name: "A", N: 3, Took: 3, Values: two}, {Name: "B", N: 4, Took: 4, Values: two}}, slices)
	}
	assert.NoError(t, p.Close(), "what it prints is read to the end")

	for does, want := range map[string]string{
		"fails":   "B: a_test.go:12: no apples",
		"forgets": "B is not among the benchmarks of ",
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

func TestParse(t *testing.T) {
	text := `goos: linux
BenchmarkA-2         	     100	        16 ns/op	 2.00 MB/s	       3.5 apples	       8 B/op	       1 allocs/op
BenchmarkB/x=1/y     	       7	       3 pears
BenchmarkC           	--- FAIL: BenchmarkC/bad
    a_test.go:12: no apples
    a_test.go:13: nor pears
--- FAIL: BenchmarkC
`
	assert.Equal(t, []Slice{
		{Name: "C/bad", Failure: "a_test.go:12: no apples"},
		{Name: "A-2", N: 100, Took: 0.25, Values: map[string]float64{"sec/op": 16e-9, "B/s": 2e6, "apples": 3.5, "B/op": 8, "allocs/op": 1}},
		{Name: "B/x=1/y", N: 7, Took: 0.25, Values: map[string]float64{"pears": 3}},
	}, readSlices(text, Spent{Took: 0.25}))
}

// What others had of the time does not count.
func TestAccount(t *testing.T) {
	values := func() map[string]float64 {
		return map[string]float64{"sec/op": 2e-3, "B/s": 1e6, "B/op": 64, "rays/s": 3}
	}
	for _, tt := range []struct {
		name  string
		spent Spent              // 0.008 s were timed
		want  map[string]float64 // what changes, or is added
	}{
		{"alone", Spent{Took: 0.010}, nil},
		{"a fifth", Spent{Took: 0.010, Waited: 0.002}, map[string]float64{"sec/op": 1.6e-3, "B/s": 1.25e6}},
		{"more than half", Spent{Took: 0.010, Waited: 0.006}, nil},
		{"both processors", Spent{Took: 0.010, Used: 0.018}, map[string]float64{Processors: 2}},
		{"one of them", Spent{Took: 0.010, Used: 0.010}, map[string]float64{Processors: 1}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := Slice{N: 4, Took: tt.spent.Took, Values: values()}
			r.account(tt.spent)
			want := values()
			maps.Copy(want, tt.want)
			assert.InDeltaMapValues(t, want, r.Values, 1e-9)
		})
	}
}
