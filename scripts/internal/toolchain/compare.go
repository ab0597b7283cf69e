package toolchain

import "strings"

// Comparison says how far the code of one function agrees in two packages.
type Comparison struct {
	LenA, LenB   int // instructions in each
	OnlyA, OnlyB int // those without a counterpart in the other

	// Operations is the number of instructions whose operation, such as
	// MULSS, the other function does not have as often. If it is 0 all that
	// differs is the order, and the registers and addresses that are used.
	Operations int
}

// Differ returns the number of instructions in which the two differ; an
// instruction that takes the place of another counts once.
func (c Comparison) Differ() int { return max(c.OnlyA, c.OnlyB) }

// Compare compiles a function of the same name in two packages. Lines of
// the source and the name of the package do not count. Two jumps agree if
// they lead to instructions that agree. What agrees is the longest common
// subsequence.
func Compare(root, pkgA, pkgB, symbol string) (Comparison, error) {
	a, err := Assembly(root, pkgA, symbol, false)
	if err != nil {
		return Comparison{}, err
	}
	b, err := Assembly(root, pkgB, symbol, false)
	if err != nil {
		return Comparison{}, err
	}
	same := common(a.Instructions, b.Instructions)
	return Comparison{
		LenA: len(a.Instructions), LenB: len(b.Instructions),
		OnlyA: len(a.Instructions) - same, OnlyB: len(b.Instructions) - same,
		Operations: operations(a.Instructions, b.Instructions),
	}, nil
}

// operations counts the instructions of which a or b has more, whichever has
// more of them.
func operations(a, b []Instruction) int {
	surplus := map[string]int{}
	for _, in := range a {
		op, _, _ := strings.Cut(in.Text, " ")
		surplus[op]++
	}
	for _, in := range b {
		op, _, _ := strings.Cut(in.Text, " ")
		surplus[op]--
	}
	onlyA, onlyB := 0, 0
	for _, n := range surplus {
		onlyA += max(n, 0)
		onlyB += max(-n, 0)
	}
	return max(onlyA, onlyB)
}

// common counts the instructions that a and b have in common.
func common(a, b []Instruction) int {
	// Labels are numbers, so one more jump changes all that follow. They are
	// left out of the alignment, and compared through it afterwards.
	text := func(code []Instruction) []string {
		lines := make([]string, len(code))
		for i, in := range code {
			lines[i] = in.Text
			if in.target >= 0 {
				lines[i], _, _ = strings.Cut(in.Text, " ")
			}
		}
		return lines
	}
	partner := align(text(a), text(b))
	n := 0
	for i, j := range partner {
		if j < 0 {
			continue
		}
		if to := a[i].target; to >= 0 && partner[to] != b[j].target {
			continue
		}
		n++
	}
	return n
}

// align returns for each of a the index of its counterpart in b, or -1. The
// diff library gives up on the shortest answer where much differs, and this
// count is printed, so it is computed in full.
func align(a, b []string) []int {
	// length[i][j] is that of the longest common subsequence of a[i:], b[j:].
	length := make([][]int32, len(a)+1)
	for i := range length {
		length[i] = make([]int32, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if a[i] == b[j] {
				length[i][j] = length[i+1][j+1] + 1
			} else {
				length[i][j] = max(length[i+1][j], length[i][j+1])
			}
		}
	}
	partner := make([]int, len(a))
	for i, j := 0, 0; i < len(a); i++ {
		partner[i] = -1
		for j < len(b) && a[i] != b[j] && length[i][j+1] == length[i][j] {
			j++
		}
		if j < len(b) && a[i] == b[j] {
			partner[i] = j
			j++
		}
	}
	return partner
}
