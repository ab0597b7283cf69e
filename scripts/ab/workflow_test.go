package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/rhysd/actionlint"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// workflow returns the commands of the workflow on the page.
func workflow(t *testing.T) (commands []string) {
	page, err := os.ReadFile("../../docs/program.md")
	require.NoError(t, err)
	block := regexp.MustCompile("(?s)```yaml\n(.*?)```").FindSubmatch(page)
	require.NotNil(t, block)
	parsed, mistakes := actionlint.Parse(block[1])
	require.Empty(t, mistakes)
	for _, step := range parsed.Jobs["ab"].Steps {
		switch exec := step.Exec.(type) {
		case *actionlint.ExecAction:
			assert.Regexp(t, `^actions/[\w-]+@[0-9a-f]{40}$`, exec.Uses.Value, "pinned")
		case *actionlint.ExecRun:
			commands = append(commands, exec.Run.Value)
		}
	}
	require.Len(t, commands, 3)
	return commands
}

// The workflow compares a pull request with what it is merged into, and not with what others
// merged since. A host would add checking out and Go.
func TestWorkflow(t *testing.T) {
	commands := workflow(t)
	work := t.TempDir()
	repository, base := pulls(t, work)
	self, err := os.Executable()
	require.NoError(t, err)
	bin := filepath.Join(work, "bin")
	env := append(os.Environ(), "RAYSTEPS="+stub(t), "GOBIN="+bin, "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"), "AB="+self)
	run := func(branch, command string) (status int, summary, printed string) {
		runGit(t, repository, "checkout", "-q", branch)
		file := filepath.Join(t.TempDir(), "summary")
		cmd := exec.Command("bash", "-e", "-c", command)
		cmd.Dir, cmd.Env = repository, append(env, "GITHUB_STEP_SUMMARY="+file)
		out, _ := cmd.CombinedOutput()
		text, _ := os.ReadFile(file)
		return cmd.ProcessState.ExitCode(), string(text), string(out)
	}
	status, _, printed := run("main", commands[0])
	require.Zero(t, status, printed)

	status, summary, printed := run("better-merged", commands[2])
	assert.Contains(t, []int{0, exitUnknown}, status, "as the machine allows: %s", printed)
	assert.Regexp(t, "^```\nold: HEAD\\^1 \\("+base+"\\)\nnew: the folder as it is\n\n(?s:.*)```\n$", summary)
	status, summary, printed = run("broken-merged", commands[2])
	assert.Equal(t, exitUnknown, status, printed)
	assert.Empty(t, summary)
	_, summary, printed = run("main", commands[1])
	assert.Contains(t, summary, "\nnew: the same\n", printed)
	assert.Contains(t, summary, "\nnew: the same, with 10 % of work planted in each benchmark\n", printed)
	assert.Contains(t, summary, " a change of 10 % is called in ", printed)
}

// pulls makes a repository with a branch for each of two pull requests as a host merges it, one
// better, one broken, and returns the commit both begin from.
func pulls(t *testing.T, work string) (repository, base string) {
	require.NoError(t, os.CopyFS(filepath.Join(work, "mine"), os.DirFS("testdata/program")))
	repository = filepath.Join(work, "mine")
	read := func(name string) string {
		text, err := os.ReadFile(filepath.Join(repository, name))
		require.NoError(t, err)
		return string(text)
	}
	before, better := read("count.go"), read("after/count.go")
	require.NoError(t, os.RemoveAll(filepath.Join(repository, "after")))
	runGit(t, repository, "init", "-q", "-b", "main")
	commit(t, repository)
	base = strings.TrimSpace(runGit(t, repository, "rev-parse", "--short", "HEAD"))
	for branch, source := range map[string]string{"better": better, "broken": before + "\nfunc broken() int { return nil }\n"} {
		runGit(t, repository, "checkout", "-q", "-b", branch, base)
		write(t, repository, "-- count.go --\n"+source)
		commit(t, repository)
		runGit(t, repository, "checkout", "-q", "-b", branch+"-merged", base)
		runGit(t, repository, "merge", "-q", "--no-ff", "-m", "merge", branch)
	}
	runGit(t, repository, "checkout", "-q", "main")
	write(t, repository, "-- count.go --\n"+before+"\nvar merged = func() int { return 1 }()\n")
	commit(t, repository)
	return repository, base
}

// stub is a clone whose command hands its arguments to this test.
func stub(t *testing.T) string {
	return repositoryOf(t, "-- go.mod --\nmodule raysteps\n\ngo 1.24\n"+`
-- scripts/ab/main.go --
package main

import (
	"os"
	"os/exec"
)

func main() {
	cmd := exec.Command(os.Getenv("AB"), os.Args[1:]...)
	cmd.Env, cmd.Stdout, cmd.Stderr = append(os.Environ(), "IS_AB=yes"), os.Stdout, os.Stderr
	cmd.Run()
	os.Exit(cmd.ProcessState.ExitCode())
}`)
}
