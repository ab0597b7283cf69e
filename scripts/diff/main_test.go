package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"raysteps/scripts/internal/steps"
)

func run(t *testing.T, args string) (status int, stdout, stderr string) {
	var out, err bytes.Buffer
	status = command.Exec(t.Context(), strings.Fields(args), &out, &err)
	return status, out.String(), err.String()
}

// What a lesson looks like package source tests.
func TestDiff(t *testing.T) {
	for args, want := range map[string]string{
		"1 2": "step01 to step02: ", "02": "step01 to step02: ", "step02/": "step01 to step02: ", "2 1": "step02 to step01: ",
		"avx512": "step12 to beyond/avx512: ", "3 avx512": "step03 to beyond/avx512: ",
	} {
		status, stdout, stderr := run(t, args)
		assert.Zero(t, status, args)
		assert.True(t, strings.HasPrefix(stdout, want), "%s: %s", args, stdout)
		assert.Contains(t, stdout, "\n@@ -", args)
		assert.Empty(t, stderr, args)
	}
}

func TestMisuse(t *testing.T) {
	for args, want := range map[string]string{
		"":         "no step; want one or two, as in diff 3 4",
		"1 x":      `unknown step "x"; want ` + steps.Choices(),
		"0 1":      `cannot compare "0" with step01; want two steps, each ` + steps.Choices(),
		"1 step01": `cannot compare "1" with step01; want two steps, each ` + steps.Choices(),
		"1":        "step01 goes on from no step; want two steps, as in diff 1 2",
	} {
		status, stdout, stderr := run(t, args)
		assert.Equal(t, 2, status, args)
		assert.Empty(t, stdout, args)
		assert.Equal(t, "diff: "+want+"\n", stderr)
	}
}
