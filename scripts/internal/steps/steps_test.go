package steps

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"raysteps/common/answers"
	"raysteps/scripts/internal/cli"
)

// numbers are the steps of a selection, which say enough.
func numbers(list []Step) []int {
	var n []int
	for _, s := range list {
		n = append(n, s.Number)
	}
	return n
}

// unknown is the error about a step that there is not. It names all that there
// are, and so changes when one is added.
func unknown(name string) string {
	return fmt.Sprintf("unknown step %q; want %s", name, Choices())
}

// with replaces the steps for a test: four of the tutorial, of which the last
// uses goroutines, and two beyond.
func with(t *testing.T) {
	before := all
	t.Cleanup(func() { all = before })
	all = slices.Clone(before[:4])
	all[3].Workers = true
	all = append(all, Step{Name: "wide", Label: "wider registers", Before: "step03", Beyond: true}, Step{Name: "many", Label: "many rays", Before: "step04", Workers: true, Beyond: true})
}

func TestParse(t *testing.T) {
	tests := []struct {
		name, list string
		want       []int
		err        string
	}{
		{"one", "4", []int{4}, ""},
		{"name", "step04", []int{4}, ""},
		{"list", "1,4", []int{1, 4}, ""},
		{"twice the same", "3,3,step03", []int{3}, ""},
		{"range", "2-4", []int{2, 3, 4}, ""},
		{"ranges and steps", "1-2,step04", []int{1, 2, 4}, ""},
		{"spaces", " 1 , 3 - 4 ", []int{1, 3, 4}, ""},

		{"backward", "4-2", nil, `range "4-2" runs backward; want the lower step first`},
		{"zero", "0", nil, unknown("0")},
		{"too many", "99", nil, unknown("99")},
		{"negative", "-1", nil, unknown("")},
		{"word", "x", nil, unknown("x")},
		{"empty", "", nil, unknown("")},
		{"no end", "1-", nil, unknown("")},
		{"no start", "2, -4", nil, unknown("")},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := Parse(tt.list)
			if tt.err != "" {
				assert.EqualError(t, err, tt.err)
			} else {
				assert.NoError(t, err)
			}
			assert.Equal(t, tt.want, numbers(got))
		})
	}
}

func TestFind(t *testing.T) {
	tests := []struct {
		name string
		want int // or 0 for none
	}{
		{"1", 1}, {"4", 4}, {"04", 4}, {"step01", 1}, {"step04", 4}, {" 3 ", 3}, {"step4", 4}, {"step04/", 4}, {"./step04", 4},
		{"0", 0}, {"99", 0}, {"-1", 0}, {"", 0}, {"-", 0}, {"1-2", 0}, {"1,2", 0}, {"x", 0},
		{"step00", 0}, {"step", 0}, {"step04/x", 0}, {"raysteps/step04", 0}, {"4.0", 0}, {"four", 0},
	}
	for _, tt := range tests {
		t.Run(fmt.Sprintf("%q", tt.name), func(t *testing.T) {
			got, err := Find(tt.name)
			if tt.want == 0 {
				assert.EqualError(t, err, unknown(tt.name))
				assert.Zero(t, got.Number)
				return
			}
			require.NoError(t, err)
			assert.Equal(t, tt.want, got.Number)
		})
	}
}

func TestBeyond(t *testing.T) {
	with(t)
	names := func(list []Step) []string {
		var n []string
		for _, s := range list {
			n = append(n, s.Name)
		}
		return n
	}
	assert.Equal(t, []string{"step01", "step02", "step03", "step04", "wide", "many"}, names(All()))
	assert.Equal(t, "a number from 1 to 4, wide or many", Choices())

	for _, tt := range []struct {
		list string
		want []string // or none
	}{
		{"wide", []string{"wide"}},
		{"many,3", []string{"step03", "many"}},
		{"many,wide", []string{"wide", "many"}},
		{"beyond/wide", []string{"wide"}},
		{"3-wide", []string{"step03", "step04", "wide"}},
		{"wide-many", []string{"wide", "many"}},
		{"0", nil}, {"5", nil}, {"-1", nil}, {"Wide", nil}, {"beyond", nil}, {"many-1", nil},
	} {
		got, err := Parse(tt.list)
		assert.Equal(t, tt.want, names(got), tt.list)
		assert.Equal(t, tt.want == nil, err != nil, tt.list)
	}
	s, err := Find("instrumented")
	require.NoError(t, err)
	assert.True(t, s.Workers)
	_, err = Parse("1,instrumented")
	assert.EqualError(t, err, `unknown step "instrumented"; want a number from 1 to 4, wide or many`)
	_, err = Find("5")
	assert.EqualError(t, err, `unknown step "5"; want a number from 1 to 4, wide or many`)

	for _, tt := range []struct{ name, short, title, pkg string }{
		{"step04", "4", "step 4", "raysteps/step04"},
		{"wide", "wide", "wide", "raysteps/beyond/wide"},
	} {
		s, err := Find(tt.name)
		require.NoError(t, err)
		assert.Equal(t, []string{tt.short, tt.title, tt.pkg}, []string{s.Short(), s.Title(), s.Package()})
	}
}

// A caller may do with the list what it likes.
func TestAllIsACopy(t *testing.T) {
	All()[0].Name = "changed"
	assert.Equal(t, "step01", All()[0].Name)
}

// The list is what is in the module, and no chapter is missing.
func TestListIsComplete(t *testing.T) {
	root, err := cli.ModuleRoot()
	require.NoError(t, err)
	entries, err := os.ReadDir(root)
	require.NoError(t, err)
	var folders, names []string
	for _, e := range entries {
		if e.IsDir() && regexp.MustCompile(`^step[0-9]+$`).MatchString(e.Name()) {
			folders = append(folders, e.Name())
		}
	}
	for _, s := range All() {
		if s.Number > 0 {
			names = append(names, s.Name)
		}
	}
	assert.Equal(t, folders, names)

	for i, s := range All() {
		t.Run(s.Name, func(t *testing.T) {
			if i < len(names) {
				assert.Equal(t, i+1, s.Number)
				assert.Equal(t, fmt.Sprintf("step%02d", s.Number), s.Name)
			} else {
				assert.Zero(t, s.Number)
				assert.Equal(t, "beyond/"+s.Name, s.Folder())
			}
			assert.NotEmpty(t, s.Label)
			assert.FileExists(t, filepath.Join(root, "docs", s.Name+".md"))

			_, err := Find(s.Before)
			assert.Equal(t, i > 0, err == nil, "what it goes on from")
			assert.Equal(t, answers.Kernel(s.Name), s.Kernel)
			dir := filepath.Join(root, filepath.FromSlash(s.Folder()))
			for _, symbol := range s.Hot {
				assert.True(t, declares(t, dir, symbol), "a function %s", symbol)
			}
		})
	}
}

// declares reports whether a folder has a function or a TEXT block of that symbol.
func declares(t *testing.T, dir, symbol string) bool {
	expr := `(?m)^(func |TEXT ·)` + symbol + `\(`
	if m := regexp.MustCompile(`^\((\*?\w+)\)\.(\w+)$`).FindStringSubmatch(symbol); m != nil {
		expr = `(?m)^func \(\w+ ` + regexp.QuoteMeta(m[1]) + `\) ` + m[2] + `\(`
	}
	for _, ending := range []string{"*.go", "*.s"} {
		files, err := filepath.Glob(filepath.Join(dir, ending))
		require.NoError(t, err)
		for _, file := range files {
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			if regexp.MustCompile(expr).Match(text) {
				return true
			}
		}
	}
	return false
}
