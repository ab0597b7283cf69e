//go:build !(goexperiment.simd && go1.27 && amd64 && linux)

package main

import "fmt"

func main() { fmt.Println("not built: want GOEXPERIMENT=simd, Go 1.27 and linux/amd64") }
