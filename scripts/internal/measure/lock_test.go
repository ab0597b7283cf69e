package measure

import (
	"bytes"
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Two commands do not measure at the same time.
func TestLock(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	t.Setenv("TMP", t.TempDir())
	var stderr bytes.Buffer
	release, err := Lock(t.Context(), &stderr)
	require.NoError(t, err)
	assert.Empty(t, stderr.String())
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	_, err = Lock(ctx, &stderr)
	assert.ErrorIs(t, err, context.DeadlineExceeded)
	assert.Equal(t, "another command is measuring on this machine; this one begins after it\n", stderr.String())
	require.NoError(t, release())
	_, err = Lock(t.Context(), &stderr)
	require.NoError(t, err)
}
