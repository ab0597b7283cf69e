package main

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"raysteps/scripts/internal/cli"
)

func TestLoopback(t *testing.T) {
	for _, host := range []string{"127.0.0.1:8013", "localhost:8013", "localhost", "[::1]:8013", "[::1]", "127.0.0.1:9999"} {
		assert.True(t, loopback(host), host)
	}
	for _, host := range []string{
		"evil.example:8013", "evil.example", "evillocalhost", "evillocalhost:8013", "evil.localhost", "localhost.", "localhost.evil.example:8013", "127.0.0.1.evil.example:8013", "127.0.0.1@evil.example",
		"192.168.1.7:8013", "0.0.0.0:8013", "", ":8013", "localhost:8013:1", "2130706433",
	} {
		assert.False(t, loopback(host), host)
	}
}

// small is a book of one page.
func small() *book {
	return &book{entries: map[string]entry{"index.html": func() ([]byte, error) { return []byte("<p>one"), nil }}}
}

func TestRequests(t *testing.T) {
	for _, tt := range []struct {
		name, method, path, host string
		want                     int
	}{
		{"the page", "GET", "/", "localhost", 200},
		{"another page", "GET", "/other.html", "localhost", 404},
		{"a file of the clone", "GET", "/go.mod", "localhost", 404},
		{"a path upward", "GET", "/../../etc/passwd", "localhost", 307}, // to the path without dots
		{"encoded", "GET", "/%2e%2e/%2e%2e/etc/passwd", "localhost", 404},
		{"another host", "GET", "/", "evil.example", 421},
		{"a message", "POST", "/", "localhost", 405},
	} {
		r := httptest.NewRequest(tt.method, "http://"+tt.host+tt.path, nil)
		answer := httptest.NewRecorder()
		small().handler().ServeHTTP(answer, r)
		h, text := answer.Header(), answer.Body.String()
		assert.Equal(t, tt.want, answer.Code, "%s: %s", tt.name, text)
		if tt.want == 200 {
			assert.Equal(t, "text/html; charset=utf-8", h.Get("Content-Type"))
			assert.Equal(t, "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; connect-src 'self'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'", h.Get("Content-Security-Policy"))
			assert.Equal(t, []string{"nosniff", "no-referrer", "same-origin", "no-cache"}, []string{h.Get("X-Content-Type-Options"), h.Get("Referrer-Policy"), h.Get("Cross-Origin-Resource-Policy"), h.Get("Cache-Control")})
		} else {
			assert.NotContains(t, text, "<p>one")
		}
	}
}

// The command says where the book is, and ends when it is interrupted.
func TestCommand(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	stdout, out := io.Pipe()
	var stderr bytes.Buffer
	ended := make(chan int)
	go func() { ended <- command.Exec(ctx, []string{"-port", "0"}, out, &stderr) }()
	line, err := bufio.NewReader(stdout).ReadString('\n')
	require.NoError(t, err)
	m := regexp.MustCompile(`(http://127\.0\.0\.1:(\d+))/`).FindStringSubmatch(line)
	require.NotNil(t, m, line)
	answer, err := http.Get(m[1])
	require.NoError(t, err)
	answer.Body.Close()
	assert.Equal(t, 200, answer.StatusCode)

	var second bytes.Buffer
	assert.Equal(t, cli.ExitFailure, command.Exec(t.Context(), []string{"-port", m[2]}, io.Discard, &second))
	assert.Contains(t, second.String(), "port "+m[2])

	cancel()
	assert.Equal(t, cli.ExitOK, <-ended)
	assert.Empty(t, stderr.String())
}
