package main

import (
	"bytes"
	"encoding/json"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/tools/go/ast/astutil"

	"raysteps/common/instrument"
	"raysteps/scripts/internal/cli"
	"raysteps/scripts/internal/steps"
)

// Without the build tag the marks of the instruments leave nothing in the
// machine code. A step that carries them is compiled as it is and from a copy of
// its source from which the marks are deleted; then each function has the same
// number of each instruction in both, and calls the same functions as often.
//
// What a compiler may choose otherwise as soon as a variable is gone is not
// compared, and Go 1.27 does so: registers, places on the stack, the order of
// instructions, the sense of a conditional jump, and padding. What a mark leaves
// is an instruction more: methods with empty bodies and no constant around their
// calls, as the package had them at first, left a check for a nil pointer (TESTB)
// and a NOP for each call.
func TestMarksLeaveNoCode(t *testing.T) {
	if instrument.On {
		t.Skip("this build has instruments; the marks are code in it")
	}
	for _, name := range marked {
		t.Run(name, func(t *testing.T) {
			step, err := steps.Find(name)
			require.NoError(t, err)
			testMarks(t, step)
		})
	}
}

func testMarks(t *testing.T, step steps.Step) {
	root, err := cli.ModuleRoot()
	require.NoError(t, err)
	dir := filepath.Join(root, filepath.FromSlash(step.Folder()))
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	require.NoError(t, err)

	overlay := struct{ Replace map[string]string }{map[string]string{}}
	marks := 0
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		without, n := deleteMarks(t, file)
		marks += n
		name := filepath.Join(t.TempDir(), filepath.Base(file))
		require.NoError(t, os.WriteFile(name, without, 0o666))
		overlay.Replace[file] = name
	}
	assert.GreaterOrEqual(t, marks, 9, "marks that were deleted")
	plan, err := json.Marshal(overlay)
	require.NoError(t, err)
	overlayFile := filepath.Join(t.TempDir(), "overlay.json")
	require.NoError(t, os.WriteFile(overlayFile, plan, 0o666))

	with := instructions(t, root, step)
	without := instructions(t, root, step, "-overlay", overlayFile)
	delete(with, step.Package()+".(*worker).measure") // which nobody calls
	for _, hot := range []string{"(*worker).pixels", "(*worker).color", "(*worker).render"} {
		assert.NotEmpty(t, without[step.Package()+"."+hot], hot)
	}
	assert.Len(t, without, len(with))
	for name, code := range with {
		assert.Equal(t, without[name], code, name)
	}
}

// deleteMarks returns the source of a file without anything about instruments,
// and the number of marks that are gone.
func deleteMarks(t *testing.T, file string) (source []byte, marks int) {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, file, nil, parser.ParseComments)
	require.NoError(t, err)
	if filepath.Base(file) == "instruments.go" {
		return []byte("package " + f.Name.Name + "\n"), 1
	}
	astutil.Apply(f, func(c *astutil.Cursor) bool {
		switch n := c.Node().(type) {
		case *ast.IfStmt:
			if on, ok := n.Cond.(*ast.SelectorExpr); ok && on.Sel.Name == "On" {
				c.Delete()
				marks++
			}
		case *ast.AssignStmt:
			// What only a mark reads.
			if id, ok := n.Lhs[0].(*ast.Ident); ok && id.Name == "before" {
				c.Delete()
			}
		case *ast.Field:
			if len(n.Names) == 1 && n.Names[0].Name == "instruments" {
				c.Delete()
			}
		}
		return true
	}, nil)
	astutil.DeleteImport(fset, f, "raysteps/common/instrument")
	// The comments would go astray, and code generation does not need those of
	// these files but for directives, of which they have none.
	for _, group := range f.Comments {
		for _, c := range group.List {
			require.False(t, strings.HasPrefix(c.Text, "//go:") && !strings.HasPrefix(c.Text, "//go:generate") &&
				marks > 0, "%s: %s", file, c.Text)
		}
	}
	var b bytes.Buffer
	if marks > 0 {
		f.Comments = nil
	}
	require.NoError(t, format.Node(&b, fset, f))
	return b.Bytes(), marks
}

// instructions returns how often each instruction occurs in each function of a
// step: by its mnemonic, and a call by what it calls. Conditional jumps count as
// one instruction, and a NOP of more than one byte is padding and not counted.
func instructions(t *testing.T, root string, step steps.Step, flags ...string) map[string]map[string]int {
	run := func(args ...string) string {
		cmd := exec.CommandContext(t.Context(), "go", args...)
		cmd.Dir = root
		out, err := cmd.Output()
		require.NoError(t, err, "go %v", args)
		return string(out)
	}
	list := append(append([]string{"list", "-export", "-f", "{{.Export}}"}, flags...), "./"+step.Folder())
	archive := strings.TrimSpace(run(list...))
	functions := map[string]map[string]int{}
	var counts map[string]int
	for line := range strings.Lines(run("tool", "objdump", archive)) {
		if rest, ok := strings.CutPrefix(line, "TEXT "); ok {
			name, _, _ := strings.Cut(rest, "(SB)")
			counts = map[string]int{}
			functions[name] = counts
			continue
		}
		// file.go:12  0x1234  e800000000  CALL 0x1239  [1:5]R_CALL:runtime.panicIndex
		fields := strings.Fields(line)
		if len(fields) < 4 || counts == nil {
			continue
		}
		encoding, instruction := fields[2], fields[3]
		_, callee, isCall := strings.Cut(line, "]R_CALL:")
		switch {
		case isCall:
			instruction += " " + strings.Fields(callee)[0]
		case strings.HasPrefix(instruction, "NOP") && len(encoding) > 2:
			continue
		case strings.HasPrefix(instruction, "J") && instruction != "JMP":
			instruction = "conditional jump"
		}
		counts[instruction]++
	}
	return functions
}
