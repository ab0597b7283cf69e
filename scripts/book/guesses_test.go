package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"raysteps/scripts/internal/cli"
)

// A folder of files becomes a page with a strip for each question that has an answer.
func TestGuesses(t *testing.T) {
	if testing.Short() {
		t.Skip("not tested with -short: reads the results of all machines")
	}
	asked, err := opened(t).predictions()
	require.NoError(t, err)
	for _, p := range asked {
		assert.Regexp(t, "How (fast|long)", p.Question, "which says whether more is slower")
	}
	folder, page := t.TempDir(), filepath.Join(t.TempDir(), "page.html")
	for i, value := range []float64{0.9, 1.2, 1.2, 4} {
		answers := map[string]guess{asked[0].Key: {"slower", value}, "docs/step99.md: Gone?": {"same", 1}}
		if i == 0 {
			answers[asked[1].Key] = guess{"", 2} // of a page that asked for a number alone
		}
		text, err := json.Marshal(guesses{"guesses", answers})
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(folder, fmt.Sprintf("%d.json", i)), text, 0o666))
	}
	var out bytes.Buffer
	require.NoError(t, opened(t).drawGuesses(&cli.Env{Stdout: &out}, folder, page))
	assert.Equal(t, "4 files, 2 questions; open "+page+"\n", out.String())
	text, err := os.ReadFile(page)
	require.NoError(t, err)
	html := string(text)
	assert.Equal(t, 2, bytes.Count(text, []byte("<section>")))
	assert.Equal(t, 5, bytes.Count(text, []byte(`<circle class="guess"`)))
	assert.Contains(t, html, "4 readers; 2 of")
	assert.Contains(t, html, "4 answers are to questions that this book does not ask")
	assert.Contains(t, html, "half of them from 0.9 to 4")
	assert.Contains(t, html, "The book: "+asked[0].Ours+". Measured: "+asked[0].Measured+".")
	entries, err := os.ReadDir(filepath.Dir(page))
	require.NoError(t, err)
	assert.Len(t, entries, 1, "nothing but the page")
}

// The sign is that of the time or of the speed, and the strip has it from left to right.
func TestStrip(t *testing.T) {
	for _, tt := range []struct {
		ratio  float64
		slower bool
		want   string
	}{{1.5, false, "faster"}, {1.5, true, "slower"}, {0.9, false, "slower"}, {0.9, true, "faster"}, {1.015, false, "same"}} {
		assert.Equal(t, tt.want, signOf(tt.ratio, tt.slower), tt)
	}
	p := prediction{Key: "k", Ours: "1.5", Measured: "2.0"}
	all := []guesses{}
	for _, v := range []float64{0.5, 3, 3, 3} {
		all = append(all, guesses{Answers: map[string]guess{"k": {signOf(v, false), v}}})
	}
	s := newStrip(p, all)
	require.NotNil(t, s)
	assert.Equal(t, []any{4, 3, 0.5, 3.}, []any{s.Count, s.Right, s.Low, s.High})
	assert.Less(t, s.Dots[0].X, s.OursX)
	assert.Less(t, s.OursX, s.CameX)
	assert.Less(t, s.CameX, s.Dots[1].X)
	assert.Equal(t, s.Dots[1].X, s.Dots[2].X)
	assert.Less(t, s.Dots[2].Y, s.Dots[1].Y, "on each other")
	assert.Nil(t, newStrip(prediction{Key: "other", Ours: "1", Measured: "1"}, all), "nobody answered")
	assert.Nil(t, newStrip(prediction{Key: "k", Ours: "1"}, all), "not measured")
}

func TestGuessesRefused(t *testing.T) {
	if testing.Short() {
		t.Skip("not tested with -short: opens the book seven times")
	}
	folder := t.TempDir()
	file := filepath.Join(folder, "a.json")
	for _, tt := range []struct {
		name, text, want string
		status           int
	}{
		{"nothing", "", "has no .json file", cli.ExitMisuse},
		{"damaged", `{"raysteps": "gue`, "a.json: no guesses; want a file that", cli.ExitFailure},
		{"another", `{"a": 1}`, "a.json: no guesses; want a file that", cli.ExitFailure},
		{"zero", `{"raysteps": "guesses", "answers": {"k": {"sign": "same", "value": 0}}}`, `a.json: k: "same", 0; want`, cli.ExitFailure},
		{"a sign", `{"raysteps": "guesses", "answers": {"k": {"sign": "up", "value": 2}}}`, `a.json: k: "up", 2; want`, cli.ExitFailure},
	} {
		if tt.text != "" {
			require.NoError(t, os.WriteFile(file, []byte(tt.text), 0o666))
		}
		status, stderr := execute(t, "-guesses", folder, "-o", filepath.Join(folder, "page.html"))
		assert.Equal(t, tt.status, status, tt.name)
		assert.Contains(t, stderr, tt.want, tt.name)
		assert.NoFileExists(t, filepath.Join(folder, "page.html"))
	}
	require.NoError(t, os.WriteFile(file, []byte(`{"raysteps": "guesses", "answers": {}}`), 0o666))
	for _, args := range [][]string{{"-guesses", folder}, {"-guesses", folder, "-o", filepath.Join(folder, "no", "page.html")}} {
		status, stderr := execute(t, args...)
		assert.Equal(t, cli.ExitMisuse, status, stderr)
	}
}
