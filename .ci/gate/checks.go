package main

import (
	_ "embed"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/klauspost/cpuid/v2"
)

// releases are the oldest Go that the module builds with and the newest. The tests run
// with the Go that is here and with the one of these that it is not.
//
//go:embed releases.txt
var releases string

// look finds out what this machine can test.
func look() abilities {
	unless := func(ok bool, lack string) string {
		if ok {
			return ""
		}
		return lack
	}
	works := func(line string) bool {
		words := strings.Fields("env " + line)
		return exec.Command(words[0], words[1:]...).Run() == nil
	}
	found := func(names ...string) bool {
		for _, name := range names {
			if _, err := exec.LookPath(name); err == nil {
				return true
			}
		}
		return false
	}
	return abilities{
		{"arm64", unless(found("qemu-aarch64-static"), "there is no qemu-aarch64-static"), "install qemu-user-static"},
		{"counts", unless(works("GODEBUG=cpu.rdtscp=off valgrind --quiet --tool=none go version"), "valgrind does not run"), "install it"},
		{"browser", unless(found("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "chrome"), "there is no Chromium"), "install chromium-headless-shell or chromium"},
		{"node", unless(found("node"), "there is no node"), "install nodejs, 20 or later"},
		{"npm", unless(found("npm"), "there is no npm, which gets axe-core for the book's tests"), "install it"},
		{"race", unless(works("go build -race -o /dev/null ./common"), "the race detector needs cgo and a C compiler"), "install gcc and set CGO_ENABLED=1"},
		{"simd", unless(works("GOEXPERIMENT=simd go list simd/archsimd"), "this Go has no GOEXPERIMENT=simd"), "install " + oldest() + " or later, for amd64"},
		{"toolchain", unless(works("GOTOOLCHAIN="+other()+" go version"), other()+" cannot be fetched"), "allow GOPROXY to be reached"},
		{"cores", unless(runtime.NumCPU() >= 2, "there is one processor, so no goroutines can gain"), "take another machine"},
		{"v3", unless(cpuid.CPU.Supports(cpuid.AVX2, cpuid.FMA3, cpuid.BMI2), "the processor is not one of GOAMD64=v3, with AVX2 and FMA"), "take another machine"},
		// Half of today's processors lack AVX-512. The steps do without it, and nobody
		// can install it, so that is told and is no failure.
		{"avx512", unless(cpuid.CPU.Supports(cpuid.AVX512F, cpuid.AVX512DQ, cpuid.AVX512BW, cpuid.AVX512VL), "the processor has no AVX-512"), ""},
	}
}

func oldest() string { return strings.Fields(releases)[0] }
func newest() string { return strings.Fields(releases)[1] }

// other returns the release that is not the Go of this machine.
func other() string {
	minor := oldest()[:strings.LastIndex(oldest(), ".")]
	if strings.HasPrefix(runtime.Version(), minor) {
		return newest()
	}
	return oldest()
}

// wasmPath is the PATH with the folder of the newest Go's go_js_wasm_exec in front, by
// which go test finds node.
func wasmPath() string {
	cmd := exec.Command("go", "env", "GOROOT")
	cmd.Env = append(os.Environ(), "GOTOOLCHAIN="+newest())
	root, _ := cmd.Output() // without it the check fails
	return filepath.Join(strings.TrimSpace(string(root)), "lib", "wasm") + string(os.PathListSeparator) + os.Getenv("PATH")
}

// commands are those that the README and the pages show, in a short form, but for the book,
// whose test writes the same. They must leave the checkout as it is.
var commands = []check{
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
}

// Modules of their own, below this one: the tests of the book in a browser, and what measures
// programs of others.
const (
	browsertest = "scripts/book/browsertest"
	peers       = "scripts/peers"
)

// stages are all checks, in their order.
func stages(here abilities) []stage {
	simd, latest, v3 := "GOEXPERIMENT=", "", ""
	if here.has("simd") {
		simd += "simd"
	}
	if here.has("toolchain") {
		latest = "GOTOOLCHAIN=" + newest() // which has package simd for WebAssembly and arm64, too
	}
	if here.has("v3") {
		v3 = "GOAMD64=v3"
	}
	// Packages with files for the experiment alone, and the others.
	const withSIMD = "./beyond/archsimd/... ./beyond/wavefront"
	withoutSIMD := "./.ci/gate ./common/... ./soagen/... ./step... ./scripts/..."
	for _, name := range glob("beyond/*") {
		if !strings.Contains(withSIMD, "/"+name) {
			withoutSIMD += " ./beyond/" + name + "/..."
		}
	}
	// One set of flags for all of these, so that they are compiled once.
	const checkptr = "-gcflags=raysteps/...=-d=checkptr"
	// The emulator is so slow that the larger scenes are left out, and what the tests
	// for amd64 show as well.
	const few, qemu = "^(scene=small|size=.*|one_sphere|empty_sky)$", "-exec qemu-aarch64-static"
	// Kernels are skipped where a build or a setting is without them; the others have them.
	const otherBuild = "^not tested: "
	return []stage{
		{name: "formatting, go.mod, workflows, floors", checks: []check{
			{line: "gofmt -l .ci beyond common scripts soagen " + strings.Join(glob("step*"), " "), judge: nothingBut("")},
			{line: "go mod tidy -diff"},
			{line: "go tool actionlint"},
			{line: "cmp step10/hit_arm64.s step11/hit_arm64.s"}, // so what tests one tests the other
			{line: "go list -f {{.ImportPath}}{{.Imports}} ./...", judge: floors},
			{line: "go test ./.ci/gate"},
		}},
		{name: "vet, staticcheck", checks: []check{
			{line: "go build -o {tmp}/ honnef.co/go/tools/cmd/staticcheck golang.org/x/tools/cmd/deadcode"},
			{line: "go vet ./... ./.ci/gate"},
			{line: "go vet " + withSIMD, env: simd},
			{line: "go vet ./...", in: browsertest},
			{line: "go mod tidy -diff", in: browsertest},
			{line: "go vet ./...", in: peers},
			{line: "go mod tidy -diff", in: peers},
			{line: "{tmp}/staticcheck ./...", in: peers},
			{line: "{tmp}/staticcheck " + withoutSIMD},
			{line: "{tmp}/staticcheck " + withSIMD, env: simd},
		}},
		// For other systems packages are type-checked from their source, by deadcode, whatever
		// it finds: to compile all that they import takes six times as long. Tests of arm64
		// come at the end, with the newest Go; this one assembles its kernels for the labs.
		{name: "deadcode, and types on other systems", checks: []check{
			// It sees no overlay, by which this is in test binaries.
			{line: "{tmp}/deadcode -test ./... ./.ci/gate", env: simd, needs: "simd", judge: nothingBut("scripts/internal/measure/serve.go")},
			{line: "{tmp}/deadcode -test ./common/... ./step... ./beyond/... ./scripts/bench ./scripts/lab ./scripts/render", env: "GOOS=windows"},
			{line: "{tmp}/deadcode -test ./common/... ./step... ./beyond/...", env: "GOOS=darwin GOARCH=arm64"},
		}},
		{name: "the commands of the pages", checks: commands},
		{name: "tests with " + runtime.Version(), checks: []check{
			{skips: `GOEXPERIMENT=simd|"(archsimd\d+|simd)"`, line: "go test -timeout 30m ./..."}, // without the experiment,
			{line: "go test ./...", in: peers},
		}},
		{name: "the book in a browser", needs: "browser npm", checks: []check{
			{line: "go test -count=1 ./...", in: browsertest, env: latest},
		}},
		// Of the scripts, those that read what the toolchain writes; the tests of the
		// others take minutes and say nothing of it. They are compiled, and not linked.
		{name: "tests with " + other(), needs: "toolchain", env: "GOTOOLCHAIN=" + other(), checks: []check{
			{line: "go list -export -f {{\"\"}} ./scripts/..."},
			{line: "go test ./common/... ./step... ./beyond/avx512 ./beyond/tree ./beyond/instrumented ./scripts/internal/measure ./scripts/internal/testbinary ./scripts/internal/toolchain"},
			{line: "go test -run TestPagesAreCurrent ./scripts/readme"},
			{line: "go test -run TestStep|FirstPass|Hit ./beyond/archsimd ./beyond/wavefront", env: simd, needs: "simd"},
			{line: "go test ./beyond/archsimd/...", env: simd, needs: "simd"},
		}},
		// One source for every width. The sign passes over instructions that the package
		// simd may want and this kernel does not.
		{name: "package simd of " + newest() + ", at each width", needs: "toolchain simd v3", env: simd + " " + latest, checks: []check{
			{line: "go test -run TestForms/simd|FirstPass/simd ./beyond/archsimd", env: "GODEBUG=simd=+128"},
			{line: "go test -run TestForms/simd|FirstPass/simd ./beyond/archsimd", env: "GODEBUG=simd=+256"},
			{line: "go test -run TestForms/simd|FirstPass/simd ./beyond/archsimd", env: "GODEBUG=simd=+512", needs: "avx512"},
			{line: "go test ./beyond/archsimd/kernels ./beyond/archsimd/start", env: "GODEBUG=simd=+128"},
			{line: "go test ./beyond/archsimd/kernels ./beyond/archsimd/start", env: "GODEBUG=simd=+256"},
		}},
		// What a browser runs, outside of one.
		{name: "the kernel for WebAssembly", needs: "toolchain simd node", env: simd + " " + latest + " GOOS=js GOARCH=wasm PATH=" + wasmPath(), checks: []check{
			{skips: "on Linux only", line: "go test -run TestStep|FirstPass ./step10 ./step11"},
			{skips: "on Linux only", line: "go test ./beyond/archsimd/kernels ./beyond/archsimd/start"},
		}},
		{name: "tests with SIMD and with pointer checks", env: simd, checks: []check{
			{skips: `kernel "simd"`, line: "go test " + checkptr + " ./beyond/archsimd/... ./beyond/wavefront", needs: "simd"},
			{skips: otherBuild, line: "go test " + checkptr + " -run TestStep ./beyond/avx512 ./beyond/archsimd ./beyond/wavefront ./beyond/tree", env: "GODEBUG=cpu.avx512f=off"},
			{line: "go test " + checkptr + " ./common/mem"},
			{line: "go test " + checkptr + " -run TestStep|FirstPass ./step05 ./step12 ./beyond/avx512 ./beyond/tree"},
		}},
		{name: "tests with the race detector", needs: "race", checks: []check{
			// With one set of flags for both, they are compiled once.
			{line: "go test -race -tags purego ./common/apiprof ./common/perf ./common/phase ./common/stats"},
			{skips: otherBuild, line: "go test -race -tags purego -run Workers|Division|Instruments ./step13 ./beyond/wavefront ./beyond/instrumented"}, // it does not see what a kernel writes
		}},
		// With GOAMD64=v3 the compiler may fuse operations: of plain Go, which kernels have none
		// of. So what it might change is all here, without assembly.
		{name: "tests without assembly, and with GOAMD64=v3", env: v3, checks: []check{
			{skips: otherBuild, line: "go test -tags purego ./step10 ./step11 ./step12 -pairs 100000"}, // the twin alone
			{skips: otherBuild, line: "go test -tags purego -run TestStep|Workers ./step0... ./step13 ./beyond/avx512 ./beyond/archsimd ./beyond/wavefront ./beyond/tree ./beyond/instrumented"},
		}},
		{name: "tests without AVX2", checks: []check{
			{skips: otherBuild, line: "go test -run TestStep|FirstPass ./step12 ./step13", env: "GODEBUG=cpu.avx2=off", needs: "v3"},
		}},
		{name: "fuzzing, a little each", env: simd, checks: []check{
			fuzz("./common/scene", "FuzzRead", 10000),
			fuzz("./step10", "FuzzFirstPass", 3000), // step 13 has the kernel of step 12
			fuzz("./step12", "FuzzFirstPass", 3000),
			fuzz("./beyond/avx512", "FuzzFirstPass", 3000),
			fuzz("./beyond/archsimd", "FuzzFirstPass", 3000),
			fuzz("./beyond/wavefront", "FuzzHit", 2000),
			fuzz("./beyond/archsimd/kernels", "FuzzKernels", 3000),
			fuzz("./beyond/tree", "FuzzSearch", 500),
		}},
		{name: "tests for arm64, emulated", needs: "arm64", env: "GOARCH=arm64 " + simd + " " + latest, checks: []check{
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
