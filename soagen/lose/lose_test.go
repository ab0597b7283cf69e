package lose

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var counts = flag.Bool("counts", false, "TestLose counts instructions, too, by valgrind, and prints them as lines of benchmarks")

// visited is how many elements an operation visits: the next ones in the order of the loop, and
// then the first again.
const visited = 4096

// elements are the sizes that are measured.
var elements = []int{8, 64, 1024, 32768, 1 << 20}

// book has orders in both layouts, and the order in which to visit them at random.
type book struct {
	slice   []Order
	columns *OrderSoA
	shuffle []int32
	next    int // the first element of the next operation
}

func newBook(n int) *book {
	b := &book{slice: make([]Order, n), columns: NewOrderSoA(n), shuffle: make([]int32, n)}
	r := rand.New(rand.NewPCG(1, 2))
	for i := range b.slice {
		for _, field := range reflect.ValueOf(&b.slice[i]).Elem().Fields() {
			field.SetInt(r.Int64())
		}
		b.shuffle[i] = int32(i)
	}
	b.columns.AppendSlice(b.slice)
	r.Shuffle(n, func(i, j int) { b.shuffle[i], b.shuffle[j] = b.shuffle[j], b.shuffle[i] })
	return b
}

// visit calls a loop for the next elements, a part at a time that ends where the book does.
func (b *book) visit(loop func(b *book, from, to int) int64) (sum int64) {
	for left := visited; left > 0; {
		to := min(len(b.slice), b.next+left)
		sum += loop(b, b.next, to)
		left -= to - b.next
		if b.next = to; to == len(b.slice) {
			b.next = 0
		}
	}
	return sum
}

// loop adds up one field or all, of the elements from one to another.
type loop func(b *book, from, to int) int64

// loops are the ways of visiting, each by a slice of structs, by columns and by At.
var loops = []struct {
	name              string
	slice, column, at loop
}{
	{"fields=one/order=in-order", (*book).one, (*book).oneColumn, (*book).oneAt},
	{"fields=all/order=in-order", (*book).all, (*book).allColumns, (*book).allAt},
	{"fields=one/order=at-random", (*book).oneRandom, (*book).oneRandomColumn, (*book).oneRandomAt},
	{"fields=all/order=at-random", (*book).allRandom, (*book).allRandomColumns, (*book).allRandomAt},
}

func (b *book) one(from, to int) (sum int64) {
	s := b.slice[from:to]
	for i := range s {
		sum += s[i].Quantity
	}
	return sum
}

func (b *book) oneColumn(from, to int) (sum int64) {
	for _, quantity := range b.columns.Quantity()[from:to] {
		sum += quantity
	}
	return sum
}

func (b *book) oneAt(from, to int) (sum int64) {
	for i := from; i < to; i++ {
		sum += b.columns.At(i).Quantity
	}
	return sum
}

func (o *Order) sum() int64 {
	return o.ID + o.Account + o.Symbol + o.Time + o.Price + o.Quantity + o.Filled + o.Flags
}

func (b *book) all(from, to int) (sum int64) {
	s := b.slice[from:to]
	for i := range s {
		sum += s[i].sum()
	}
	return sum
}

func (b *book) allColumns(from, to int) (sum int64) {
	c := b.columns
	id, account, symbol, time := c.ID()[from:to], c.Account()[from:], c.Symbol()[from:], c.Time()[from:]
	price, quantity := c.Price()[from:], c.Quantity()[from:]
	filled, flags := c.Filled()[from:], c.Flags()[from:]
	n := len(id)
	account, symbol, time = account[:n], symbol[:n], time[:n]
	price, quantity, filled, flags = price[:n], quantity[:n], filled[:n], flags[:n]
	for i := range n {
		sum += id[i] + account[i] + symbol[i] + time[i] + price[i] + quantity[i] + filled[i] + flags[i]
	}
	return sum
}

func (b *book) allAt(from, to int) (sum int64) {
	for i := from; i < to; i++ {
		o := b.columns.At(i)
		sum += o.sum()
	}
	return sum
}

func (b *book) oneRandom(from, to int) (sum int64) {
	for _, i := range b.shuffle[from:to] {
		sum += b.slice[i].Quantity
	}
	return sum
}

func (b *book) oneRandomColumn(from, to int) (sum int64) {
	quantity := b.columns.Quantity()
	for _, i := range b.shuffle[from:to] {
		sum += quantity[i]
	}
	return sum
}

func (b *book) oneRandomAt(from, to int) (sum int64) {
	for _, i := range b.shuffle[from:to] {
		sum += b.columns.At(int(i)).Quantity
	}
	return sum
}

func (b *book) allRandom(from, to int) (sum int64) {
	for _, i := range b.shuffle[from:to] {
		sum += b.slice[i].sum()
	}
	return sum
}

func (b *book) allRandomColumns(from, to int) (sum int64) {
	c := b.columns
	id, account, symbol, time := c.ID(), c.Account(), c.Symbol(), c.Time()
	price, quantity, filled, flags := c.Price(), c.Quantity(), c.Filled(), c.Flags()
	for _, i := range b.shuffle[from:to] {
		sum += id[i] + account[i] + symbol[i] + time[i] + price[i] + quantity[i] + filled[i] + flags[i]
	}
	return sum
}

func (b *book) allRandomAt(from, to int) (sum int64) {
	for _, i := range b.shuffle[from:to] {
		o := b.columns.At(int(i))
		sum += o.sum()
	}
	return sum
}

var sink int64

// BenchmarkLose: an operation visits 4,096 elements.
func BenchmarkLose(b *testing.B) {
	books := map[int]*book{}
	for _, l := range loops {
		for _, n := range elements {
			for _, way := range []struct {
				name string
				loop loop
			}{{"slice", l.slice}, {"column", l.column}, {"At", l.at}} {
				b.Run(fmt.Sprintf("%s/elements=%d/by=%s", l.name, n, way.name), func(b *testing.B) {
					if books[n] == nil {
						books[n] = newBook(n)
					}
					for b.Loop() {
						sink += books[n].visit(way.loop)
					}
				})
			}
		}
	}
}

// All layouts have the same elements, and a loop visits each of them as often as another.
func TestLose(t *testing.T) {
	for _, n := range elements[:4] {
		b, want := newBook(n), int64(0)
		for _, o := range b.slice {
			want += o.Quantity
		}
		for _, l := range loops {
			sums := map[int64]bool{}
			for _, loop := range []loop{l.slice, l.column, l.at} {
				sum := int64(0)
				for range max(1, n/visited) {
					sum += b.visit(loop)
				}
				sums[sum] = true
			}
			require.Len(t, sums, 1, "%s, %d elements", l.name, n)
			if strings.HasPrefix(l.name, "fields=one") {
				require.Contains(t, sums, want*int64(max(1, visited/n)), "%s, %d elements", l.name, n)
			}
		}
	}
	if *counts {
		countAll(t)
	}
}

// countAll prints the instructions of each loop, of 1,024 elements.
func countAll(t *testing.T) {
	for _, l := range loops {
		for _, by := range []string{"slice", "column", "At"} {
			name := fmt.Sprintf("Lose/%s/elements=1024/by=%s", l.name, by)
			const n = 100
			once, twice := instructions(t, name, n), instructions(t, name, 2*n)
			fmt.Printf("BenchmarkInstructions/%s/by=%s 1 %.2g instructions/element\n", l.name, by, float64(twice-once)/n/visited)
		}
	}
}

// instructions runs n iterations of a benchmark in valgrind.
func instructions(t *testing.T, name string, n int) int {
	file := filepath.Join(t.TempDir(), "counts")
	exact := "^Benchmark" + strings.ReplaceAll(name, "/", "$/^") + "$"
	cmd := exec.Command("valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file="+file,
		os.Args[0], "-test.run=^$", "-test.bench="+exact, "-test.benchtime="+strconv.Itoa(n)+"x")
	cmd.Env = append(os.Environ(), "GOMAXPROCS=1", "GOGC=off", "GODEBUG=asyncpreemptoff=1,cpu.rdtscp=off")
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	sum := regexp.MustCompile(`(?m)^summary: (\d+)`).FindSubmatch(text)
	require.NotNil(t, sum, "no sum in what cachegrind wrote")
	count, err := strconv.Atoi(string(sum[1]))
	require.NoError(t, err)
	return count
}
