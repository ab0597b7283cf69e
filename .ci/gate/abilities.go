package main

import (
	_ "embed"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/klauspost/cpuid/v2"
)

// releases are the oldest Go that the module builds with and the newest. The tests run
// with the Go that is here and with the one of these that it is not.
//
//go:embed releases.txt
var releases string

// abilitiesHere finds out what this machine can test.
func abilitiesHere() abilities {
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
		{"simd", unless(works("GOEXPERIMENT=simd go list simd/archsimd"), "this Go has no GOEXPERIMENT=simd"), "install " + oldestRelease() + " or later, for amd64"},
		{"toolchain", unless(works("GOTOOLCHAIN="+otherRelease()+" go version"), otherRelease()+" cannot be fetched"), "allow GOPROXY to be reached"},
		{"cores", unless(runtime.NumCPU() >= 2, "there is one processor, so no goroutines can gain"), "take another machine"},
		{"v3", unless(cpuid.CPU.Supports(cpuid.AVX2, cpuid.FMA3, cpuid.BMI2), "the processor is not one of GOAMD64=v3, with AVX2 and FMA"), "take another machine"},
		// Half of today's processors lack AVX-512. The steps do without it, and nobody
		// can install it, so that is told and is no failure.
		{"avx512", unless(cpuid.CPU.Supports(cpuid.AVX512F, cpuid.AVX512DQ, cpuid.AVX512BW, cpuid.AVX512VL), "the processor has no AVX-512"), ""},
	}
}

func oldestRelease() string { return strings.Fields(releases)[0] }

func newestRelease() string { return strings.Fields(releases)[1] }

// otherRelease returns the release that is not the Go of this machine.
func otherRelease() string {
	minor := oldestRelease()[:strings.LastIndex(oldestRelease(), ".")]
	if strings.HasPrefix(runtime.Version(), minor) {
		return newestRelease()
	}
	return oldestRelease()
}

// wasmPath is the PATH with the folder of the newest Go's go_js_wasm_exec in front, by
// which go test finds node.
func wasmPath() string {
	cmd := exec.Command("go", "env", "GOROOT")
	cmd.Env = append(os.Environ(), "GOTOOLCHAIN="+newestRelease())
	root, _ := cmd.Output() // without it the check fails
	folder := filepath.Join(strings.TrimSpace(string(root)), "lib", "wasm")
	return folder + string(os.PathListSeparator) + os.Getenv("PATH")
}

// abilities are what a machine can test or lacks.
type abilities []ability

type ability struct {
	name string
	lack string // what is missing, or empty
	help string // what would provide it, or empty if nobody can
}

// has reports whether all of some abilities, with spaces between them, are here.
func (all abilities) has(names string) bool {
	wanted := strings.Fields(names)
	return !slices.ContainsFunc(all, func(a ability) bool {
		return a.lack != "" && slices.Contains(wanted, a.name)
	})
}

// allow returns an error for what is missing, unless blind names it, and for a name
// there that is none.
func (all abilities) allow(blind []string) (err error) {
	for _, a := range all {
		allowed := slices.Contains(blind, a.name)
		if a.lack != "" && a.help != "" && !allowed {
			err = errors.Join(err, fmt.Errorf("cannot test %s: %s; %s, or allow it with RAYSTEPS_BLIND=%s", a.name, a.lack, a.help, a.name))
		}
		blind = slices.DeleteFunc(blind, func(name string) bool { return name == a.name })
	}
	if len(blind) > 0 {
		err = errors.Join(err, fmt.Errorf("RAYSTEPS_BLIND names %s; want names such as arm64 or race", blind))
	}
	return err
}
