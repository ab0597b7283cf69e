package accesslog

import (
	"bytes"
	"flag"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write the report of a small log to testdata")

// The report of a small log is the known one.
func TestReport(t *testing.T) {
	report, err := Analyze(bytes.NewReader(Generate(1, 200)), Services)
	require.NoError(t, err)
	var got bytes.Buffer
	require.NoError(t, report.Write(&got))
	const golden = "testdata/report.json"
	if *update {
		require.NoError(t, os.WriteFile(golden, got.Bytes(), 0o666))
	}
	want, err := os.ReadFile(golden)
	require.NoError(t, err)
	assert.Equal(t, strings.ReplaceAll(string(want), "\r\n", "\n"), got.String())
}

func TestParse(t *testing.T) {
	const line = `10.0.0.7 - - [28/Nov/2026:19:24:01 +0100] "GET /a?b=c HTTP/1.1" 503 5321 "-" "curl/8.5 (x)" 0.012345`
	e, err := Parse(line)
	require.NoError(t, err)
	assert.True(t, e.Time.Equal(time.Date(2026, time.November, 28, 18, 24, 1, 0, time.UTC)))
	e.Time = time.Time{}
	assert.Equal(t, &Entry{Client: "10.0.0.7", Method: "GET", Path: "/a?b=c", Status: 503, Bytes: 5321,
		Referer: "-", Agent: "curl/8.5 (x)", Duration: 12345 * time.Microsecond}, e)
	for name, tt := range map[string]struct{ old, new, want string }{
		"no quote":   {`"curl/8.5 (x)"`, `curl`, `has no "\" \""; want the combined format`},
		"no month":   {"Nov", "Noo", `parsing time "28/Noo/2026:19:24:01 +0100"`},
		"no version": {" HTTP/1.1", "", `request "GET /a?b=c"; want a method, a path and a version`},
		"a status":   {"503", "42", `status "42"; want 100 to 599`},
		"no size":    {"5321", "-", `bytes "-"; want a number`},
		"no seconds": {"0.012345", "fast", `duration "fast"; want seconds`},
	} {
		_, err := Parse(strings.Replace(line, tt.old, tt.new, 1))
		assert.ErrorContains(t, err, tt.want, name)
	}
	_, err = Analyze(strings.NewReader(line+"\nx\n"), Services)
	assert.ErrorContains(t, err, `line 2: line "x" has no`)
}

// BenchmarkAnalyze reads 25,000 lines, of four megabytes, and writes the report.
func BenchmarkAnalyze(b *testing.B) {
	log := Generate(1, 25_000)
	b.SetBytes(int64(len(log)))
	for b.Loop() {
		report, err := Analyze(bytes.NewReader(log), Services)
		if err != nil {
			b.Fatal(err)
		}
		if err := report.Write(io.Discard); err != nil {
			b.Fatal(err)
		}
	}
}
