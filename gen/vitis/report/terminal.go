package report

import (
	"os"
	"syscall"
	"unsafe"
)

// terminal says whether a file is a terminal on which the cursor can be moved.
func terminal(f *os.File) bool {
	info, err := f.Stat()
	columns, _ := size(f)
	return err == nil && info.Mode()&os.ModeCharDevice != 0 && columns > 0 && os.Getenv("TERM") != "dumb" &&
		os.Getenv("TERM") != ""
}

// size is the size of a terminal, 0 by 0 if it is none.
func size(f *os.File) (columns, rows int) {
	var dims struct{ rows, columns, _, _ uint16 }
	_, _, errno := syscall.Syscall(syscall.SYS_IOCTL, f.Fd(), syscall.TIOCGWINSZ, uintptr(unsafe.Pointer(&dims)))
	if errno != 0 {
		return 0, 0
	}
	return int(dims.columns), int(dims.rows)
}
