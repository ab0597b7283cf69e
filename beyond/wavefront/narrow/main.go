// Narrow makes the stages of package wavefront for AVX2 from those for AVX-512:
// they are the same with half as many lanes. It reads stages_avx512.go in the
// current folder and writes stages_avx2.go:
//
//	go generate ./beyond/wavefront
//
// It replaces names and numbers as text. So 16 has to be the number of lanes
// wherever it stands in the stages, in a name or by itself; the distance of a
// shift, for one, is in a named number (k.sixteen). Compress, which AVX2 does not
// have, becomes Permute.
package main

import (
	"errors"
	"fmt"
	"os"
	"strings"
)

func main() {
	if err := generate("stages_avx512.go", "stages_avx2.go"); err != nil {
		fmt.Fprintln(os.Stderr, "narrow:", err)
		os.Exit(1)
	}
}

func generate(from, to string) error {
	source, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	narrow, err := narrowed(string(source))
	if err != nil {
		return fmt.Errorf("%s: %w", from, err)
	}
	return os.WriteFile(to, []byte(narrow), 0o644)
}

// narrowed returns the source of stages for half as many lanes.
func narrowed(source string) (string, error) {
	const clause = "package wavefront\n"
	head, stages, found := strings.Cut(source, clause)
	if !found {
		return "", errors.New("has no package clause; want " + strings.TrimSpace(clause))
	}
	names := strings.NewReplacer("Compress", "Permute", "AVX512", "AVX2", "AVX-512", "AVX2", "avx512", "avx2", "sixteen rays", "eight rays", "16", "8")
	return "// Code generated from stages_avx512.go by narrow; DO NOT EDIT.\n\n" + head + clause + names.Replace(stages), nil
}
