package apiprof_test

import (
	"os"
	"time"

	"raysteps/common/apiprof"
)

// The package has an API and says so once.
var profile = &apiprof.API{Name: "table", Clock: clock}

type table map[string]string

func (t table) get(w *apiprof.Worker, key string) string {
	w.Enter()
	defer w.Leave()
	pass(2 * time.Microsecond)
	return t[key]
}

// first calls get, which counts as one call of the API.
func (t table) first(w *apiprof.Worker, keys ...string) string {
	w.Enter()
	defer w.Leave()
	for _, key := range keys {
		if value := t.get(w, key); value != "" {
			return value
		}
	}
	return ""
}

// The clock of this example moves by what the calls are meant to take, so that
// the lines are always the same.
var now time.Duration

func clock() time.Duration { return now }
func pass(d time.Duration) { now += d }

func Example() {
	profile.Log = os.Stdout
	t := table{"b": "found"}
	w := profile.Worker(3)
	defer w.Flush()
	for range 6481 {
		t.first(w, "a", "b", "c")
		pass(200 * time.Microsecond) // outside
	}
	// Output:
	// worker 3: 20/1000 ms in "table", 2.0 %, 4903 calls
	// worker 3: 6/322 ms in "table", 2.0 %, 1578 calls
}
