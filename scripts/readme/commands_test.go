package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"raysteps/scripts/internal/cli"
)

// fenced are the blocks of a page that a reader types: those without a language.
var fenced = regexp.MustCompile("(?ms)^```\n(.*?)^```$")

// commandsOf returns the lines of a page that call go, with variables in front of it or not, as
// words. A comment behind a command is none of them.
func commandsOf(page string) (all [][]string) {
	for _, block := range fenced.FindAllStringSubmatch(page, -1) {
		for line := range strings.Lines(block[1]) {
			line, _, _ = strings.Cut(line, " #")
			words := strings.Fields(strings.ReplaceAll(line, "'", ""))
			i := 0
			for i < len(words) && regexp.MustCompile(`^[A-Z]+=`).MatchString(words[i]) {
				i++
			}
			if i < len(words) && words[i] == "go" {
				all = append(all, words)
			}
		}
	}
	return all
}

// The commands of the pages for a slow service run as written, one after the other, but for three
// things: a benchmark has one iteration or half a second, the files that they make are in a folder that is
// deleted, and of the commands that measure only the flags are looked for, as those take a minute.
func TestCommandsRun(t *testing.T) {
	if testing.Short() {
		t.Skip("it runs benchmarks")
	}
	root, err := cli.ModuleRoot()
	require.NoError(t, err)
	for _, page := range []string{"profile", "processor", "allocations", "compiler", "benchmark"} {
		t.Run(page, func(t *testing.T) {
			all := commandsOf(read(t, root, "docs/"+page+".md"))
			require.NotEmpty(t, all)
			tmp := t.TempDir()
			for _, words := range all {
				if strings.Contains(strings.Join(words, " "), "go run ./scripts/") {
					knowsFlags(t, root, words)
					continue
				}
				runCommand(t, root, tmp, words)
			}
		})
	}
}

// transient matches a file that a command makes or reads.
var transient = regexp.MustCompile(`^\w+\.(pprof|test|txt)$`)

func runCommand(t *testing.T, root, tmp string, words []string) {
	env, out := os.Environ(), ""
	var args []string
	for i, word := range words {
		switch {
		case len(args) == 0 && strings.Contains(word, "="):
			env = append(env, word)
		case word == ">":
		case i > 0 && words[i-1] == ">":
			out = filepath.Join(tmp, word)
		case transient.MatchString(word):
			args = append(args, filepath.Join(tmp, word))
		default:
			args = append(args, word)
		}
	}
	if args[1] == "test" {
		flags := []string{"-benchtime=1x"}
		if strings.Contains(strings.Join(args, " "), "-cpuprofile") { // which wants samples
			flags[0] = "-benchtime=500ms"
		}
		if !strings.Contains(strings.Join(args, " "), " -o ") {
			flags = append(flags, "-o="+filepath.Join(tmp, "a.test"))
		}
		args = append(args[:2:2], append(flags, args[2:]...)...)
	}
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Dir, cmd.Env = root, env
	printed, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s\n%s", strings.Join(words, " "), printed)
	if args[1] != "build" {
		assert.NotEmpty(t, printed, strings.Join(words, " "))
	}
	if args[1] == "test" {
		assert.Contains(t, string(printed), "\nBenchmark", strings.Join(words, " "))
	}
	if out != "" {
		require.NoError(t, os.WriteFile(out, printed, 0o666))
	}
}

// knowsFlags asks a command of scripts whether it has the flags that a page shows.
func knowsFlags(t *testing.T, root string, words []string) {
	cmd := exec.Command("go", "run", words[2], "-help")
	cmd.Dir = root
	help, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", help)
	for i, word := range words[3:] {
		valued := i > 0 && words[2+i] == "-new-flags" // the value of a flag
		if strings.HasPrefix(word, "-") && !valued {
			assert.Regexp(t, `(?m)^\s*`+word+`\b`, string(help), strings.Join(words, " "))
		}
	}
}
