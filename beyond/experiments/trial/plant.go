package main

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// subject is a package whose benchmarks are compared.
type subject struct {
	name, module, version string
	folder                string // of the package in its module
	bench                 string
}

var subjects = []subject{
	{"fse", "github.com/klauspost/compress", "v1.20.4", "fse",
		"^Benchmark(Compress|Decompress)$/^(gettysburg|digits|low-ent|superlow-ent|pngdata.001)$"},
	{"norm", "golang.org/x/text", "v0.44.0", "unicode/norm",
		"^Benchmark(BytesChangeNFC|AppendChangeNFC|AppendLargeNFC|IterChangeNFC|IterLargeNFC|NormalizeAsciiNFC|NormalizeHangulNFC2NFD|CanonicalOrdering|Japanese|ExtendedLatin)$"},
	{"btree", "github.com/google/btree", "v1.1.3", ".",
		"^Benchmark(DeleteInsertG|DeleteInsertCloneOnceG|DeleteInsertCloneEachTimeG|AscendG|DescendG|AscendRangeG|DescendLessOrEqualG|DeleteInsert|Ascend|Descend)$"},
	{"decimal", "github.com/shopspring/decimal", "v1.6.0", ".",
		"^Benchmark(NewFromStringFloat|Decimal_RoundCash_Five|Decimal_Pow|Decimal_PowWithPrecision|Decimal_PowBigInt|Decimal_PowNegativeExponent|Decimal_NewFromString|Decimal_NewFromString_large_number|Decimal_ExpHullAbraham|Decimal_ExpTaylor)$"},
	{"bitset", "github.com/bits-and-blooms/bitset", "v1.29.0", ".",
		"^BenchmarkBitsetOps$/^(Equal|FlipRange|NextSet|DifferenceCardinality|InPlaceUnion)$|^Benchmark(Count|Iterate|SparseIterate|BitsetReadWrite|FlorianUekermannIterateManyReg)$"},
	{"semver", "github.com/Masterminds/semver/v3", "v3.5.0", ".",
		"^Benchmark(NewConstraintUnary|NewConstraintTilde|NewConstraintCaret|NewConstraintWildcard|NewConstraintRange|NewConstraintUnion|NewVersionSimple|NewVersionPre|NewVersionMeta|ValidateVersionUnionFail)$"},
	{"regexp2", "github.com/dlclark/regexp2", "v1.12.0", ".",
		"^Benchmark(Literal|NotLiteral|MatchClass|MatchClass_InRange|OnePassShortA|NotOnePassShortA|OnePassShortB|MatchEasy1_1K|MatchMedium_1K|MatchEasy0_32K)$"},
	{"expr", "github.com/expr-lang/expr", "v1.17.8", ".",
		"^Benchmark_(expr_eval|filter|filterFirst|filterLast|filterMap|callFunc|sort|groupBy|min|median)$"},
}

// classes are the changes in percent, in the rows of a package.
var classes = []float64{0, 0, 0, 0, 0.5, 1, 2, 2, 2, 5}

// row is a benchmark of a package.
type row struct {
	name    string  // as benchstat has it
	seconds float64 // of an iteration of the old version
	class   float64 // the change in percent
	more    int     // squarings of the new version
}

// planted is the change in percent, to a squaring.
func (r row) planted(squaring float64) float64 { return 100 * float64(r.more) * squaring / r.seconds }

// draw says what changes in which row.
func draw(rows []row, squaring float64, random *rand.Rand) {
	order := random.Perm(len(classes))
	for i := range rows {
		r := &rows[i]
		r.class = classes[order[i%len(order)]]
		r.more = int(math.Round(r.class / 100 * r.seconds / squaring))
	}
}

// base is how many squarings the old version has: the first thirty or so overlap with what is
// before and behind them, and what comes on top does not. Block is how many stand behind each
// other: a branch at the end of many costs little if it is mispredicted.
const base, block = 80, 256

// squaring is the benchmark of one.
const squaring = "RaystepsSquaring"

var (
	loop        = regexp.MustCompile(`\bfor ([^{}\n]*\b(\w+)\.(?:N\b|Loop\(\))[^{}\n]*)\{`) // the head of one over b.N or b.Loop()
	packageName = regexp.MustCompile(`(?m)^package (\w+)`)
)

// rewriteAll rewrites the tests of a copied package, and returns the names of packages that
// have benchmarks with loops.
func rewriteAll(dir string) (packages []string, err error) {
	files, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
	for _, file := range files {
		source, err := os.ReadFile(file)
		if err == nil && loop.Match(source) {
			packages = append(packages, string(packageName.FindSubmatch(source)[1]))
			err = os.WriteFile(file, rewrite(source), 0o666)
		}
		if err != nil {
			return nil, err
		}
	}
	slices.Sort(packages)
	return slices.Compact(packages), err
}

// rewrite puts a call into each loop, before which the benchmark's name says of what.
func rewrite(source []byte) []byte {
	return loop.ReplaceAll(source, []byte("raystepsWork = raystepsPlanted($2.Name()); for ${1}{ raystepsWork();"))
}

// plant writes the work of a version, none if there are no rows, and for the new one a function of
// so many lines more.
func plant(dir string, packages []string, rows []row, after bool, lines int) (err error) {
	for _, pkg := range packages {
		err = cmp.Or(err, os.WriteFile(filepath.Join(dir, "raysteps_"+pkg+"_planted_test.go"), []byte(work(pkg, rows, after)), 0o666))
		if after {
			text := function(strings.TrimSuffix(pkg, "_test"), lines)
			err = cmp.Or(err, os.WriteFile(filepath.Join(dir, "a_raysteps.go"), []byte(text), 0o666))
		}
	}
	return err
}

// work returns the source of the extra work in a version. A benchmark that is no row, as all are at
// first, has that of the old one.
func work(pkg string, rows []row, after bool) string {
	var b strings.Builder
	fmt.Fprintf(&b, "package %s\n\nimport (\n\t\"sync/atomic\"\n\t\"testing\"\n)\n\nvar raystepsState uint64 = 3\n\nvar raystepsWork func()\n\nfunc raystepsPlanted(name string) func() {\n\tswitch name {\n", pkg)
	for i, r := range rows {
		fmt.Fprintf(&b, "\tcase %q:\n\t\treturn raystepsWork%d\n", "Benchmark"+r.name, i)
	}
	fmt.Fprintf(&b, "\t}\n\treturn raystepsWork%d\n}\n", len(rows))
	for i, r := range append(slices.Clip(rows), row{}) {
		n := base
		if after {
			n += r.more
		}
		fmt.Fprintf(&b, "\n//go:noinline\nfunc raystepsWork%d() {\n\tx := atomic.AddUint64(&raystepsState, 2) | 1\n", i)
		if n >= block {
			fmt.Fprintf(&b, "\tfor i := 0; i < %d; i++ {\n%s\t}\n", n/block, strings.Repeat("\t\tx *= x\n", block))
		}
		b.WriteString(strings.Repeat("\tx *= x\n", n%block) + "\tatomic.AddUint64(&raystepsState, x<<1)\n}\n")
	}
	fmt.Fprintf(&b, "\nfunc Benchmark%s(b *testing.B) {\n\tx := raystepsState\n\tfor i := 0; i < b.N; i++ {\n\t\tx *= x\n\t}\n\traystepsState = x | 1\n}\n", squaring)
	return b.String()
}

// function returns the source of a function of so many lines, which is called once.
func function(pkg string, lines int) string {
	return fmt.Sprintf("package %s\n\nvar raystepsMore = 3\n\nfunc init() { raystepsMore = raystepsFunction(raystepsMore) }\n\n//go:noinline\nfunc raystepsFunction(x int) int {\n%s\treturn x\n}\n",
		pkg, strings.Repeat("\tx = x*x + x>>3\n", lines))
}
