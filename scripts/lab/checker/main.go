// Checker renders the pictures that a lab is held to. scripts/lab links it with the
// lab's package, gives it the pictures in JSON on standard input, and reads one line
// of JSON for each; nobody else runs it. The file variants.go, which holds the lab's
// constructor, is put in place by an overlay of the go command.
package main

import (
	"crypto/md5"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"time"

	"raysteps/common"
	"raysteps/common/film"
	"raysteps/common/scene"
)

// variants holds the lab.
var variants = map[string]func(*scene.Scene) common.Tracer{}

// picture is what is asked for and, in the answer, what came of it.
type picture struct {
	Scene           string
	Settings        common.Settings
	First, Second   string // rays and MD5 of two renders by one tracer
	OtherGoroutines int    // while it rendered, the median of samples
}

func main() {
	decoder := json.NewDecoder(os.Stdin)
	stdout := os.Stdout
	os.Stdout = os.Stderr // what a lab prints is no answer
	for {
		var p picture
		if err := decoder.Decode(&p); err == io.EOF {
			return
		} else if err != nil {
			fail(err)
		}
		if err := p.render(); err != nil {
			fail(err)
		}
		if err := json.NewEncoder(stdout).Encode(p); err != nil {
			fail(err)
		}
	}
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

// render renders the picture, and again and again for a while.
func (p *picture) render() error {
	sc, err := scene.ByName(p.Scene)
	if err != nil {
		return err
	}
	f := film.New(p.Settings.Width, p.Settings.Height)
	var tracer common.Tracer
	for _, newTracer := range variants {
		tracer = newTracer(sc)
	}
	rays := tracer.Render(f, p.Settings)
	p.First = answer(f, rays)
	p.OtherGoroutines = countGoroutines(func() {
		for start := time.Now(); time.Since(start) < 30*time.Millisecond; {
			rays = tracer.Render(f, p.Settings)
		}
	})
	p.Second = answer(f, rays)
	return nil
}

func answer(f *film.Film, rays int64) string {
	hash := md5.New()
	if err := f.WriteTGA(hash); err != nil {
		fail(err) // an MD5 does not fail
	}
	return fmt.Sprintf("%d %x", rays, hash.Sum(nil))
}

// countGoroutines returns how many there are while f runs, without those that were
// there before: the median of samples, so that a moment in which the last ones of a
// picture end and the next begin does not count.
func countGoroutines(f func()) int {
	others := runtime.NumGoroutine() + 1 // and the one that counts
	stop, counted := make(chan struct{}), make(chan []int)
	go func() {
		var counts []int
		for {
			counts = append(counts, runtime.NumGoroutine()-others)
			select {
			case <-stop:
				counted <- counts
				return
			case <-time.After(100 * time.Microsecond):
			}
		}
	}()
	f()
	close(stop)
	counts := <-counted
	slices.Sort(counts)
	return counts[len(counts)/2]
}
