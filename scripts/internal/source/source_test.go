package source_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"raysteps/scripts/internal/source"
)

const goFile = `//go:build !purego

// Package step04 is about spheres.
package step04

import "math"

// Limits of t.
const (
	tMin = 0.001 // avoids acne
	tMax = math.MaxFloat32
)

var up, down = 1, -1 // y

// Sphere is a ball.
type Sphere struct {
	r float32
}

type (
	// A is one.
	A int
	B int
)

// Hit looks
// for a hit.
func (s *Sphere) Hit(t float32) bool {
	// An inner comment.
	return t > tMin
}

func (s Sphere) Area() float32 { return 4 * s.r } // no pi

// New makes one.
func New() *Sphere { return nil }

// Pair holds two.
type Pair[K comparable, V any] struct{ k K }

// Key is generic.
func (p *Pair[K, V]) Key() K { return p.k }

func (p One[T]) Get() int { return 0 }

type One[T any] struct{}

// kernel is assembly.
//
//go:noescape
func kernel(x *float32)
`

const asmFile = `// Kernels.

#include "textflag.h"

DATA one<>+0(SB)/4, $1
GLOBL one<>(SB), RODATA, $4

// func kernel(x *float32)
// AX: x
TEXT ·kernel(SB), NOSPLIT, $0-8
	MOVQ x+0(FP), AX

// The loop.
loop:
	JMP loop
	RET

// Sums.

// sum adds.
TEXT raysteps∕step10·sum<ABIInternal>(SB), NOSPLIT, $0
	RET
TEXT local<>(SB), NOSPLIT, $0
	RET
`

// module writes files below a new folder and returns it.
func module(t *testing.T, files map[string]string) string {
	root := t.TempDir()
	for name, text := range files {
		file := filepath.Join(root, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o777))
		require.NoError(t, os.WriteFile(file, []byte(text), 0o666))
	}
	return root
}

func TestListing(t *testing.T) {
	root := module(t, map[string]string{
		"step04/sphere.go":   goFile,
		"step04/hit_amd64.s": asmFile,
		"step04/crlf.go":     strings.ReplaceAll(goFile, "\n", "\r\n"),
		"step04/plain.go":    "package step04\n\nfunc f() {}",
	})
	hit := "func (s *Sphere) Hit(t float32) bool {\n\t// An inner comment.\n\treturn t > tMin\n}\n"
	limits := "// Limits of t.\nconst (\n\ttMin = 0.001 // avoids acne\n\ttMax = math.MaxFloat32\n)\n"
	tests := []struct {
		name, file, decls string
		want, bare        string // bare: without the doc comment, if it differs
	}{
		{"function", "sphere.go", "New", "// New makes one.\nfunc New() *Sphere { return nil }\n", "func New() *Sphere { return nil }\n"},
		{"method of a generic type", "sphere.go", "Pair.Key", "// Key is generic.\nfunc (p *Pair[K, V]) Key() K { return p.k }\n", "func (p *Pair[K, V]) Key() K { return p.k }\n"},
		{"type", "sphere.go", "Sphere", "// Sphere is a ball.\ntype Sphere struct {\n\tr float32\n}\n", "type Sphere struct {\n\tr float32\n}\n"},
		{"types in a group", "sphere.go", "B", "type (\n\t// A is one.\n\tA int\n\tB int\n)\n", ""},
		{"constants in a group", "sphere.go", "tMax", limits, strings.TrimPrefix(limits, "// Limits of t.\n")},
		{"second variable of a line", "sphere.go", "down", "var up, down = 1, -1 // y\n", ""},
		{"directive of the compiler", "sphere.go", "kernel", "// kernel is assembly.\n//\n//go:noescape\nfunc kernel(x *float32)\n", "//go:noescape\nfunc kernel(x *float32)\n"},
		{"several", "sphere.go", "down,Sphere.Area", "var up, down = 1, -1 // y\n\nfunc (s Sphere) Area() float32 { return 4 * s.r } // no pi\n", ""},
		{"two of a group", "sphere.go", "tMin,tMax", limits, strings.TrimPrefix(limits, "// Limits of t.\n")},
		{"CRLF", "crlf.go", "Sphere.Hit", "// Hit looks\n// for a hit.\n" + hit, hit},
		{"no newline at the end", "plain.go", "f", "func f() {}\n", ""},
		{
			"assembly with comments", "hit_amd64.s", "kernel",
			"// func kernel(x *float32)\n// AX: x\nTEXT ·kernel(SB), NOSPLIT, $0-8\n\tMOVQ x+0(FP), AX\n\n// The loop.\nloop:\n\tJMP loop\n\tRET\n",
			"TEXT ·kernel(SB), NOSPLIT, $0-8\n\tMOVQ x+0(FP), AX\n\n// The loop.\nloop:\n\tJMP loop\n\tRET\n",
		},
		{"assembly with package and ABI", "hit_amd64.s", "sum", "// sum adds.\nTEXT raysteps∕step10·sum<ABIInternal>(SB), NOSPLIT, $0\n\tRET\n", "TEXT raysteps∕step10·sum<ABIInternal>(SB), NOSPLIT, $0\n\tRET\n"},
		{"assembly of the file alone", "hit_amd64.s", "local", "TEXT local<>(SB), NOSPLIT, $0\n\tRET\n", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			file, names := "step04/"+tt.file, strings.Split(tt.decls, ",")
			got, err := source.Listing(root, file, true, names...)
			require.NoError(t, err)
			assert.Equal(t, tt.want, got)

			if tt.bare == "" {
				tt.bare = tt.want
			}
			got, err = source.Listing(root, file, false, names...)
			require.NoError(t, err)
			assert.Equal(t, tt.bare, got)
		})
	}
}

func TestWholeFile(t *testing.T) {
	root := module(t, map[string]string{"step04/sphere.go": goFile, "step04/hit_amd64.s": asmFile})
	_, rest, _ := strings.Cut(goFile, "package step04\n\n")
	for file, want := range map[string]string{"sphere.go": "//go:build !purego\n\n// Package step04 is about spheres.\n\n" + rest, "hit_amd64.s": asmFile} {
		got, err := source.Listing(root, "step04/"+file, true)
		require.NoError(t, err)
		assert.Equal(t, want, got)
	}
}

func TestErrors(t *testing.T) {
	root := module(t, map[string]string{"step04/sphere.go": "package step04\n\nfunc f() {}\n\ntype Sphere int\n", "step04/bad.go": "package step04\n\nfunc {\n"})
	for file, want := range map[string]string{
		"step04/sphere.go": `step04/sphere.go has no declaration "Sphere.Hit"; it has f, Sphere`,
		"step05/sphere.go": `step05/sphere.go does not exist; want the path of a file, like step04/sphere.go`,
		"step04/bad.go":    `step04/bad.go:3:6: expected 'IDENT', found '{'`,
	} {
		_, err := source.Listing(root, file, true, "Sphere.Hit")
		assert.EqualError(t, err, want)
	}
}
