// Package ablation times the kernels of steps 10 and 12 and of avx512 with one thing
// taken out: what that gains is what it costs. What comes out is then wrong, so no
// step has these kernels.
//
// The headers are made from the assembly of the steps, by marking lines:
//
//	go test ./beyond/ablation -update
//
// An experiment runs with
//
//	go test -run '^$' -bench . ./beyond/ablation
package ablation
