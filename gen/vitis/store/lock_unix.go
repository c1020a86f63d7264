//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package store

import (
	"errors"
	"os"
	"syscall"
)

// tryLock takes a file's lock if it is free. Open files exclude each other, also
// within a process, and on NFS also between hosts.
func tryLock(f *os.File) (bool, error) {
	for {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		switch {
		case err == nil:
			return true, nil
		case errors.Is(err, syscall.EINTR):
		case errors.Is(err, syscall.EWOULDBLOCK), errors.Is(err, syscall.EACCES):
			return false, nil
		default:
			return false, err
		}
	}
}

func free(f *os.File) {
	syscall.Flock(int(f.Fd()), syscall.LOCK_UN)
	f.Close()
}

// identity tells a file from another one that has come to the same name, and
// from itself with another content.
func identity(info os.FileInfo) (inode uint64, changed int64) {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, 0
	}
	return st.Ino, ctime(st)
}
