package steptest

import (
	"fmt"
	"image"
	"math"
	"math/rand/v2"
	"os"
	"runtime"
	"strconv"
	"sync"
	"testing"

	"raysteps/common"
	"raysteps/common/answers"
	"raysteps/common/film"
	"raysteps/common/scene"
)

// Bench is the benchmark of a step that renders on one core: rays per second for each of the three
// scenes, whose building is not timed. What is rendered is the real picture, in parts:
// see BenchScene. It prints its settings as configuration lines of the Go benchmark
// format, for whoever reads the output later, and the kernel that runs, unless it is
// the one that the step is about: figures of a plain version never pass for those of
// SIMD instructions, nor those of one kernel for another's.
func Bench[T common.Tracer](b *testing.B, newTracer func(*scene.Scene) T) {
	bench(b, newTracer, 0)
}

// BenchWorkers is the benchmark of a step that renders on all processors.
func BenchWorkers[T common.Tracer](b *testing.B, newTracer func(*scene.Scene) T) {
	bench(b, newTracer, runtime.GOMAXPROCS(0))
}

func bench[T common.Tracer](b *testing.B, newTracer func(*scene.Scene) T, workers int) {
	s := common.Default()
	fmt.Printf("size: parts of %dx%d\nsamples: %d\n", s.Width, s.Height, s.Samples)
	if workers > 0 {
		fmt.Println("workers:", workers)
	}
	k, ok := any(newTracer(scene.Small())).(common.KernelTracer)
	if ok && k.Kernel() != answers.Kernel(stepOf[T]()) {
		fmt.Println("kernel:", k.Kernel())
	}
	for _, sc := range builtin() {
		b.Run("scene="+sc.Name, func(b *testing.B) { BenchScene(b, newTracer, sc, workers) })
	}
}

// CycleVariable is the environment variable from whose number a run draws what it
// renders. Runs that are compared with each other get the same, so that they render
// the same blocks; without it, the runs of a process count from 0.
const CycleVariable = "RAYSTEPS_CYCLE"

var (
	runs = map[string]uint64{} // that had no cycle, by name

	// picture is the film of all runs. Its pixels are written once, or the system would
	// hand out their memory while the clock runs.
	picture = sync.OnceValue(func() *film.Film {
		s := common.Default()
		f := film.New(s.Width, s.Height)
		for x, y := range f.Pixels() {
			f.SetMean(x, y, 0, 0, 0)
		}
		return f
	})
)

// BenchScene is the benchmark of a tracer in one scene. An operation renders a set of
// blocks of the picture of 1280x720 with ten samples a pixel; the next operation renders
// the next set. How many blocks there are depends on the scene and on nothing else, so
// the work is the same for all tracers that are compared. A tracer that renders on
// several goroutines has larger blocks, and more of them the more workers there are; for
// others, workers is 0.
func BenchScene[T common.Tracer](b *testing.B, newTracer func(*scene.Scene) T, sc *scene.Scene, workers int) {
	cycle, err := strconv.ParseUint(os.Getenv(CycleVariable), 10, 64)
	if err != nil {
		cycle = runs[b.Name()]
		runs[b.Name()]++
	}
	tracer, f, s := newTracer(sc), picture(), common.Default()
	var windows []*film.Film
	if s.Workers = workers; workers > 0 {
		// An operation renders a share, of some 46 tiles for each worker.
		shares := max(2, 20/workers)
		for i := range shares {
			windows = append(windows, f.Window(share(f, (int(cycle%uint64(shares))+i)%shares, shares)...))
		}
	} else {
		// A step on one core has no idle processors of the runtime spinning beside it.
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
		random := rand.New(rand.NewPCG(cycle, 0))
		for range 32 {
			windows = append(windows, f.Window(blocks(f, random, cells(len(sc.Spheres)))...))
		}
	}
	rays := int64(0)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		rays += tracer.Render(windows[i%len(windows)], s)
	}
	b.ReportMetric(float64(rays)/float64(b.N), "rays/op")
	b.ReportMetric(float64(rays)/b.Elapsed().Seconds(), "rays/s")
}

// cells returns into how many columns and rows a picture is divided, of which an
// operation renders a block each. A step takes longer for a ray the more spheres there
// are, and so has fewer blocks: some 3 ms of work for step 1 in each of the scenes. Many
// blocks are rendered at once as each render begins with the same random numbers: if
// it were short, the processor would know its branches by heart.
func cells(spheres int) int { return max(2, int(math.Sqrt(1500/float64(spheres+8)))) }

// blocks returns a block of 8x4 pixels in each cell of the film, in random order. Each
// pixel of the picture is as likely as any other.
func blocks(f *film.Film, random *rand.Rand, cells int) (blocks []image.Rectangle) {
	size := image.Pt(8, 4)
	// at returns where a block of column or row i of the cells begins.
	at := func(i, side, block int) int {
		n := side / block
		return (i*n + random.IntN(n)) / cells * block
	}
	for _, cell := range random.Perm(cells * cells) {
		from := image.Pt(at(cell/cells, f.Width, size.X), at(cell%cells, f.Height, size.Y))
		blocks = append(blocks, image.Rectangle{from, from.Add(size)})
	}
	return blocks
}

// share returns one of several shares of the picture: blocks of whole tiles on diagonals.
func share(f *film.Film, number, shares int) (blocks []image.Rectangle) {
	const side = 64
	for y := 0; y*side < f.Height; y++ {
		for x := 0; x*side < f.Width; x++ {
			if (x+7*y+number)%shares == 0 {
				blocks = append(blocks, image.Rect(x*side, y*side, (x+1)*side, (y+1)*side))
			}
		}
	}
	return blocks
}
