// Package shm is a stream of bytes between two processes of one user on one host, through
// memory that both have mapped.
//
// The process that dials makes the memory, a file without a name, and passes it over a Unix
// socket in the abstract namespace. So nothing is left when a process dies, processes in
// another network namespace find nobody, and only who is passed the file can map it. Both
// sides ask the system for the user of the other one, and refuse strangers (ErrStranger). The
// file is sealed: a peer cannot shrink it under a reader.
//
// There is a ring in each direction, with one writer and one reader. Who finds it empty, or
// full, looks again for a moment, then says so in the memory and sleeps; the other side
// writes a byte to the socket then, and only then. The end of the socket is that of the
// stream, whether the peer has closed it or died.
//
// What a peer writes into the memory is not trusted: an index that cannot be is ErrCorrupt.
package shm

import (
	"errors"
	"fmt"
)

var (
	// ErrStranger says that the peer is of another user.
	ErrStranger = errors.New("the peer is a process of another user")
	// ErrCorrupt says that the memory holds what a peer never writes.
	ErrCorrupt = errors.New("the shared memory is corrupt")
	// ErrUnsupported says that the system lacks what is needed.
	ErrUnsupported = errors.New("no shared memory on this system")
)

// Addr is the process at the other end.
type Addr struct{ PID int }

// Network implements net.Addr.
func (Addr) Network() string { return "memory" }

// String names the process.
func (a Addr) String() string { return fmt.Sprintf("process %d", a.PID) }
