package output

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/rogpeppe/go-internal/lockedfile"
)

// lockName is a file that is there only while someone writes.
const lockName = ".cclforge.lock"

// Lock takes a directory for writing, and makes it if it is missing. If another
// process has it, waiting is called once and Lock waits until the context is
// done.
func Lock(ctx context.Context, dir string, waiting func()) (unlock func(), err error) {
	type result struct {
		file *lockedfile.File
		err  error
	}
	got := make(chan result)
	go func() {
		f, err := acquire(ctx, dir)
		select {
		case got <- result{f, err}:
		case <-ctx.Done():
			if f != nil {
				release(f)
			}
		}
	}()
	patience := time.NewTimer(300 * time.Millisecond)
	defer patience.Stop()
	for {
		select {
		case r := <-got:
			if r.err != nil {
				return nil, fmt.Errorf("write to %s: %w", dir, r.err)
			}
			return func() { release(r.file) }, nil
		case <-patience.C:
			waiting()
		case <-ctx.Done():
			return nil, fmt.Errorf("wait for the other run that writes to %s: %w", dir, ctx.Err())
		}
	}
}

// acquire locks the file that has the lock's name at that moment: the holder
// before may have removed the one that was opened. Whoever has given up waiting
// creates nothing anew.
func acquire(ctx context.Context, dir string) (*lockedfile.File, error) {
	name := filepath.Join(dir, lockName)
	for range 1000 {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return nil, err
		}
		f, err := lockedfile.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o644)
		if os.IsNotExist(err) {
			continue // the directory went away in between
		}
		if err != nil {
			return nil, err
		}
		mine, err := f.Stat()
		if err == nil {
			var current os.FileInfo
			if current, err = os.Stat(name); err == nil && os.SameFile(mine, current) {
				return f, nil
			}
		}
		f.Close()
		if err != nil && !os.IsNotExist(err) {
			return nil, err
		}
	}
	return nil, fmt.Errorf("%s cannot be taken", name)
}

// release gives the lock up and leaves nothing behind. Where an open file
// cannot be removed it stays, which does no harm.
func release(f *lockedfile.File) {
	os.Remove(f.Name())
	f.Close()
}
