package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log"
	"net"
	"net/http"
	"net/netip"
	"path"
	"strings"
	"time"

	"raysteps/scripts/internal/cli"
)

// A browser that does not take what it is sent is left after this. A page with the
// program of a tab may be compiled before it is sent.
const writeTime = 2 * time.Minute

// policy lets a page load what the book has, compile the program of a tab and nothing
// else. A site that is written has no headers: its pages have it, but for the last part,
// which works in a header only.
const (
	policy = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; connect-src 'self'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'"
	frames = "; frame-ancestors 'none'"
)

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

// handler answers requests for pages of the book, and changes nothing.
func (b *book) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /", b.answer)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !loopback(r.Host) {
			http.Error(w, fmt.Sprintf("this server is not %.100q; want localhost or its address", r.Host), http.StatusMisdirectedRequest)
			return
		}
		h := w.Header()
		h.Set("Content-Security-Policy", policy+frames)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Cache-Control", "no-cache")
		mux.ServeHTTP(w, r)
	})
}

// types of what the book has. Those that a system knows may be wrong.
var types = map[string]string{
	".html": "text/html; charset=utf-8",
	".css":  "text/css; charset=utf-8",
	".js":   "text/javascript; charset=utf-8",
	".svg":  "image/svg+xml",
	".png":  "image/png",
	".gz":   "application/gzip",
}

// answer answers with an entry of the book. The path is looked up and never opened.
func (b *book) answer(w http.ResponseWriter, r *http.Request) {
	address := cmp.Or(strings.TrimPrefix(r.URL.Path, "/"), "index.html")
	make, ok := b.entries[address]
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

// serve answers until the context is done.
func serve(ctx context.Context, env *cli.Env, b *book, port int) error {
	l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port))
	if err != nil {
		return fmt.Errorf("port %d: %w; want another one, or -port 0 for one that is free", port, err)
	}
	srv := &http.Server{
		Handler:           b.handler(),
		ReadHeaderTimeout: writeTime,
		WriteTimeout:      writeTime,
		ErrorLog:          log.New(env.Stderr, "book: ", 0),
		BaseContext:       func(net.Listener) context.Context { return ctx },
	}
	fmt.Fprintf(env.Stdout, "The book is at http://%s/ (Ctrl-C ends it)\n", l.Addr())
	go b.warm() // so that no reader waits for the compiler
	context.AfterFunc(ctx, func() { srv.Close() })
	if err := srv.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}
