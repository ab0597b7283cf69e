package cli

import (
	"bytes"
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Two commands do not measure at the same time.
func TestAlone(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	t.Setenv("TMP", dir)
	var stderr bytes.Buffer
	env := &Env{Stderr: &stderr}
	release, err := env.Alone(t.Context())
	require.NoError(t, err)
	assert.Empty(t, stderr.String())
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	_, err = env.Alone(ctx)
	assert.ErrorIs(t, err, context.DeadlineExceeded)
	assert.Equal(t, "Another command is measuring; this one begins after it.\n", stderr.String())
	require.NoError(t, release())
	release, err = env.Alone(t.Context())
	require.NoError(t, err)
	require.NoError(t, release())
}
