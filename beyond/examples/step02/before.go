package step02

import "fmt"

// Status is that of an answer.
type Status int

// Class returns 2 for 200 to 299. Sprintf makes it too long to be inlined.
func (s Status) Class() int {
	if s < 100 || s > 599 {
		panic(fmt.Sprintf("status %d; want %d to %d", int(s), 100, 599))
	}
	return int(s) / 100
}

// CountClasses counts statuses by their class.
func CountClasses(all []Status) (n [6]int) {
	for _, s := range all {
		n[s.Class()]++
	}
	return n
}
