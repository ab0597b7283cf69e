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

// LockMeasuring waits until no other command measures on this machine, and says on
// standard error if it has to. Release lets the next one begin.
func LockMeasuring(ctx context.Context, env *Env) (release func() error, err error) {
	name := filepath.Join(os.TempDir(), "raysteps-measuring.lock")
	file := flock.New(name, flock.SetPermissions(0o666))
	locked, err := file.TryLock()
	if errors.Is(err, fs.ErrPermission) { // Linux lets nobody create a file of another user in /tmp
		file = flock.New(name, flock.SetFlag(os.O_RDONLY))
		locked, err = file.TryLock()
	}
	if locked || err != nil {
		return file.Unlock, err
	}
	fmt.Fprintln(env.Stderr, "another command is measuring on this machine; this one begins after it")
	_, err = file.TryLockContext(ctx, 100*time.Millisecond)
	return file.Unlock, err
}
