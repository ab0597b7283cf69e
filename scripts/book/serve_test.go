package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"raysteps/scripts/internal/cli"
)

func TestHosts(t *testing.T) {
	for _, tt := range []struct {
		listen string
		host   string
		known  bool
	}{
		{"127.0.0.1", "127.0.0.1:8013", true},
		{"127.0.0.1", "localhost:8013", true},
		{"127.0.0.1", "localhost", true},
		{"127.0.0.1", "[::1]:8013", true},
		{"127.0.0.1", "127.0.0.1:9999", true}, // behind a tunnel
		{"127.0.0.1", "evil.example:8013", false},
		{"127.0.0.1", "evil.example", false},
		{"127.0.0.1", "localhost.evil.example:8013", false},
		{"127.0.0.1", "127.0.0.1.evil.example:8013", false},
		{"127.0.0.1", "127.0.0.1@evil.example", false},
		{"127.0.0.1", "192.168.1.7:8013", false},
		{"127.0.0.1", "0.0.0.0:8013", false},
		{"127.0.0.1", "", false},
		{"127.0.0.1", ":8013", false},
		{"127.0.0.1", "localhost:8013:1", false},
		{"127.0.0.1", "2130706433", false},
		{"localhost", "localhost:8013", true},
		{"0.0.0.0", "192.168.1.7:8013", true},
		{"0.0.0.0", "evil.example:8013", false},
		{"desk.lan", "desk.lan:8013", true},
		{"desk.lan", "evil.example", false},
	} {
		s := newServer(&book{}, tt.listen)
		assert.Equal(t, tt.known, s.knows(tt.host), "%s asked for %q", tt.listen, tt.host)
	}
}

// small is a book of one page.
func small() *book {
	return &book{entries: map[string]entry{"index.html": func() ([]byte, error) { return []byte("<p>one"), nil }}}
}

func TestRequests(t *testing.T) {
	srv := httptest.NewServer(newServer(small(), "127.0.0.1").handler())
	defer srv.Close()
	for _, tt := range []struct {
		name, method, path string
		header             map[string]string // Host is the request's
		want               int
	}{
		{"the page", "GET", "/", nil, 200},
		{"by its name", "GET", "/index.html?from=link", nil, 200},
		{"its head", "HEAD", "/", nil, 200},
		{"from itself", "GET", "/", map[string]string{"Origin": srv.URL}, 200},
		{"another page", "GET", "/other.html", nil, 404},
		{"a file of the clone", "GET", "/go.mod", nil, 404},
		{"a path upward", "GET", "/../../../../etc/passwd", nil, 404},
		{"encoded", "GET", "/%2e%2e/%2e%2e/etc/passwd", nil, 404},
		{"with a zero", "GET", "/index.html%00.txt", nil, 404},
		{"backslashes", "GET", "/..\\..\\go.mod", nil, 404},
		{"very long", "GET", "/" + strings.Repeat("a", 8000), nil, 404},
		{"too long", "GET", "/" + strings.Repeat("a", 2<<20), nil, 431},
		{"another method", "DELETE", "/", nil, 405},
		{"a form", "POST", "/", nil, 405},
		{"another host", "GET", "/", map[string]string{"Host": "evil.example"}, 421},
		{"another site", "GET", "/", map[string]string{"Origin": "http://evil.example"}, 403},
		{"no site", "GET", "/", map[string]string{"Origin": "null"}, 403},
		{"a race of another site", "POST", "/race", map[string]string{"Origin": "http://evil.example", "Content-Type": "application/json"}, 403},
		{"a race across sites", "POST", "/race", map[string]string{"Sec-Fetch-Site": "cross-site", "Content-Type": "application/json"}, 403},
		{"a race of another port", "POST", "/race", map[string]string{"Origin": "http://127.0.0.1:1", "Content-Type": "application/json"}, 403},
		{"a race by a form", "POST", "/race", map[string]string{"Content-Type": "application/x-www-form-urlencoded"}, 415},
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

func TestRaceSettings(t *testing.T) {
	srv := httptest.NewServer(newServer(small(), "127.0.0.1").handler())
	defer srv.Close()
	for _, body := range []string{
		``, `{`, `[]`, `"x"`, `{"scene": 5}`, `{"scene": "small", "steps": ["1", "2"], "width": 1e300}`,
		`{"scene": "small", "steps": ["1", "2"], "width": 320, "samples": 1000000, "workers": 1}`,
		`{"scene": "small", "steps": ["1", "../2"], "width": 320, "samples": 1, "workers": 1}`,
		`{"steps": [` + strings.Repeat(`"1",`, 100_000) + `"1"]}`,
	} {
		answer, err := http.Post(srv.URL+"/race", "application/json", strings.NewReader(body))
		require.NoError(t, err)
		text, err := io.ReadAll(answer.Body)
		require.NoError(t, err)
		answer.Body.Close()
		assert.Equal(t, 400, answer.StatusCode, "%.50s: %s", body, text)
		assert.Equal(t, 1, bytes.Count(text, []byte("\n")), "one line: %s", text)
	}
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
	req.Header.Set("Content-Type", "application/json")
	return http.DefaultClient.Do(req)
}

func TestStream(t *testing.T) {
	srv := httptest.NewServer(newServer(small(), "127.0.0.1").handler())
	defer srv.Close()
	answer, err := ask(t.Context(), srv.URL, request{"small", []string{"step10", "step12"}, 320, 1, 1})
	require.NoError(t, err)
	defer answer.Body.Close()
	assert.Equal(t, "text/event-stream", answer.Header.Get("Content-Type"))
	var last frame
	lines := bufio.NewScanner(answer.Body)
	lines.Buffer(nil, 10<<20)
	for lines.Scan() {
		if text, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
			require.False(t, last.End, "nothing comes after the end")
			require.NoError(t, json.Unmarshal([]byte(text), &last))
		}
	}
	require.NoError(t, lines.Err())
	assert.True(t, last.End)
	assert.Len(t, last.Lanes, 2)
}

// settle waits until no more goroutines are there than before.
func settle(t *testing.T, before int) {
	http.DefaultClient.CloseIdleConnections()
	for end := time.Now().Add(20 * time.Second); runtime.NumGoroutine() > before; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			stacks := make([]byte, 1<<16)
			require.Fail(t, "goroutines are left", string(stacks[:runtime.Stack(stacks, true)]))
		}
	}
}

// Connections that are cut, in the middle of a race or of a request, leave nothing
// behind, and the next race begins.
func TestCutConnections(t *testing.T) {
	before := runtime.NumGoroutine()
	srv := httptest.NewServer(newServer(small(), "127.0.0.1").handler())
	long := request{"large", []string{"step01", "step13"}, 1280, 50, runtime.GOMAXPROCS(0)}
	for range 4 {
		ctx, cancel := context.WithCancel(t.Context())
		answer, err := ask(ctx, srv.URL, long)
		require.NoError(t, err)
		require.Equal(t, 200, answer.StatusCode)
		_, err = answer.Body.Read(make([]byte, 100))
		require.NoError(t, err)
		cancel()
		answer.Body.Close()
	}
	for _, part := range []string{"", "GET", "GET / HTTP/1.1\r\nHost: loc", "POST /race HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"} {
		conn, err := net.Dial("tcp", srv.Listener.Addr().String())
		require.NoError(t, err)
		_, err = io.WriteString(conn, part)
		require.NoError(t, err)
		require.NoError(t, conn.Close())
	}
	answer, err := ask(t.Context(), srv.URL, request{"small", []string{"step12", "step13"}, 320, 1, 1})
	require.NoError(t, err)
	text, err := io.ReadAll(answer.Body)
	require.NoError(t, err)
	answer.Body.Close()
	assert.Contains(t, string(text), `"end":true`)
	srv.Close()
	settle(t, before)
}

func TestOneRaceAtATime(t *testing.T) {
	before := runtime.NumGoroutine()
	server := newServer(small(), "127.0.0.1")
	server.slotTime = 50 * time.Millisecond
	srv := httptest.NewServer(server.handler())
	ctx, cancel := context.WithCancel(t.Context())
	first, err := ask(ctx, srv.URL, request{"large", []string{"step01", "step02"}, 1280, 50, 1})
	require.NoError(t, err)
	_, err = first.Body.Read(make([]byte, 100))
	require.NoError(t, err)
	go io.Copy(io.Discard, first.Body)
	second, err := ask(t.Context(), srv.URL, request{"small", []string{"step01", "step02"}, 320, 1, 1})
	require.NoError(t, err)
	text, err := io.ReadAll(second.Body)
	require.NoError(t, err)
	second.Body.Close()
	assert.Equal(t, http.StatusConflict, second.StatusCode)
	assert.Equal(t, "another race is running, in another window; want it to end first\n", string(text))
	cancel()
	first.Body.Close()
	srv.Close()
	settle(t, before)
}

// A thousand requests at a time, while a race runs, are answered.
func TestFlood(t *testing.T) {
	before := runtime.NumGoroutine()
	srv := httptest.NewServer(newServer(opened(t, true), "127.0.0.1").handler())
	ctx, cancel := context.WithCancel(t.Context())
	race, err := ask(ctx, srv.URL, request{"large", []string{"step01", "step02"}, 1280, 50, 1})
	require.NoError(t, err)
	go io.Copy(io.Discard, race.Body)
	var wg sync.WaitGroup
	paths := []string{"/", "/docs/step04.html", "/race.html", "/assets/book.css", "/nothing", "/data/step01.js", "/charts.html"}
	codes := make([]string, 1000)
	for i := range codes {
		wg.Go(func() {
			answer, err := http.Get(srv.URL + paths[i%len(paths)])
			if err != nil {
				codes[i] = err.Error()
				return
			}
			_, err = io.Copy(io.Discard, answer.Body)
			answer.Body.Close()
			codes[i] = fmt.Sprint(answer.StatusCode, err)
		})
	}
	wg.Wait()
	for i, code := range codes {
		want := "200<nil>"
		if i%len(paths) == 4 {
			want = "404<nil>"
		}
		require.Equal(t, strings.ReplaceAll(want, "<", " <"), code, paths[i%len(paths)])
	}
	cancel()
	race.Body.Close()
	srv.Close()
	settle(t, before)
}

// safeBuffer may be read while it is written.
type safeBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *safeBuffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *safeBuffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

// The command says where the book is, and ends when it is interrupted, in a race
// too.
func TestCommand(t *testing.T) {
	before := runtime.NumGoroutine()
	ctx, cancel := context.WithCancel(t.Context())
	var stdout, stderr safeBuffer
	ended := make(chan int)
	go func() { ended <- command.Exec(ctx, []string{"-port", "0"}, &stdout, &stderr) }()
	address := regexp.MustCompile(`^The book is at (http://127\.0\.0\.1:(\d+))/ \(Ctrl-C ends it\)\n$`)
	require.Eventually(t, func() bool { return address.MatchString(stdout.String()) }, 10*time.Second, time.Millisecond)
	m := address.FindStringSubmatch(stdout.String())
	answer, err := http.Get(m[1])
	require.NoError(t, err)
	answer.Body.Close()
	assert.Equal(t, 200, answer.StatusCode)

	var second safeBuffer
	assert.Equal(t, 1, command.Exec(t.Context(), []string{"-port", m[2]}, io.Discard, &second))
	assert.Equal(t, "book: port "+m[2]+" of 127.0.0.1 is taken; want another one, or -port 0 for one that is free\n", second.String())

	race, err := ask(t.Context(), m[1], request{"large", []string{"step01", "step13"}, 1280, 50, 1})
	require.NoError(t, err)
	cancel()
	assert.Equal(t, cli.ExitOK, <-ended)
	_, _ = io.Copy(io.Discard, race.Body)
	race.Body.Close()
	assert.Empty(t, stderr.String())
	settle(t, before)
}
