package scene

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// As many spheres as there may be, and one more: of three, as a million take long.
func TestSpheresLimit(t *testing.T) {
	const sphere = `{"center": [0, 0, 0], "radius": 1, "material": "dielectric", "index": 1.5}`
	for n, want := range map[int]error{0: errOther, 1: nil, 3: nil, 4: errOther} {
		text := []byte("[" + strings.Join(slices.Repeat([]string{sphere}, n), ", ") + "]")
		all, err := reader(text).spheres(value{text, 0}, 3)
		assert.Equal(t, want, err, fmt.Sprint(n))
		assert.Len(t, all, min(n, 3))
	}
}
