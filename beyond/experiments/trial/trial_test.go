package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestRewrite(t *testing.T) {
	const find, call = `raystepsWork = raystepsPlanted(b.Name()); `, ` raystepsWork();`
	for _, tt := range []struct{ name, body, want string }{
		{"for", `for i := 0; i < b.N; i++ { f() }`, find + `for i := 0; i < b.N; i++ {` + call + ` f() }`},
		{"range", `for range b.N { f() }`, find + `for range b.N {` + call + ` f() }`},
		{"Loop", `for b.Loop() { f() }`, find + `for b.Loop() {` + call + ` f() }`},
		{"sub-benchmark", `b.Run("x", func(b *testing.B) { for b.Loop() { f() } })`, `b.Run("x", func(b *testing.B) { ` + find + `for b.Loop() {` + call + ` f() } })`},
		{"a loop in a loop", `for b.Loop() { for range 3 { f() } }`, find + `for b.Loop() {` + call + ` for range 3 { f() } }`},
		{"no loop", `if b.N > 1 { for b.Next() { f() } }`, `if b.N > 1 { for b.Next() { f() } }`},
	} {
		assert.Equal(t, tt.want, string(rewrite([]byte(tt.body))), tt.name)
	}
}

func TestDraw(t *testing.T) {
	draws := func(seed uint64) []row {
		rows := make([]row, 10)
		for i := range rows {
			rows[i].seconds = 1e-6
		}
		draw(rows, 1e-9, rand.New(rand.NewPCG(seed, 0)))
		return rows
	}
	counts := map[int]int{}
	for _, r := range draws(1) {
		counts[r.more]++
		assert.InDelta(t, r.class, r.planted(1e-9), 1e-9)
	}
	assert.Equal(t, map[int]int{0: 4, 5: 1, 10: 1, 20: 3, 50: 1}, counts)
	assert.Equal(t, draws(1), draws(1))
	assert.NotEqual(t, draws(1), draws(2))
}

// A planted package builds, both its versions run, and the work is that of the row.
func TestPlant(t *testing.T) {
	if testing.Short() {
		t.Skip("not tested with -short: builds programs")
	}
	source := map[string]string{
		"go.mod":    "module example.com/x\n\ngo 1.21\n",
		"x.go":      "package x\n",
		"x_test.go": "package x\n\nimport \"testing\"\n\nfunc BenchmarkX(b *testing.B) {\n\tfor i := 0; i < b.N; i++ {\n\t}\n}\n",
	}
	rows := []row{{name: "X", more: 600}}
	for _, tt := range []struct {
		name      string
		rows      []row
		after     bool
		squarings int // in the source, with those of the other benchmarks
	}{
		{"probe", nil, false, base},
		{"old", rows, false, 2 * base},
		{"new", rows, true, base + block + (base+600)%block},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			for name, text := range source {
				require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
			}
			packages, err := rewriteAll(dir)
			require.NoError(t, err)
			require.NoError(t, plant(dir, packages, tt.rows, tt.after, 3))
			text, err := os.ReadFile(filepath.Join(dir, "raysteps_x_planted_test.go"))
			require.NoError(t, err)
			assert.Equal(t, 1+tt.squarings, strings.Count(string(text), "x *= x"))
			assert.Equal(t, len(tt.rows), strings.Count(string(text), "case \"BenchmarkX\":\n\t\treturn raystepsWork0\n"))
			p := &pair{subject: subject{bench: "X"}, folder: t.TempDir(), dirs: [2]string{dir}}
			file, err := p.link(t.Context(), 0, 0)
			require.NoError(t, err)
			out, err := output(t.Context(), dir, file, p.flags(time.Microsecond)...)
			require.NoError(t, err)
			assert.Regexp(t, line, out)
		})
	}
}

func TestJudge(t *testing.T) {
	var texts [2]strings.Builder
	for i := range 10 {
		for version, ns := range [][]float64{{1000, 1000, 1000}, {1050, 1050, 990}} {
			b := []float64{0, float64(i * 40), 0}
			for k, name := range []string{"A/x", "B", "C"} {
				fmt.Fprintf(&texts[version], "Benchmark%s 5 %g ns/op 8 B/op\n", name, ns[k]+b[k]+float64(i)/10)
			}
		}
	}
	got := judge(texts[0].String(), texts[1].String())
	require.Len(t, got, 3)
	for i, want := range []outcome{{row: "A/x", measured: 5, called: 1, apart: 1, gate: 1}, {row: "B", measured: 4.2}, {row: "C", measured: -1, called: -1, apart: -1}} {
		assert.InDelta(t, want.measured, got[i].measured, 0.1)
		got[i].measured, got[i].old = want.measured, 0
		assert.Equal(t, want, got[i])
	}
}

func TestReadVerdicts(t *testing.T) {
	row := func(verdict, ratio string) string {
		return `{"benchmark": "A", "unit": "sec/op", "old": 1e-6, "ratio": {"center": 1.05` + ratio + `}, "noise": {"center": 1.02, "lo": 1.01, "hi": 1.03}, "verdict": "` + verdict + `"}`
	}
	tests := []struct {
		name, row string
		want      outcome
	}{
		{"slower beyond the gate", row("slower", `, "lo": 1.03, "hi": 1.07`), outcome{called: 1, apart: 1, gate: 1}},
		{"slower", row("slower", `, "lo": 1.01, "hi": 1.09`), outcome{called: 1, apart: 1}},
		{"not certain among many", row("not known from this run", `, "lo": 1.03, "hi": 1.07`), outcome{apart: 1}},
		{"faster", row("faster by less than 1 %", `, "lo": 0.98, "hi": 0.995`), outcome{called: -1, apart: -1}},
		{"the same", row("the same within 2.0 %", `, "lo": 0.98, "hi": 1.01`), outcome{}},
		{"no interval", row("not known from this run", ``), outcome{}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := readVerdicts(`{"rows": [` + tt.row + `, {"benchmark": "A", "unit": "B/op", "verdict": "more"}]}`)
			require.NoError(t, err)
			require.Len(t, got, 1)
			assert.Equal(t, tt.want, outcome{called: got[0].called, apart: got[0].apart, gate: got[0].gate})
			assert.Equal(t, 1., got[0].same)
		})
	}
}

func TestCountWork(t *testing.T) {
	assert.Equal(t, map[string]int{"0": 30, "12": 5}, countWork("fn=x.raystepsWork0\n3 10 1\n4 20\nfn=x.f\n5 1000\nfn=x.raystepsWork12\n9 5\n"))
}

func TestWilson(t *testing.T) {
	for _, tt := range []struct {
		hits, n int
		lo, hi  float64 // Brown, Cai and DasGupta, 2001, have such figures
	}{{0, 10, 0, 0.2775}, {5, 10, 0.2366, 0.7634}, {10, 10, 0.7225, 1}, {1, 100, 0.0018, 0.0545}} {
		lo, hi := wilson(tt.hits, tt.n)
		assert.InDelta(t, tt.lo, lo, 1e-4)
		assert.InDelta(t, tt.hi, hi, 1e-4)
	}
}

// What is added is read again, and summed up by what was planted.
func TestSumUp(t *testing.T) {
	tr := &trial{out: filepath.Join(t.TempDir(), "trial.txt")}
	p := &pair{subject: subject{name: "fse"}, squaring: 1e-9, rows: []row{{"A/b", 1e-6, 0, 0}, {"B", 1e-6, 5, 50}}}
	for repetition, said := range [][]outcome{
		{{row: "A/b", called: -1, apart: -1}, {row: "B", called: 1, apart: 1, gate: 1, measured: 5.1}},
		{{row: "B", called: -1, apart: -1}, {row: "A/b", apart: 1, same: 1}}, // the wrong sign
	} {
		for _, way := range ways {
			require.NoError(t, tr.add(p, said, way.name, repetition+1, time.Minute))
		}
	}
	assert.ErrorContains(t, tr.add(p, nil, "ab", 3, time.Minute), "ab says nothing of A/b")
	var sums bytes.Buffer
	require.NoError(t, sumUp(tr.out, &sums))
	for _, want := range []string{
		"by=ab/change=0% 2 50 called-% 9.453 called-%-lo 90.55 called-%-hi 0 gate-%",
		"by=ab/change=5% 2 50 called-% 9.453 called-%-lo 90.55 called-%-hi 50 gate-%",
		"by=ab-intervals/change=0% 2 100 called-%",
	} {
		assert.Contains(t, sums.String(), "BenchmarkTrial/"+want)
	}
	assert.Contains(t, sums.String(), "BenchmarkOff/by=turns 4 25 off-% 4.559 off-%-lo 69.94 off-%-hi\n")
	assert.Contains(t, sums.String(), "BenchmarkSame/package=fse 6 50 contain-% ")
}
