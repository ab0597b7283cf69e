package main

import (
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// Packages that have files for GOEXPERIMENT=simd alone.
const simdPackages = "./beyond/archsimd/... ./beyond/wavefront"

// otherPackages are all packages but simdPackages.
func otherPackages() string {
	all := "./.ci/gate ./common/... ./soagen/... ./step... ./scripts/..."
	for _, name := range glob("beyond/*") {
		if !strings.Contains(simdPackages, "/"+name) {
			all += " ./beyond/" + name + "/..."
		}
	}
	return all
}

// builds are environment variables of the builds that a machine can test. Each is without
// effect where the machine cannot.
type builds struct {
	simd   string // with the experiment
	latest string // with the newest Go, which has package simd for WebAssembly and arm64, too
	v3     string // with a level of GOAMD64
}

func buildsOf(here abilities) builds {
	b := builds{simd: "GOEXPERIMENT="}
	if here.has("simd") {
		b.simd += "simd"
	}
	if here.has("toolchain") {
		b.latest = "GOTOOLCHAIN=" + newestRelease()
	}
	if here.has("v3") {
		b.v3 = "GOAMD64=v3"
	}
	return b
}

// stages are all checks, in their order.
func stages(here abilities) []stage {
	b := buildsOf(here)
	return slices.Concat(
		b.sources(), commands(), b.tests(), b.kernels(), b.settings(), b.fuzzing(), b.emulated(),
	)
}

// otherBuild is said by tests of kernels that a build or a setting is without; in others they run.
const otherBuild = "^not tested: "

// sources are the stages that read the sources and run none of them.
func (b builds) sources() []stage {
	return []stage{
		{name: "formatting, go.mod, workflows, floors, small pieces", checks: []check{
			{line: "gofmt -l .ci beyond common scripts soagen " + strings.Join(glob("step*"), " "), judge: nothingBut("")},
			{line: "go mod tidy -diff"},
			{line: "go tool actionlint"},
			{line: "cmp step10/hit_arm64.s step11/hit_arm64.s"}, // so what tests one tests the other
			{line: "go list -f {{.ImportPath}}{{.Imports}} ./...", judge: floors},
			{line: "git ls-files --cached --others --exclude-standard *.go", judge: pieces},
			{line: "go test ./.ci/gate"},
		}},
		{name: "vet, staticcheck", checks: []check{
			{line: "go build -o {tmp}/ honnef.co/go/tools/cmd/staticcheck golang.org/x/tools/cmd/deadcode"},
			{line: "go vet ./... ./.ci/gate"},
			{line: "go vet " + simdPackages, env: b.simd},
			{line: "go vet ./...", in: browsertest},
			{line: "go mod tidy -diff", in: browsertest},
			{line: "go vet ./...", in: peers},
			{line: "go mod tidy -diff", in: peers},
			{line: "{tmp}/staticcheck ./...", in: peers},
			{line: "{tmp}/staticcheck " + otherPackages()},
			{line: "{tmp}/staticcheck " + simdPackages, env: b.simd},
		}},
		// For other systems packages are type-checked from their source, by deadcode, whatever
		// it finds: to compile all that they import takes six times as long. Tests of arm64
		// come at the end, with the newest Go; this one assembles its kernels for the labs.
		{name: "deadcode, and types on other systems", checks: []check{
			// It sees no overlay, by which this is in test binaries.
			{line: "{tmp}/deadcode -test ./... ./.ci/gate", env: b.simd, needs: "simd", judge: nothingBut("scripts/internal/measure/serve.go")},
			{line: "{tmp}/deadcode -test ./common/... ./step... ./beyond/... ./scripts/bench ./scripts/lab ./scripts/render", env: "GOOS=windows"},
			{line: "{tmp}/deadcode -test ./common/... ./step... ./beyond/...", env: "GOOS=darwin GOARCH=arm64"},
		}},
	}
}

// commands are those that the README and the pages show, in a short form, but for the book,
// whose test writes the same. They must leave the checkout as it is.
func commands() []stage {
	return []stage{{name: "the commands of the pages", checks: []check{
		{line: "go run ./scripts/bench -quick -time 10s -o {tmp}/all.txt"},
		{line: "go run ./scripts/bench -step 3,4 -time 3s -o {tmp}/steps.txt"},
		{line: "go run ./scripts/bench -experiments all -step 4 -time 1s -o {tmp}/experiments.txt"},
		{line: "go run ./scripts/bench -against HEAD -step 4 -time 1s"},
		{line: "go tool benchstat -ignore link-order,place -col pkg -row /scene {tmp}/steps.txt"},
		{line: "go run ./scripts/render -step 4 -scene large -samples 1 -o {tmp}/large.png"},
		{line: "go run ./scripts/render -scene common/scene/example.json -samples 1 -o {tmp}/example.tga"},
		{line: "go run ./scripts/render -scene medium -samples 1 -stats -phases"},
		{line: "go run ./scripts/diff 3 4"},
		{line: "go run ./scripts/lab"},
		{line: "git status --porcelain --untracked-files=normal", judge: nothingBut("")},
	}}}
}

// Modules of their own, below this one: the tests of the book in a browser, and what measures
// programs of others.
const (
	browsertest = "scripts/book/browsertest"
	peers       = "scripts/peers"
)

// tests are all tests with the Go of this machine, and with the other release those that the
// toolchain may change.
func (b builds) tests() []stage {
	return []stage{
		{name: "tests with " + runtime.Version(), checks: []check{
			{skips: `GOEXPERIMENT=simd|"(archsimd\d+|simd)"`, line: "go test -timeout 30m ./..."}, // without the experiment,
			{line: "go test ./...", in: peers},
		}},
		{name: "the book in a browser", needs: "browser npm", checks: []check{
			{line: "go test -count=1 ./...", in: browsertest, env: b.latest},
		}},
		// Of the scripts, those that read what the toolchain writes; the tests of the
		// others take minutes and say nothing of it. They are compiled, and not linked.
		{name: "tests with " + otherRelease(), needs: "toolchain", env: "GOTOOLCHAIN=" + otherRelease(), checks: []check{
			{line: "go list -export -f {{\"\"}} ./scripts/..."},
			{line: "go test ./common/... ./step... ./beyond/avx512 ./beyond/tree ./beyond/instrumented ./scripts/internal/measure ./scripts/internal/testbinary ./scripts/internal/toolchain"},
			{line: "go test -run TestPagesAreCurrent ./scripts/readme"},
			{line: "go test -run TestStep|FirstPass|Hit ./beyond/archsimd ./beyond/wavefront", env: b.simd, needs: "simd"},
			{line: "go test ./beyond/archsimd/...", env: b.simd, needs: "simd"},
		}},
	}
}

// kernels are the stages of kernels that are compiled with the experiment.
func (b builds) kernels() []stage {
	return []stage{
		// One source for every width. The sign passes over instructions that the package
		// simd may want and this kernel does not.
		{name: "package simd of " + newestRelease() + ", at each width", needs: "toolchain simd v3", env: b.simd + " " + b.latest, checks: []check{
			{line: "go test -run TestForms/simd|FirstPass/simd ./beyond/archsimd", env: "GODEBUG=simd=+128"},
			{line: "go test -run TestForms/simd|FirstPass/simd ./beyond/archsimd", env: "GODEBUG=simd=+256"},
			{line: "go test -run TestForms/simd|FirstPass/simd ./beyond/archsimd", env: "GODEBUG=simd=+512", needs: "avx512"},
			{line: "go test ./beyond/archsimd/kernels ./beyond/archsimd/start", env: "GODEBUG=simd=+128"},
			{line: "go test ./beyond/archsimd/kernels ./beyond/archsimd/start", env: "GODEBUG=simd=+256"},
		}},
		// What a browser runs, outside of one.
		{name: "the kernel for WebAssembly", needs: "toolchain simd node", env: b.simd + " " + b.latest + " GOOS=js GOARCH=wasm PATH=" + wasmPath(), checks: []check{
			{skips: "on Linux only", line: "go test -run TestStep|FirstPass ./step10 ./step11"},
			{skips: "on Linux only", line: "go test ./beyond/archsimd/kernels ./beyond/archsimd/start"},
		}},
	}
}

// settings are the tests with settings of the compiler and of the processor under which kernels
// are others, or checked.
func (b builds) settings() []stage {
	// One set of flags for all of these, so that they are compiled once.
	const checkptr = "-gcflags=raysteps/...=-d=checkptr"
	return []stage{
		{name: "tests with SIMD and with pointer checks", env: b.simd, checks: []check{
			// Without tests of pictures, which other stages have.
			{skips: `kernel "simd"`, line: "go test " + checkptr + " -skip TestWorkers|TestGrazing|TestSameAsStep12 ./beyond/archsimd/... ./beyond/wavefront", needs: "simd"},
			{skips: otherBuild, line: "go test " + checkptr + " -run TestStep ./beyond/avx512 ./beyond/archsimd ./beyond/wavefront ./beyond/tree", env: "GODEBUG=cpu.avx512f=off"},
			{line: "go test " + checkptr + " ./common/mem"},
			{line: "go test " + checkptr + " -run TestStep|FirstPass ./step05 ./step12 ./beyond/avx512 ./beyond/tree"},
		}},
		{name: "tests with the race detector", needs: "race", checks: []check{
			// With one set of flags for both, they are compiled once.
			{line: "go test -race -tags purego ./common/apiprof ./common/perf ./common/phase ./common/stats"},
			// It does not see what a kernel writes. The large scene takes most of the time, and
			// has the same code.
			{skips: otherBuild, line: "go test -race -tags purego -run Workers|Division|Instruments -skip TestWorkers/scene=large|TestWorkers/plain/scene=large ./step13 ./beyond/wavefront ./beyond/instrumented"},
		}},
		// With GOAMD64=v3 the compiler may fuse operations: of plain Go, which kernels have none
		// of. So what it might change is all here, without assembly.
		{name: "tests without assembly, and with GOAMD64=v3", env: b.v3, checks: []check{
			{skips: otherBuild, line: "go test -tags purego ./step10 ./step11 ./step12 -pairs 100000"}, // the twin alone
			{skips: otherBuild, line: "go test -tags purego -run TestStep|Workers ./step0... ./step13 ./beyond/avx512 ./beyond/archsimd ./beyond/wavefront ./beyond/tree ./beyond/instrumented"},
		}},
		{name: "tests without AVX2", checks: []check{
			{skips: otherBuild, line: "go test -run TestStep|FirstPass ./step12 ./step13", env: "GODEBUG=cpu.avx2=off", needs: "v3"},
		}},
	}
}

func (b builds) fuzzing() []stage {
	return []stage{
		{name: "fuzzing, a little each", env: b.simd, checks: []check{
			fuzz("./common/scene", "FuzzRead", 10000),
			fuzz("./step10", "FuzzFirstPass", 3000), // step 13 has the kernel of step 12
			fuzz("./step12", "FuzzFirstPass", 3000),
			fuzz("./beyond/avx512", "FuzzFirstPass", 3000),
			fuzz("./beyond/archsimd", "FuzzFirstPass", 3000),
			fuzz("./beyond/wavefront", "FuzzHit", 2000),
			fuzz("./beyond/archsimd/kernels", "FuzzKernels", 3000),
			fuzz("./beyond/tree", "FuzzSearch", 500),
		}},
	}
}

// emulated are the tests for arm64. The emulator is so slow that the larger scenes are left
// out, and what the tests for amd64 show as well.
func (b builds) emulated() []stage {
	const few, qemu = "^(scene=small|size=.*|one_sphere|empty_sky)$", "-exec qemu-aarch64-static"
	return []stage{
		{name: "tests for arm64, emulated", needs: "arm64", env: "GOARCH=arm64 " + b.simd + " " + b.latest, checks: []check{
			{skips: otherBuild, line: "go test -short " + qemu + " ./common/apiprof ./common/film ./common/mem ./common/scene ./common/stats"},
			{skips: otherBuild, line: "go test " + qemu + " -run TestStep/" + few + "|TestKernel ./step0... ./beyond/avx512"},
			{skips: otherBuild, line: "go test " + qemu + " -run TestKernel ./beyond/instrumented ./beyond/tree"},
			{skips: otherBuild, line: "go test " + qemu + " -run TestStep/plain/" + few + "|TestBest ./beyond/wavefront"},
			// The NEON kernels: all known answers, and the harness. Step 11 has the kernel of
			// step 10, and step 13 that of step 12.
			{skips: otherBuild, line: "go test " + qemu + " -run TestStep ./step10 ./step11 ./step12 ./step13"},
			{skips: otherBuild, line: "go test " + qemu + " -run TestFirstPass/(columns|neon)|TestFMA|FuzzFirstPass ./step10 ./step12 -pairs 100000"},
			{skips: otherBuild, line: "go test " + qemu + " -run TestStep/scene|TestKernel|TestForms/simd|TestFirstPass/simd ./beyond/archsimd", needs: "simd toolchain"},
			{skips: otherBuild, line: "go test " + qemu + " ./beyond/archsimd/kernels ./beyond/archsimd/start", needs: "simd toolchain"},
		}},
	}
}

// fuzz is a fuzz target in a folder, counted and not timed: with -fuzztime in seconds the
// fuzzer now and then reports "context deadline exceeded" and no finding when the time is
// up.
func fuzz(folder, target string, times int) check {
	return check{line: fmt.Sprintf("go test %s -run ^$ -fuzz %s -fuzztime %dx -fuzzminimizetime 10x", folder, target, times)}
}

// glob returns the files and folders of the module that fit a pattern, without endings.
func glob(pattern string) (all []string) {
	files, _ := filepath.Glob(pattern) // only a mistake in the pattern is an error
	for _, file := range files {
		all = append(all, strings.TrimSuffix(filepath.Base(file), filepath.Ext(file)))
	}
	return all
}

// skips are the reasons for which a test may be skipped in any run.
var skips = []skip{
	{"this user may write everywhere", ""}, // root
	{"is run by others", ""},               // a test that is a process of others
	{"needs llvm-mca-19", ""},              // which writes a file that is checked without it
	{"the file is for another Go", ""},
	{"this machine has one processor", "cores"},
	{"valgrind", "counts"},
	{"cannot run the kernel \"(avx512|archsimd512)\"", "avx512"},
}
