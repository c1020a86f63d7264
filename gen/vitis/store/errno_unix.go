//go:build unix

package store

import (
	"errors"
	"syscall"
)

// readOnly reports whether an error says that a file system cannot be written.
func readOnly(err error) bool { return errors.Is(err, syscall.EROFS) }
