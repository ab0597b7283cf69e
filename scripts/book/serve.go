package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"net"
	"net/http"
	"net/netip"
	"os"
	"os/exec"
	"path"
	"runtime"
	"strings"
	"time"

	"raysteps/scripts/internal/cli"
)

const (
	writeTime = 10 * time.Second // after which a browser that does not take what it is sent is left
	slotTime  = 3 * time.Second  // that a race waits for the one before to stop
	bodyBytes = 4 << 10
)

// server answers requests. It listens on the loopback address.
type server struct {
	book *book
	slot chan struct{} // has room for one race
}

func newServer(b *book) *server { return &server{b, make(chan struct{}, 1)} }

// loopback reports whether a request is meant for this machine. A page of another
// site can lead a browser here by a name of its own that it resolves to this machine;
// then the name gives it away. Addresses and localhost cannot be had that way.
func loopback(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	ip, err := netip.ParseAddr(strings.TrimSuffix(strings.TrimPrefix(host, "["), "]"))
	return host == "localhost" || err == nil && ip.IsLoopback()
}

func (s *server) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /race", s.race)
	mux.HandleFunc("GET /", s.page)
	inner := http.NewCrossOriginProtection().Handler(mux)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !loopback(r.Host) {
			http.Error(w, fmt.Sprintf("this server is not %.100q; want localhost or its address", r.Host), http.StatusMisdirectedRequest)
			return
		}
		h := w.Header()
		h.Set("Content-Security-Policy", "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Cache-Control", "no-cache")
		inner.ServeHTTP(w, r)
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
	address := cmp.Or(strings.TrimPrefix(r.URL.Path, "/"), "index.html")
	make, ok := s.book.entries[address]
	if !ok {
		http.Error(w, "there is no such page; the contents are at /", http.StatusNotFound)
		return
	}
	text, err := make()
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", types[path.Ext(address)])
	_, _ = w.Write(text)
}

// race runs one and sends its frames as server-sent events. It ends when the
// browser goes.
func (s *server) race(w http.ResponseWriter, r *http.Request) {
	var asked request
	var lanes []*lane
	err := json.NewDecoder(http.MaxBytesReader(w, r.Body, bodyBytes)).Decode(&asked)
	if err == nil {
		lanes, err = newLanes(asked)
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}

	// The race of a page that was loaded again may still be stopping.
	select {
	case s.slot <- struct{}{}:
		defer func() { <-s.slot }()
	case <-time.After(slotTime):
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
		_ = race(ctx, lanes, frames)
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

// serve answers until the context is done.
func serve(ctx context.Context, env *cli.Env, b *book, port int, show bool) error {
	l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port))
	if err != nil {
		return fmt.Errorf("port %d: %w; want another one, or -port 0 for one that is free", port, err)
	}
	srv := &http.Server{
		Handler:           newServer(b).handler(),
		ReadHeaderTimeout: writeTime,
		WriteTimeout:      writeTime, // a race sets it anew for each frame
		ErrorLog:          log.New(env.Stderr, "book: ", 0),
		BaseContext:       func(net.Listener) context.Context { return ctx },
	}
	address := "http://" + l.Addr().String() + "/"
	fmt.Fprintf(env.Stdout, "The book is at %s (Ctrl-C ends it)\n", address)
	if show {
		openBrowser(address)
	}
	ended := make(chan error, 1)
	go func() {
		<-ctx.Done() // which ends races under way, too
		ended <- srv.Shutdown(context.Background())
	}()
	if err := srv.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return <-ended
}

// openBrowser shows an address if there is a screen. The address is printed as
// well, so a failure needs no word.
func openBrowser(address string) {
	command := []string{"xdg-open", address}
	switch {
	case runtime.GOOS == "darwin":
		command[0] = "open"
	case runtime.GOOS == "windows":
		command = []string{"rundll32", "url.dll,FileProtocolHandler", address}
	case os.Getenv("DISPLAY") == "" && os.Getenv("WAYLAND_DISPLAY") == "":
		return // xdg-open would take the terminal
	}
	cmd := exec.Command(command[0], command[1:]...)
	if cmd.Start() == nil {
		go func() { _ = cmd.Wait() }()
	}
}
