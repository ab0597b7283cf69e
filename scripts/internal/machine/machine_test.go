package machine

import (
	"regexp"
	"runtime"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestDescribe(t *testing.T) {
	lines, err := Describe()
	require.NoError(t, err)
	values := map[string]string{}
	for _, l := range lines {
		assert.Regexp(t, regexp.MustCompile(`^[a-z][a-z0-9-]*$`), l.Key)
		assert.NotEmpty(t, string(l.Value), l.Key)
		assert.NotContains(t, string(l.Value), "\n", l.Key)
		assert.NotContains(t, values, l.Key, "twice")
		assert.True(t, l.File, l.Key)
		values[l.Key] = string(l.Value)
	}
	assert.Equal(t, runtime.GOOS, values["goos"])
	assert.Equal(t, runtime.GOARCH, values["goarch"])
	assert.Equal(t, runtime.Version(), values["goversion"])
	assert.Equal(t, strconv.Itoa(runtime.NumCPU()), values["cpu-cores"])
}
