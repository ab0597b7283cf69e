package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"
)

// Alone returns when no other command of this machine measures, and keeps others that
// ask for it waiting until release is called. If it has to wait, it says so.
func (e *Env) Alone(ctx context.Context) (release func() error, err error) {
	name := filepath.Join(os.TempDir(), "raysteps-measuring.lock")
	file := flock.New(name, flock.SetPermissions(0o666))
	locked, err := file.TryLock()
	if errors.Is(err, fs.ErrPermission) { // a file of another user in a folder of all may not be opened for creating it
		file = flock.New(name, flock.SetFlag(os.O_RDONLY))
		locked, err = file.TryLock()
	}
	if err == nil && !locked {
		fmt.Fprintln(e.Stderr, "Another command is measuring; this one begins after it.")
		_, err = file.TryLockContext(ctx, 100*time.Millisecond)
	}
	return file.Unlock, err
}
