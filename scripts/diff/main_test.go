package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"raysteps/scripts/internal/steps"
)

// What a lesson looks like package source tests.
func TestDiff(t *testing.T) {
	for args, want := range map[string]string{ // the start of what is printed
		"1 2": "step01 to step02: ", "02": "step01 to step02: ", "2 step01/": "step02 to step01: ", "avx512": "step12 to beyond/avx512: ",
		"-target linux/arm64 10": "step09 to step10: ",
		"-target arm 10":         `diff: invalid value "arm" for flag -target: unknown target "arm"; want one of linux/amd64, `,
		"":                       "diff: no step; want one or two, as in diff 3 4\n",
		"1 x":                    `diff: unknown step "x"; want ` + steps.Choices + "\n",
		"0 1":                    `diff: cannot compare "0" with step01; want two steps, each ` + steps.Choices + "\n",
		"1 1":                    `diff: cannot compare "1" with step01; want two steps, each ` + steps.Choices + "\n",
		"1":                      `diff: cannot compare "nothing" with step01; want two steps, each ` + steps.Choices + "\n",
	} {
		var out bytes.Buffer
		status := command.Exec(t.Context(), strings.Fields(args), &out, &out)
		assert.True(t, strings.HasPrefix(out.String(), want), "%s: %s", args, &out)
		assert.Equal(t, strings.HasPrefix(want, "diff: "), status == 2, args)
		assert.Equal(t, status == 0, strings.Contains(out.String(), "\n@@ -"), args)
	}
}
