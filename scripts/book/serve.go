package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"mime"
	"net"
	"net/http"
	"net/netip"
	"os"
	"os/exec"
	"path"
	"runtime"
	"strings"
	"syscall"
	"time"

	"raysteps/scripts/internal/cli"
)

// Limits of the server. A page takes some milliseconds, and a browser that does not
// take what it is sent is left.
const (
	headerTime  = 5 * time.Second
	writeTime   = 10 * time.Second
	idleTime    = time.Minute
	endTime     = 5 * time.Second // for requests under way, on Ctrl-C
	headerBytes = 16 << 10
	bodyBytes   = 4 << 10
)

// server answers requests.
type server struct {
	book     *book
	host     string        // that it listens on
	loopback bool          // which is one that no other machine reaches
	slot     chan struct{} // has room for one race
	slotTime time.Duration // that a race waits for the one before to stop
	makers   chan struct{} // has room for as many pages as are made at a time
}

func newServer(b *book, host string) *server {
	ip, err := netip.ParseAddr(host)
	return &server{b, host, host == "localhost" || err == nil && ip.IsLoopback(),
		make(chan struct{}, 1), 3 * time.Second, make(chan struct{}, runtime.GOMAXPROCS(0))}
}

// knows reports whether a request is meant for this server. A page of another site
// can lead a browser here by a name of its own that it resolves to this machine;
// then the name gives it away. Addresses and localhost cannot be had that way.
func (s *server) knows(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	host = strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
	if host == "localhost" || !s.loopback && host == s.host {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && (ip.IsLoopback() || !s.loopback)
}

func (s *server) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /race", s.race)
	mux.HandleFunc("GET /", s.page)
	inner := http.NewCrossOriginProtection().Handler(mux)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		origin := r.Header.Get("Origin")
		switch {
		case !s.knows(r.Host):
			http.Error(w, "this server is not "+fmt.Sprintf("%.100q", r.Host)+"; want localhost or its address", http.StatusMisdirectedRequest)
		case origin != "" && origin != "http://"+r.Host:
			http.Error(w, "a request from another site; want the book's own pages", http.StatusForbidden)
		default:
			h := w.Header()
			h.Set("Content-Security-Policy", "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
			h.Set("X-Content-Type-Options", "nosniff")
			h.Set("Referrer-Policy", "no-referrer")
			h.Set("Cross-Origin-Resource-Policy", "same-origin")
			h.Set("Cache-Control", "no-cache")
			inner.ServeHTTP(w, r)
		}
	})
}

// types of what the book has. Those that a system knows may be wrong.
var types = map[string]string{
	".html": "text/html; charset=utf-8",
	".css":  "text/css; charset=utf-8",
	".js":   "text/javascript; charset=utf-8",
	".svg":  "image/svg+xml",
	".png":  "image/png",
}

// page answers with an entry of the book. The path is looked up and never opened.
func (s *server) page(w http.ResponseWriter, r *http.Request) {
	address := strings.TrimPrefix(r.URL.Path, "/")
	if address == "" {
		address = "index.html"
	}
	make, ok := s.book.entries[address]
	if !ok {
		http.Error(w, "there is no such page; the contents are at /", http.StatusNotFound)
		return
	}
	select {
	case s.makers <- struct{}{}:
	case <-r.Context().Done():
		return
	}
	text, err := make()
	<-s.makers
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", types[path.Ext(address)])
	w.Header().Set("Content-Length", fmt.Sprint(len(text)))
	_, _ = w.Write(text)
}

// warm makes everything but the files of source once, so that colors and
// measurements are there when a page is asked for. It has the place of a race while
// it makes one, and a race in between comes first.
func (s *server) warm(ctx context.Context) {
	for address, make := range s.book.entries {
		if strings.HasPrefix(address, "src/") {
			continue
		}
		select {
		case s.slot <- struct{}{}:
			_, _ = make() // who asks for it is told of an error
			<-s.slot
		case <-ctx.Done():
			return
		}
		if ctx.Err() != nil {
			return
		}
	}
}

// race runs one and sends its frames as server-sent events. It ends when the
// browser goes.
func (s *server) race(w http.ResponseWriter, r *http.Request) {
	if kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")); kind != "application/json" {
		http.Error(w, "want application/json", http.StatusUnsupportedMediaType)
		return
	}
	var asked request
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, bodyBytes))
	if err == nil {
		err = json.Unmarshal(body, &asked)
	}
	if err == nil {
		_, _, err = asked.check()
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}

	// The race of a page that was loaded again may still be stopping.
	wait := time.NewTimer(s.slotTime)
	defer wait.Stop()
	select {
	case s.slot <- struct{}{}:
		defer func() { <-s.slot }()
	case <-wait.C:
		http.Error(w, "another race is running, in another window; want it to end first", http.StatusConflict)
		return
	case <-r.Context().Done():
		return
	}

	ctx, stop := context.WithCancel(r.Context())
	defer stop()
	frames := make(chan frame, 1)
	go func() {
		defer close(frames)
		if err := race(ctx, asked, frames); err != nil && ctx.Err() == nil {
			frames <- frame{Error: err.Error()}
		}
	}()
	w.Header().Set("Content-Type", "text/event-stream")
	control := http.NewResponseController(w)
	for f := range frames { // to the end, which comes soon after stop
		text, err := json.Marshal(f)
		if err == nil && ctx.Err() == nil {
			_ = control.SetWriteDeadline(time.Now().Add(writeTime))
			if _, err = fmt.Fprintf(w, "data: %s\n\n", text); err == nil {
				err = control.Flush()
			}
		}
		if err != nil {
			stop()
		}
	}
}

// listen opens the port.
func listen(host string, port int) (net.Listener, error) {
	l, err := net.Listen("tcp", net.JoinHostPort(host, fmt.Sprint(port)))
	if errors.Is(err, syscall.EADDRINUSE) {
		return nil, fmt.Errorf("port %d of %s is taken; want another one, or -port 0 for one that is free", port, host)
	}
	if err != nil {
		return nil, fmt.Errorf("cannot listen on %s: %w", host, err)
	}
	return l, nil
}

// serve answers until the context is done.
func serve(ctx context.Context, env *cli.Env, b *book, host string, l net.Listener, show bool) error {
	server := newServer(b, host)
	srv := &http.Server{
		Handler:           server.handler(),
		ReadHeaderTimeout: headerTime,
		ReadTimeout:       headerTime,
		WriteTimeout:      writeTime,
		IdleTimeout:       idleTime,
		MaxHeaderBytes:    headerBytes,
		ErrorLog:          log.New(env.Stderr, "book: ", 0),
		BaseContext:       func(net.Listener) context.Context { return ctx },
	}
	address := "http://" + l.Addr().String() + "/"
	fmt.Fprintf(env.Stdout, "The book is at %s (Ctrl-C ends it)\n", address)
	if show {
		openBrowser(address)
	}
	ended := make(chan error, 1)
	go func() { ended <- srv.Serve(l) }()
	warmed := make(chan struct{})
	go func() {
		defer close(warmed)
		server.warm(ctx)
	}()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	<-warmed
	limit, stop := context.WithTimeout(context.Background(), endTime)
	defer stop()
	if err := srv.Shutdown(limit); err != nil {
		_ = srv.Close()
	}
	<-ended
	return nil
}

// openBrowser shows an address if there is a screen. The address is printed as
// well, so a failure needs no word.
func openBrowser(address string) {
	var cmd *exec.Cmd
	switch runtime.GOOS {
	case "darwin":
		cmd = exec.Command("open", address)
	case "windows":
		cmd = exec.Command("rundll32", "url.dll,FileProtocolHandler", address)
	default:
		if os.Getenv("DISPLAY") == "" && os.Getenv("WAYLAND_DISPLAY") == "" {
			return
		}
		cmd = exec.Command("xdg-open", address)
	}
	if cmd.Start() == nil {
		go func() { _ = cmd.Wait() }()
	}
}
