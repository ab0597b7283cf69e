package toolchain

import "strings"

// Comparison says how the code of one function differs in two packages.
type Comparison struct {
	LenA, LenB int // instructions in each

	// OnlyA and OnlyB are the instructions whose operation, such as MULSS, the
	// other function does not have as often. If they are 0, all that may differ
	// is the order, and the registers and addresses that are used.
	OnlyA, OnlyB int
}

// Compare compares the code of a function of the same name in two packages.
func Compare(root, pkgA, pkgB, symbol string) (Comparison, error) {
	a, err := Assembly(root, pkgA, symbol, false)
	if err != nil {
		return Comparison{}, err
	}
	b, err := Assembly(root, pkgB, symbol, false)
	if err != nil {
		return Comparison{}, err
	}
	return compare(a.Instructions, b.Instructions), nil
}

func compare(a, b []Instruction) Comparison {
	surplus := map[string]int{} // of a over b, by operation
	for _, in := range a {
		op, _, _ := strings.Cut(in.Text, " ")
		surplus[op]++
	}
	for _, in := range b {
		op, _, _ := strings.Cut(in.Text, " ")
		surplus[op]--
	}
	c := Comparison{LenA: len(a), LenB: len(b)}
	for _, n := range surplus {
		c.OnlyA += max(n, 0)
		c.OnlyB += max(-n, 0)
	}
	return c
}
