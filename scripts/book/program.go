package main

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// The program of a tab is compiled when the book is written or read, so it is that of
// the clone. It is kept compressed: any server of files can serve it, and the page
// decompresses it. A browser without SIMD refuses a program that has it, so there are
// two, if the toolchain knows SIMD for WebAssembly, as Go 1.27 does.

// programs lists the programs of a tab that this toolchain can build, by what they
// take.
func (b *book) programs() []string {
	if files, err := b.wasm("simd", "list", "-f", "{{.GoFiles}}", "simd/archsimd"); err == nil && strings.Contains(files, "ops_wasm.go") {
		return []string{"plain", "simd128"}
	}
	return []string{"plain"}
}

// program compiles one of them.
func (b *book) program(takes string) ([]byte, error) {
	tmp, err := os.MkdirTemp(b.tmp, "tab-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(tmp)
	file, experiment := filepath.Join(tmp, "tab.wasm"), ""
	if takes == "simd128" {
		experiment = "simd"
	}
	if _, err := b.wasm(experiment, "build", "-trimpath", "-buildvcs=false", "-ldflags=-s -w", "-o", file, "./scripts/book/tab/wasm"); err != nil {
		return nil, err
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	w, _ := gzip.NewWriterLevel(&out, gzip.BestCompression) // the level is one
	_, _ = w.Write(text)
	_ = w.Close() // a buffer does not fail
	return out.Bytes(), nil
}

// support is the script that comes with the toolchain and belongs to its programs.
func (b *book) support() ([]byte, error) {
	root, err := b.wasm("", "env", "GOROOT")
	if err != nil {
		return nil, err
	}
	return os.ReadFile(filepath.Join(strings.TrimSpace(root), "lib", "wasm", "wasm_exec.js"))
}

// wasm runs a go command for WebAssembly in the clone.
func (b *book) wasm(experiment string, args ...string) (string, error) {
	b.compile.RLock()
	defer b.compile.RUnlock()
	cmd := exec.CommandContext(b.ctx, "go", args...)
	// The go command removes its files when it's interrupted.
	cmd.Cancel, cmd.WaitDelay = func() error {
		if err := cmd.Process.Signal(os.Interrupt); err == nil {
			return nil
		}
		return cmd.Process.Kill() // where there is no such signal, as on Windows
	}, 5*time.Second
	cmd.Dir = b.root
	cmd.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm", "GOFLAGS=", "GOEXPERIMENT="+experiment)
	out, err := cmd.Output()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		first, _, _ := strings.Cut(strings.TrimSpace(string(exit.Stderr)), "\n")
		err = fmt.Errorf("go %s for WebAssembly: %s", args[0], first)
	}
	return string(out), err
}

// warm compiles the programs, which the go command remembers.
func (b *book) warm() {
	for _, takes := range b.programs() {
		_, _ = b.program(takes) // a reader who wants it sees the error
	}
}
