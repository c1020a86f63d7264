package coyote

// System is what this package needs of the operating system. Its methods, and those of
// files and windows, may be called concurrently.
type System interface {
	// Files are those that there are by a pattern, as of filepath.Match.
	Files(pattern string) ([]string, error)
	// Open opens a file of the shell's driver.
	Open(path string) (File, error)
	// Pages are memory in huge pages of a size, which is a power of two: whole ones, at
	// a multiple of it, with nothing next to them. The error matches ENOMEM if there are
	// too few.
	Pages(bytes, size int) ([]byte, error)
	// Return gives pages back.
	Return(pages []byte) error
}

// File is a region of a card.
type File interface {
	// Lock keeps other processes from locking it, until it is closed. The error matches
	// EWOULDBLOCK if one has.
	Lock() error
	// Call makes a call with words, which it may change. The answer is 0 if the driver
	// has done what it should.
	Call(number uint32, words []uint64) (answer int, err error)
	// Map maps a window of registers, from a byte of the file on.
	Map(offset int64, bytes int) (Window, error)
	Close() error
}

// Window is registers of 64 bits.
type Window interface {
	Load(at uint32) uint64
	Store(at uint32, v uint64)
	Unmap() error
}
