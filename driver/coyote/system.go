package coyote

// System is the part of an operating system that this package uses. Its methods, and
// those of files and windows, may be called concurrently.
type System interface {
	// Files lists the files that match a pattern of filepath.Match.
	Files(pattern string) ([]string, error)
	// Open opens a file of the shell's driver.
	Open(path string) (File, error)
	// Pages allocates memory in whole huge pages of a size, which is a power of two, at a
	// multiple of the size, and with unmapped memory around it. The error matches ENOMEM if
	// there are too few.
	Pages(bytes, size int) ([]byte, error)
	// Return frees pages.
	Return(pages []byte) error
}

// File is the open file of a region of a card.
type File interface {
	// Lock keeps other processes from locking the file until it is closed. The error matches
	// EWOULDBLOCK if another process has locked it.
	Lock() error
	// Call makes a call with words, which it may change. The answer is 0 on success.
	Call(number uint32, words []uint64) (answer int, err error)
	// Map maps a window of registers at an offset of the file.
	Map(offset int64, bytes int) (Window, error)
	Close() error
}

// Window is a mapped window of registers of 64 bits.
type Window interface {
	Load(at uint32) uint64
	Store(at uint32, v uint64)
	Unmap() error
}
