package main

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestReadRecipes(t *testing.T) {
	const text = "# a comment\n\none: example.com/a/b 0123\n\tcc $FLAGS -o\n\t\t$BIN/x^$\n\t$BIN/x $SCENE\n\ntwo:\n\techo\n"
	all, err := readRecipes(text)
	require.NoError(t, err)
	require.Len(t, all, 2)
	assert.Equal(t, "example.com/a/b 0123", all["one"].repository+" "+all["one"].commit)
	assert.Equal(t, "clones/b", all["one"].clone("clones"))
	require.Len(t, all["one"].commands, 2)
	vars := map[string]string{"FLAGS": "-O3 -g", "BIN": "a folder", "SCENE": ""}
	assert.Equal(t, command{"cc", "-O3", "-g", "-o", "a folder/x^$"}, all["one"].commands[0].expand(vars))
	assert.Equal(t, "cc $FLAGS -o $BIN/x^$", all["one"].commands[0].expand(nil).String())
	assert.Equal(t, command{"a folder/x", ""}, all["one"].commands[1].expand(vars))
}

func TestReadRecipesErrors(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"no colon", "one\n", `recipe "one`},
		{"no commit", "one: example.com/a/b\n", "a repository with a commit or nothing"},
		{"no recipe", "\techo\n", "before the first recipe"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := readRecipes(tt.text)
			assert.ErrorContains(t, err, tt.want)
		})
	}
}
