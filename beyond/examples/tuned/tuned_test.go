package tuned

import (
	"bytes"
	"io"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"raysteps/beyond/examples/accesslog"
)

// The report is that of accesslog, and so is what is said of a line that is none.
func TestSame(t *testing.T) {
	log := string(accesslog.Generate(1, 300))
	line, _, _ := strings.Cut(log, "\n")
	for name, text := range map[string]string{
		"a log": log, "nothing": "", "no newline at the end": strings.TrimSuffix(log, "\n"), "carriage returns": strings.ReplaceAll(log, "\n", "\r\n"),
		"a line": line, "an empty line": line + "\n\n" + line, "no line": log + "x\n", "another zone": strings.ReplaceAll(log, "+0000", "+0130"),
		"tabs": strings.Replace(line, "GET ", "GET\t", 1), "four words": strings.Replace(line, " HTTP", " x HTTP", 1),
		"two words": strings.Replace(line, " HTTP/1.1", "", 1), "two spaces": strings.Replace(line, " HTTP", "  HTTP", 1),
		"a time": log + strings.Replace(line, "2026", "year", 1), "a status": strings.Replace(line, "] ", "]  ", 1),
	} {
		want, err := accesslog.Analyze(strings.NewReader(text), accesslog.Services)
		for _, workers := range []int{1, 2, 7} {
			got, err2 := Analyze(text, accesslog.Services, workers)
			assert.Equal(t, err, err2, name)
			assert.Equal(t, want, got, name)
		}
	}
}

// BenchmarkAnalyze: an operation is a log of 25,000 lines, of four megabytes, and its report.
func BenchmarkAnalyze(b *testing.B) {
	log := accesslog.Generate(1, 25_000)
	write := func(b *testing.B, report *accesslog.Report, err error) {
		require.NoError(b, err)
		require.NoError(b, report.Write(io.Discard))
	}
	b.Run("version=before", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			report, err := accesslog.Analyze(bytes.NewReader(log), accesslog.Services)
			write(b, report, err)
		}
	})
	b.Run("version=after", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			report, err := Analyze(string(log), accesslog.Services, 1)
			write(b, report, err)
		}
	})
	b.Run("version=workers", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			report, err := Analyze(string(log), accesslog.Services, runtime.GOMAXPROCS(0))
			write(b, report, err)
		}
	})
}
