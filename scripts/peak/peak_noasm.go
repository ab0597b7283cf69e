//go:build !amd64 || purego

package peak

func assembly(op string, bits int) (run kernel, missing string) {
	return nil, "it is written in assembly for amd64, and this build has none"
}
