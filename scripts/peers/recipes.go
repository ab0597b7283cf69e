package main

import (
	_ "embed"
	"fmt"
	"os"
	"strings"
)

//go:embed recipes.txt
var recipesText string

// recipe says how a program is built and run; recipes.txt has what its parts mean.
type recipe struct {
	repository string // github.com/OWNER/NAME of the clone that it needs, or empty
	commit     string // of that clone
	commands   []command
}

// command is a program and its arguments, with $NAMEs of variables in them.
type command []string

// readRecipes reads a file of recipes.
func readRecipes(text string) (map[string]*recipe, error) {
	all := map[string]*recipe{}
	var last *recipe
	for line := range strings.Lines(text) {
		words := strings.Fields(line)
		switch {
		case len(words) == 0 || words[0][0] == '#':
		case line[0] != '\t':
			name, found := strings.CutSuffix(words[0], ":")
			if !found || len(words) != 1 && len(words) != 3 {
				return nil, fmt.Errorf("recipe %q: want a name with a colon, and a repository with a commit or nothing", line)
			}
			last = new(recipe)
			if all[name] = last; len(words) == 3 {
				last.repository, last.commit = words[1], words[2]
			}
		case last == nil:
			return nil, fmt.Errorf("command %q stands before the first recipe", line)
		case strings.HasPrefix(line, "\t\t") && len(last.commands) > 0:
			n := len(last.commands) - 1
			last.commands[n] = append(last.commands[n], words...)
		default:
			last.commands = append(last.commands, words)
		}
	}
	return all, nil
}

// expand puts the values of variables into a command. One without a value stays. Flags, alone
// in a word, are as many words as they have.
func (c command) expand(vars map[string]string) (expanded command) {
	for _, word := range c {
		if word == "$FLAGS" && vars["FLAGS"] != "" {
			expanded = append(expanded, strings.Fields(vars["FLAGS"])...)
			continue
		}
		expanded = append(expanded, os.Expand(word, func(name string) string {
			if value, known := vars[name]; known {
				return value
			}
			return "$" + name
		}))
	}
	return expanded
}

func (c command) String() string { return strings.Join(c, " ") }
