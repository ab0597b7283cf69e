//go:build !(amd64 || arm64) || purego

package peak

const chains128, chainsMulAdd128 = chains, chainsMulAdd

func assembly(op string, bits int) (run kernel, missing string) {
	return nil, "it is written in assembly for amd64 and arm64, and this build has none"
}
