package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestAbilities(t *testing.T) {
	here := abilities{{"arm64", "no qemu", "install it"}, {"race", "", "install gcc"}, {"avx512", "no AVX-512", ""}}
	assert.True(t, here.has("") && here.has("race"))
	assert.False(t, here.has("race arm64") || here.has("avx512"))
	assert.NoError(t, here.allow([]string{"arm64"}))
	assert.EqualError(t, here.allow(nil), "cannot test arm64: no qemu; install it, or allow it with RAYSTEPS_BLIND=arm64")
	assert.ErrorContains(t, here.allow([]string{"arm64", "arm"}), "RAYSTEPS_BLIND names [arm]")
}

func TestLedger(t *testing.T) {
	l, failures := read([]byte(`{"Action":"pass","Package":"p","Test":"TestA"}
{"Action":"pass","Package":"p","Test":"TestB/part"}
{"Action":"output","Package":"p","Test":"TestC","Output":"=== RUN   TestC\n"}
{"Action":"output","Package":"p","Test":"TestC","Output":"    c_test.go:7: no AVX-512 here\n"}
{"Action":"skip","Package":"p","Test":"TestC"}
{"Action":"output","Package":"p","Test":"TestD","Output":"wrong\n"}
{"Action":"output","Package":"p","Test":"TestA","Output":"right\n"}
{"Action":"fail","Package":"p","Test":"TestD"}
{"ImportPath":"q","Action":"build-output","Output":"undefined: x\n"}
a tool
{"Action":"pass","Package":"p"}
{"Action":"pass","Package":"r"}
{"Action":"skip","Package":"s"}
`))
	assert.Equal(t, "wrong\nundefined: x\na tool\n", failures)
	assert.Len(t, l.passed, 2)
	assert.EqualError(t, l.blind([]string{"go", "test", "-run", "TestA|TestB/part", "./..."}), "r ran no test")
	delete(l.packages, "r")
	assert.NoError(t, l.blind([]string{"go", "test", "-run", "TestA|TestB/part", "./..."}))
	assert.EqualError(t, l.blind([]string{"go", "test", "-run", "TestA|TestE", "./..."}), "-run TestE matched no test that passed")
	assert.EqualError(t, l.blind([]string{"go", "test", "-run", "TestC"}), "-run TestC matched no test that passed", "it was skipped")
	assert.EqualError(t, ledger{}.blind(nil), "no package has tests")

	lacking := abilities{{"avx512", "no AVX-512", ""}}
	assert.EqualError(t, l.unexpected("", lacking), "these were skipped, and need not be here:\n\tp TestC: no AVX-512 here")
	assert.NoError(t, l.unexpected("no AVX", lacking))
	defer func(before []skip) { skips = before }(skips)
	skips = []skip{{"no AVX-512", "avx512"}}
	assert.NoError(t, l.unexpected("", lacking))
	assert.Error(t, l.unexpected("", abilities{{"avx512", "", ""}}), "it is here")
}

func TestFloors(t *testing.T) {
	assert.NoError(t, floors("raysteps/step01[raysteps/common/film fmt]\nraysteps/scripts/bench[raysteps/scripts/internal/cli raysteps/beyond/tree]\nraysteps/beyond/avx512/x[raysteps/beyond/avx512 raysteps/step12]\nraysteps/scripts/internal/a[raysteps/scripts/internal/b]\n"))
	for _, line := range []string{
		"raysteps/common[raysteps/scripts/internal/cli]", "raysteps/common/film[fmt raysteps/step01]", "raysteps/step01[raysteps/step02]",
		"raysteps/step13[raysteps/beyond/tree]", "raysteps/step13[raysteps/soagen]", "raysteps/scripts/internal/a[raysteps/scripts/bench]",
	} {
		assert.ErrorContains(t, floors(line), "of a floor above it or beside", line)
	}
}

// A check that fails says what it printed; a test that fails, too.
func TestRun(t *testing.T) {
	var out strings.Builder
	run := func(c check, tmp string) error {
		_, err := c.run(&out, tmp, nil)
		return err
	}
	assert.NoError(t, run(check{line: "go env GOARCH", env: "GOARCH=arm64", judge: nothingBut("arm64")}, ""))
	assert.Empty(t, out.String())
	assert.ErrorContains(t, run(check{line: "go env GOARCH", env: "GOARCH=arm64", judge: nothingBut("")}, ""), "GOARCH=arm64 go env GOARCH: it found something")
	assert.Equal(t, "arm64\n \n", out.String())
	assert.Error(t, run(check{line: "go nosuch"}, ""))
	assert.ErrorContains(t, run(check{line: "go test {tmp}"}, filepath.Join(t.TempDir(), "nosuch")), "nosuch")
}
