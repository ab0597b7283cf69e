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
// machine code: that of a step that carries them, function by function, is the
// same as of a copy of the source from which the marks are deleted.
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

	with := machineCode(t, root, step)
	without := machineCode(t, root, step, "-overlay", overlayFile)
	delete(with, step.Package()+".(*worker).measure") // which nobody calls
	for _, hot := range []string{"(*worker).pixels", "(*worker).color", "(*worker).render", "(*World).Hit"} {
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

// machineCode returns the instructions of each function of a step, in
// hexadecimal.
func machineCode(t *testing.T, root string, step steps.Step, flags ...string) map[string]string {
	run := func(args ...string) string {
		cmd := exec.CommandContext(t.Context(), "go", args...)
		cmd.Dir = root
		out, err := cmd.Output()
		require.NoError(t, err, "go %v", args)
		return string(out)
	}
	list := append(append([]string{"list", "-export", "-f", "{{.Export}}"}, flags...), "./"+step.Folder())
	archive := strings.TrimSpace(run(list...))
	code := map[string]string{}
	name := ""
	for line := range strings.Lines(run("tool", "objdump", archive)) {
		if rest, ok := strings.CutPrefix(line, "TEXT "); ok {
			name, _, _ = strings.Cut(rest, "(SB)")
			continue
		}
		// file.go:12  0x1234  4889f8  MOVQ DI, AX
		if fields := strings.Fields(line); len(fields) > 3 && name != "" {
			code[name] += fields[2] + " "
		}
	}
	return code
}
