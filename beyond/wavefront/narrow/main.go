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
	"log"
	"os"
	"strings"
)

func main() {
	source, err := os.ReadFile("stages_avx512.go")
	if err == nil {
		err = os.WriteFile("stages_avx2.go", []byte(narrowed(string(source))), 0o644)
	}
	if err != nil {
		log.Fatal("narrow: ", err)
	}
}

func narrowed(source string) string {
	names := strings.NewReplacer("Compress", "Permute", "AVX512", "AVX2", "AVX-512", "AVX2", "sixteen rays", "eight rays", "16", "8")
	return "// Code generated from stages_avx512.go by narrow; DO NOT EDIT.\n\n" + names.Replace(source)
}
