package main

import (
	"path/filepath"
	"slices"
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
	l := ledger{map[string]bool{}, map[string]bool{}}
	packages, failures := l.read("suite", []byte(`{"Action":"pass","Package":"p","Test":"TestA"}
{"Action":"skip","Package":"p","Test":"TestB"}
{"Action":"skip","Package":"p","Test":"TestC"}
{"Action":"output","Package":"p","Test":"TestD","Output":"wrong\n"}
{"Action":"output","Package":"p","Test":"TestA","Output":"right\n"}
{"Action":"fail","Package":"p","Test":"TestD"}
{"ImportPath":"q","Action":"build-output","Output":"undefined: x\n"}
a tool
{"Action":"pass","Package":"r"}
{"Action":"skip","Package":"s"}
`))
	assert.Equal(t, 1, packages)
	assert.Equal(t, "wrong\nundefined: x\na tool\n", failures)
	assert.NoError(t, l.missed([]string{"suite p TestA", "suite p TestAny"}))
	assert.ErrorContains(t, l.missed([]string{"suite p TestA", "race p TestA", "suite p TestB"}), "did not run:\n\trace p TestA\n\tsuite p TestB")
	assert.Error(t, l.missed(nil), "a list that is lost")

	l.read("other", []byte(`{"Action":"pass","Package":"p","Test":"TestB"}`))
	here := abilities{{"v3", "no AVX2", ""}}
	assert.ErrorContains(t, l.unexpected(nil, here), "may be:\n\tp TestC")
	assert.NoError(t, l.unexpected([]skip{{"p Test.", "v3", ""}}, here))
	assert.Error(t, l.unexpected([]skip{{"p Test.", "race", ""}}, here), "race is here")
	assert.Error(t, l.unexpected([]skip{{"p Test", "", ""}}, here), "all of the name")
}

func TestFloors(t *testing.T) {
	assert.NoError(t, floors("raysteps/step01[raysteps/common/film fmt]\nraysteps/scripts/bench[raysteps/scripts/internal/cli raysteps/beyond/tree]\nraysteps/beyond/avx512/x[raysteps/beyond/avx512]\nraysteps/scripts/internal/a[raysteps/scripts/internal/b]\n"))
	for _, line := range []string{
		"raysteps/common[raysteps/scripts/internal/cli]", "raysteps/common/film[fmt raysteps/step01]", "raysteps/step01[raysteps/step02]",
		"raysteps/beyond/tree[raysteps/step13]", "raysteps/step13[raysteps/soagen]", "raysteps/scripts/internal/a[raysteps/scripts/bench]",
	} {
		assert.ErrorContains(t, floors(line), "of a floor above it or beside", line)
	}
}

// A check that fails says what it printed; a test that fails, too.
func TestRun(t *testing.T) {
	var out strings.Builder
	none := ledger{map[string]bool{}, map[string]bool{}}
	assert.NoError(t, check{line: "go env GOARCH", env: "GOARCH=arm64", judge: nothingBut("arm64")}.run(&out, "", none))
	assert.Empty(t, out.String())
	assert.ErrorContains(t, check{line: "go env GOARCH", env: "GOARCH=arm64", judge: nothingBut("")}.run(&out, "", none), "GOARCH=arm64 go env GOARCH: it found something")
	assert.Equal(t, "arm64\n \n", out.String())
	assert.Error(t, check{line: "go nosuch"}.run(&out, "", none))
	assert.ErrorContains(t, check{line: "go test {tmp}", tests: "a"}.run(&out, filepath.Join(t.TempDir(), "nosuch"), none), "nosuch: exit status 1")
}

// Every step, kernel and lab is in the list by its folder, and only what can run here.
func TestRequired(t *testing.T) {
	t.Chdir(filepath.Join("..", ".."))
	all := required(abilities{})
	for _, test := range []string{"suite raysteps/step01 TestStep/scene=small", "suite raysteps/step13 TestFirstPass/avx2/pages", "suite raysteps/scripts/lab TestLabs/slow10",
		"suite raysteps/scripts/lab TestLabs/tiles", "fuzz raysteps Fuzz", "arm64 raysteps/step12 TestFirstPass/neon/counts", "purego raysteps/step10 TestStep/kernel"} {
		assert.Contains(t, all, test)
	}
	assert.NotContains(t, all, "suite raysteps/scripts/lab TestLabs/all")
	few := required(abilities{{"arm64", "none", ""}, {"cores", "one", ""}, {"v3", "none", ""}})
	assert.Less(t, len(few), len(all))
	assert.NotContains(t, few, "suite raysteps/scripts/lab TestLabs/tiles")
	assert.False(t, slices.ContainsFunc(few, func(test string) bool { return strings.HasPrefix(test, "arm64 ") }))

	runs := map[string]bool{}
	for _, s := range stages(abilities{}) {
		for _, c := range s.checks {
			runs[c.tests] = true
		}
	}
	for _, test := range all {
		run, _, _ := strings.Cut(test, " ")
		assert.True(t, runs[run], "a run of %s", test)
	}
}
