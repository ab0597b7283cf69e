package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"raysteps/scripts/internal/cli"
)

func TestLoopback(t *testing.T) {
	for _, host := range []string{"127.0.0.1:8013", "localhost:8013", "localhost", "[::1]:8013", "[::1]", "127.0.0.1:9999"} {
		assert.True(t, loopback(host), host)
	}
	for _, host := range []string{
		"evil.example:8013", "evil.example", "localhost.evil.example:8013", "127.0.0.1.evil.example:8013", "127.0.0.1@evil.example",
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
	srv := httptest.NewServer(newServer(small()).handler())
	defer srv.Close()
	for _, tt := range []struct {
		name, method, path string
		header             map[string]string // Host is the request's
		want               int
	}{
		{"the page", "GET", "/", nil, 200},
		{"another page", "GET", "/other.html", nil, 404},
		{"a file of the clone", "GET", "/go.mod", nil, 404},
		{"a path upward", "GET", "/../../../../etc/passwd", nil, 404},
		{"encoded", "GET", "/%2e%2e/%2e%2e/etc/passwd", nil, 404},
		{"too long", "GET", "/" + strings.Repeat("a", 2<<20), nil, 431},
		{"another host", "GET", "/", map[string]string{"Host": "evil.example"}, 421},
		{"a race of another site", "POST", "/race", map[string]string{"Origin": "http://evil.example", "Content-Type": "application/json"}, 403},
		{"a race across sites", "POST", "/race", map[string]string{"Sec-Fetch-Site": "cross-site", "Content-Type": "application/json"}, 403},
		{"a race by a form", "POST", "/race", map[string]string{"Content-Type": "application/x-www-form-urlencoded", "Sec-Fetch-Site": "cross-site"}, 403},
		{"a race of nothing", "POST", "/race", map[string]string{"Content-Type": "application/json"}, 400},
		{"a race by a link", "GET", "/race", nil, 404},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r, err := http.NewRequest(tt.method, srv.URL, nil)
			require.NoError(t, err)
			r.URL.Opaque = tt.path // as it is, with its dots
			for name, value := range tt.header {
				r.Header.Set(name, value)
			}
			r.Host = r.Header.Get("Host")
			client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
			answer, err := client.Do(r)
			require.NoError(t, err)
			defer answer.Body.Close()
			text, err := io.ReadAll(answer.Body)
			require.NoError(t, err)
			if answer.StatusCode == http.StatusTemporaryRedirect && tt.want == 404 { // to the path without dots
				assert.NotContains(t, string(text), "root:")
				return
			}
			assert.Equal(t, tt.want, answer.StatusCode, string(text))
			if tt.want == 200 {
				assert.Equal(t, "text/html; charset=utf-8", answer.Header.Get("Content-Type"))
				assert.Contains(t, answer.Header.Get("Content-Security-Policy"), "default-src 'none'")
			} else {
				assert.NotContains(t, string(text), "<")
			}
		})
	}
}

// post asks a handler for a race.
func post(h http.Handler, body string) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest("POST", "http://localhost/race", strings.NewReader(body)))
	return w
}

// A race waits for the one before to stop, but not long, and sends its frames as
// events.
func TestOneRaceAtATime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := newServer(small())
		h := server.handler()
		body, err := json.Marshal(request{"small", []string{"step10", "step12"}, 320, 1, 1})
		require.NoError(t, err)
		server.slot <- struct{}{}
		assert.Equal(t, http.StatusConflict, post(h, string(body)).Code)
		time.AfterFunc(slotTime/2, func() { <-server.slot })
		w := post(h, string(body))
		require.Equal(t, http.StatusOK, w.Code, w.Body)
		assert.Equal(t, "text/event-stream", w.Header().Get("Content-Type"))
		assert.Empty(t, server.slot)
		var last frame
		for event := range strings.SplitSeq(strings.TrimSuffix(w.Body.String(), "\n\n"), "\n\n") {
			require.False(t, last.End, "nothing comes after the end")
			require.NoError(t, json.Unmarshal([]byte(strings.TrimPrefix(event, "data: ")), &last))
		}
		assert.True(t, last.End)
		assert.Len(t, last.Lanes, 2)
	})
}

// ask starts a race and returns its stream.
func ask(ctx context.Context, base string, r request) (*http.Response, error) {
	body, err := json.Marshal(r)
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, "POST", base+"/race", bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	return http.DefaultClient.Do(req)
}

// Connections that are cut in the middle of a race leave nothing behind, and the next
// race begins.
func TestCutConnections(t *testing.T) {
	server := newServer(small())
	srv := httptest.NewServer(server.handler())
	for range 4 {
		ctx, cancel := context.WithCancel(t.Context())
		answer, err := ask(ctx, srv.URL, request{"large", []string{"step01", "step13"}, 1280, 50, runtime.GOMAXPROCS(0)})
		require.NoError(t, err)
		_, err = answer.Body.Read(make([]byte, 100))
		require.NoError(t, err)
		cancel()
		answer.Body.Close()
	}
	answer, err := ask(t.Context(), srv.URL, request{"small", []string{"step12", "step13"}, 320, 1, 1})
	require.NoError(t, err)
	text, err := io.ReadAll(answer.Body)
	require.NoError(t, err)
	assert.Contains(t, string(text), `"end":true`)
	srv.Close() // waits for the handlers, and they for their races
	assert.Empty(t, server.slot)
}

// The command says where the book is, and ends when it is interrupted, in a race
// too.
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

	race, err := ask(t.Context(), m[1], request{"large", []string{"step01", "step13"}, 1280, 50, 1})
	require.NoError(t, err)
	cancel()
	assert.Equal(t, cli.ExitOK, <-ended)
	_, _ = io.Copy(io.Discard, race.Body)
	race.Body.Close()
	assert.Empty(t, stderr.String())
}
