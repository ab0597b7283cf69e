//go:build !(amd64 || arm64) || purego

package peak

func assembly() []loop { return nil }
