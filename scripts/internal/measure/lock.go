package measure

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"
)

// Lock waits until no other command measures on this machine, and says so on stderr if it has to
// wait. Release lets the next command begin.
func Lock(ctx context.Context, stderr io.Writer) (release func() error, err error) {
	name := filepath.Join(os.TempDir(), "raysteps-measuring.lock")
	os.WriteFile(name, nil, 0o666) // unless another user has made it: Linux lets nobody write that in /tmp
	file := flock.New(name, flock.SetFlag(os.O_RDONLY))
	locked, err := file.TryLock()
	if !locked && err == nil {
		fmt.Fprintln(stderr, "another command is measuring on this machine; this one begins after it")
		_, err = file.TryLockContext(ctx, 100*time.Millisecond)
	}
	return file.Unlock, err
}
