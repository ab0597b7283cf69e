package main

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/perf/benchfmt"

	"raysteps/common/answers"
	"raysteps/scripts/internal/cli"
	"raysteps/scripts/internal/count"
)

// someone returns a user of this module whose labs are in a folder of the test.
func someone(t *testing.T) user {
	t.Helper()
	root, err := cli.ModuleRoot()
	require.NoError(t, err)
	labs, err := all()
	require.NoError(t, err)
	return user{root: root, dir: t.TempDir(), labs: labs}
}

// session returns one of somebody who keeps what is said.
func (u user) session(l *lab) (s *session, said func() []string) {
	env, _, _ := silent()
	var all []string
	s = &session{user: u, lab: l, env: env, say: func(text string) { all = append(all, text) }}
	return s, func() []string {
		now := all
		all = nil
		return now
	}
}

func silent() (env *cli.Env, stdout, stderr *bytes.Buffer) {
	stdout, stderr = &bytes.Buffer{}, &bytes.Buffer{}
	return &cli.Env{Stdout: stdout, Stderr: stderr}, stdout, stderr
}

// begin starts a lab and returns its folder.
func (u user) begin(t *testing.T, l *lab) string {
	t.Helper()
	env, _, _ := silent()
	require.NoError(t, u.start(env, l, strings.NewReader("")))
	return filepath.Join(u.dir, l.name)
}

// solve puts our files in the place of those of a lab.
func (u user) solve(t *testing.T, l *lab) {
	t.Helper()
	dir := filepath.Join(u.dir, l.name)
	require.NoError(t, os.RemoveAll(dir))
	files, err := (&lab{name: l.name, From: l.Ours, Ours: l.Ours, Tests: l.Tests}).files(u.root)
	require.NoError(t, err)
	require.NoError(t, create(dir, files))
}

// Every lab compiles as it begins, for every processor, and its pictures are right; counts
// tell it from ours; and ours passes the tests of the labs in which something is to be
// built. What is common to the labs is linked once. What a session says see TestSession.
func TestLabs(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles all labs")
	}
	u := someone(t)
	folders := []string{"common"}
	for _, l := range u.labs {
		folders = append(folders, l.Ours.Folder())
	}
	slices.Sort(folders)
	tree := module(t, slices.Compact(folders)...)
	u.dir = filepath.Join(tree, folder)
	imports, calls, tested := "", "", []string{}
	for _, l := range u.labs {
		u.begin(t, l)
		imports += fmt.Sprintf("\t%q\n", cli.Module+"/"+l.folder())
		calls += fmt.Sprintf("\tt.Run(%q, func(t *testing.T) { steptest.RunAs(t, %[1]s.New, %q, %q) })\n", l.name, l.From.Name, l.Ours.Name)
		if l.Parallel || l.Tests != nil {
			tested = append(tested, "./"+l.folder())
		}
	}
	require.NoError(t, os.WriteFile(filepath.Join(u.dir, "labs_test.go"), []byte("package lab\n\nimport (\n\t\"testing\"\n\n\t\"raysteps/common/steptest\"\n"+imports+")\n\nfunc TestLabs(t *testing.T) {\n"+calls+"}\n"), 0o666))
	run := func(environment string, args ...string) string {
		cmd := exec.CommandContext(t.Context(), "go", args...)
		cmd.Dir, cmd.Env = tree, append(os.Environ(), environment)
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s go %s\n%s", environment, strings.Join(args, " "), out)
		return string(out)
	}
	all := "./" + folder + "/..."
	run("GOARCH=arm64", "build", "-trimpath", all)
	run("", "build", "-trimpath", "-tags", "purego", all)
	run("", "vet", all)
	pictures := run("", "test", "-trimpath", "-vet=off", "-v", "-run", "TestLabs/.*/scene=small", "./"+folder)
	run("", append([]string{"test", "-trimpath", "-vet=off", "-run", "TestFirstPass/.*/counts|TestPadding|TestWorkers"}, tested...)...)
	counted := u.count(t, tree)
	for i, l := range u.labs {
		t.Run(l.name, func(t *testing.T) {
			if err := l.possible(); err != nil {
				t.Skip(err)
			}
			t.Parallel()
			assert.Contains(t, pictures, "--- PASS: TestLabs/"+l.name+"/scene=small")
			if c := counted[l.name]; c != nil {
				assert.Regexp(t, `^[\d.,]+ instructions.* a ray too many$`, c.missing())
			}
			if i < 6 {
				u := someone(t)
				u.solve(t, l)
				b, err := u.build(t.Context(), l, patience)
				require.NoError(t, err)
				b.close()
			}
		})
	}
}

// count counts the labs as they begin and ours, where anything can be counted: in the
// medium scene, which takes less time than the large one.
func (u user) count(t *testing.T, tree string) map[string]*counts {
	if count.Available() != nil {
		return nil
	}
	packages := map[string]bool{}
	for _, l := range u.labs {
		if l.Counts != nil {
			packages[cli.Module+"/"+l.folder()], packages[l.Ours.Package()] = true, true
		}
	}
	env, _, _ := silent()
	all, err := count.Measure(t.Context(), env, tree, slices.Sorted(maps.Keys(packages)), []string{"medium"})
	require.NoError(t, err)
	of := map[string]*benchfmt.Result{}
	for _, r := range all {
		of[r.GetConfig("pkg")] = r
	}
	counted := map[string]*counts{}
	for _, l := range u.labs {
		if l.Counts != nil {
			counted[l.name] = &counts{lab: l, yours: of[cli.Module+"/"+l.folder()], ours: of[l.Ours.Package()]}
		}
	}
	return counted
}

// Counts decide: a lab is passed by ours and not by the start, and then it says what
// it was about.
func TestSession(t *testing.T) {
	if err := count.Available(); err != nil {
		t.Skip(err)
	}
	t.Parallel()
	u := someone(t)
	l := u.lab("slow5")
	u.begin(t, l)
	s, said := u.session(l)
	b, decided, missing, err := s.look(t.Context())
	require.NoError(t, err)
	b.close()
	assert.True(t, decided)
	assert.Regexp(t, `^[\d,.]+ instructions, [\d,.]+ loads and [\d,.]+ branches a ray too many$`, missing)
	assert.Contains(t, strings.Join(said(), "\n"), "Not yet: "+missing+".")
	u.solve(t, l)
	b, _, missing, err = s.look(t.Context())
	require.NoError(t, err)
	b.close()
	assert.Empty(t, missing)
	assert.Contains(t, strings.Join(said(), "\n"), "Passed.\n\n"+l.after)
	p, err := u.progress()
	require.NoError(t, err)
	assert.True(t, p[l.name].Passed)
}

// Time decides where nothing can be counted, and says so.
func TestTime(t *testing.T) {
	if testing.Short() {
		t.Skip("measures for some seconds")
	}
	u := someone(t)
	l := u.lab("slow3") // ours is so much faster that hardly any noise hides it
	u.begin(t, l)
	goCommand, err := exec.LookPath("go")
	require.NoError(t, err)
	t.Setenv("PATH", filepath.Dir(goCommand)) // no valgrind
	s, said := u.session(l)
	u.solve(t, l)
	_, err = u.record(l, func(r *reached) { r.Predicted, r.Speed = 2, 99 })
	require.NoError(t, err)
	require.NoError(t, s.check(t.Context()))
	text := strings.Join(said(), "\n")
	assert.Regexp(t, `^Building, which takes a while the first time \.\.\.\nThe pictures are right\.\nNot counted: valgrind.* So time decides\.\ntimes the start's speed: yours .*, ours .*, asked \d\.\d+\nPassed\.`, text)
	assert.Contains(t, text, "Passed.\n\n"+l.after)
	assert.Regexp(t, `You predicted 2 times the start's speed, and it is \d\S*: [+-]\d+ %\.$`, text)
	p, err := u.progress()
	require.NoError(t, err)
	assert.Equal(t, 99., p[l.name].Speed, "the best stays")
}

// A lab that renders less where it is measured than where it is tested is found out.
func TestCheat(t *testing.T) {
	if testing.Short() {
		t.Skip("measures for some seconds")
	}
	t.Parallel()
	u := someone(t)
	l := u.lab("passes")
	dir := u.begin(t, l)
	const begin = "\twidth, height := float32(f.Width)"
	change(t, dir, "tracer.go", begin, "\tif f.Width == 1280 {\n\t\tt.bounces = 1\n\t}\n"+begin)
	b, err := u.build(t.Context(), l, patience)
	require.NoError(t, err)
	defer b.close()
	env, _, _ := silent()
	_, err = b.time(t.Context(), env, 1)
	assert.ErrorContains(t, err, "want the picture of one of them at every size")
}

// The page that introduces the labs has all of them in the order of the command,
// with the same tools.
func TestPage(t *testing.T) {
	u := someone(t)
	text, err := os.ReadFile(filepath.Join(u.root, "docs", "labs.md"))
	require.NoError(t, err)
	rows := regexp.MustCompile("(?m)^\\| `(\\w+)` \\| .*$").FindAllStringSubmatch(string(text), -1)
	require.Len(t, rows, len(u.labs))
	for i, l := range u.labs {
		assert.Equal(t, l.name, rows[i][1])
		if _, tool, ok := strings.Cut(l.Title, "what is slow? Ask "); ok {
			assert.Contains(t, rows[i][0], "| "+tool)
		}
	}
}

// A start that fails can be tried again.
func TestCreate(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "passes")
	files := map[string][]byte{"doc.go": []byte("package passes\n"), "missing/world.go": nil}
	assert.ErrorIs(t, create(dir, files), os.ErrNotExist)
	assert.NoDirExists(t, dir)

	delete(files, "missing/world.go")
	require.NoError(t, create(dir, files))
	assert.FileExists(t, filepath.Join(dir, "doc.go"))
}

// What is told of a lab is complete, and does not give it away.
func TestTexts(t *testing.T) {
	u := someone(t)
	for _, l := range u.labs {
		t.Run(l.name, func(t *testing.T) {
			assert.GreaterOrEqual(t, len(l.hints), 3)
			assert.Regexp(t, `(?i)before you`, l.task, "a prediction")
			assert.LessOrEqual(t, strings.Count(l.after, "\n"), 10)
			assert.Contains(t, l.after, "Read next: ")
			_, known := answers.Of(l.Ours.Name, "size=33x17")
			assert.True(t, known)
			files, err := l.files(u.root)
			require.NoError(t, err)
			assert.Contains(t, string(files["README.md"]), "lab check "+l.name)
			for name, text := range files {
				if path.Ext(name) == ".go" {
					assert.Regexp(t, `(?m)^package `+l.name+`$`, string(text), name)
					assert.NotContains(t, string(text), l.From.Name+" ", name)
				}
			}
		})
	}
}

func TestEdit(t *testing.T) {
	for _, tt := range []struct{ name, text, change, want string }{
		{"a new file", "a\n", "b\n", "b\n"},
		{"two blocks", "a\nb\nc\n", "<<<<\na\n====\nd\ne\n>>>>\n<<<<\nc\n====\n>>>>\n", "d\ne\nb\n"},
		{"a part of a line", "a + b\n", "<<<<\n + b\n====\n - b\n>>>>\n", "a - b\n"},
		{"empty lines", "a\n\nb\n", "<<<<\na\n\nb\n====\n\nb\n>>>>\n", "\nb\n"},
		{"no place", "a\n", "<<<<\nb\n====\nc\n>>>>\n", `0 places are "b\n"; want exactly one, so the lab must follow a change of the step`},
		{"two places", "a\na\n", "<<<<\na\n====\nc\n>>>>\n", `2 places are "a\n"; want exactly one, so the lab must follow a change of the step`},
		{"no end", "a\n", "<<<<\na\n====\nc\n", `a block of edits is not closed: "a\n====\nc"`},
	} {
		got, err := edit([]byte(tt.text), []byte(tt.change))
		if err != nil {
			got = []byte(err.Error())
		}
		assert.Equal(t, tt.want, string(got), tt.name)
	}
}

func TestParse(t *testing.T) {
	for text, want := range map[string]string{
		`{"colour": "red"}`:  `unknown field "colour"`,
		`{"from": "99"}`:     `unknown step "99"; want a number from 1 to 13`,
		`{"within": "much"}`: "cannot unmarshal string",
		`{"title": "a"`:      "unexpected EOF",
	} {
		_, err := parse("a", []byte(text))
		assert.ErrorContains(t, err, want)
	}
}
