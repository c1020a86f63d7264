//go:build !(linux || darwin || freebsd || netbsd || openbsd || dragonfly)

package store

import (
	"errors"
	"os"
)

// tryLock: on such systems a second file, which cannot be made twice, is the lock.
// One that a killed process has left must be removed by hand.
func tryLock(f *os.File) (bool, error) {
	taken, err := os.OpenFile(f.Name()+".taken", os.O_CREATE|os.O_EXCL, 0o666)
	if errors.Is(err, os.ErrExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	return true, taken.Close()
}

func free(f *os.File) {
	f.Close()
	os.Remove(f.Name() + ".taken")
}

func identity(os.FileInfo) (inode uint64, changed int64) { return 0, 0 }
