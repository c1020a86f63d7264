// Package engine says what ranks of a world have in common, however their engines
// are made: emulated, or simulated from the hardware's description.
package engine

import (
	"errors"
	"fmt"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/gen/design"
	"github.com/cclforge/cclforge/verify/emu/memory"
)

// Clients is how many clients an engine has: they go from 0 up.
const Clients = 1024

// Errors of engines and their devices.
var (
	ErrClosed   = errors.New("the engine is closed")
	ErrClient   = errors.New("no such client")
	ErrTicket   = errors.New("the ticket has no answer to give")
	ErrAddress  = errors.New("no word of the exchange memory")
	ErrNoMemory = memory.ErrNoMemory
	ErrLoopback = errors.New("the platform's kernel stream is looped back to the engine, no kernel is at it")
	ErrKernel   = errors.New("a kernel of the platform is at the kernel streams")
	ErrBeat     = errors.New("a kernel stream moves whole beats")
)

// Device is an engine as its host reaches it. All methods may be called
// concurrently.
type Device interface {
	accl.Device
	accl.SessionOpener
	accl.KernelPort
}

// Memory is device or host memory as clients see it that choose addresses
// themselves. Its methods may be called concurrently.
type Memory interface {
	// Reserve says that a client uses bytes from addr on. They keep what they hold,
	// zeros at first.
	Reserve(addr, bytes uint64) error
	// Write writes bytes from addr on, reserved or not.
	Write(b []byte, addr uint64) error
	// Read fills b with the bytes from addr on.
	Read(b []byte, addr uint64) error
}

// Engine is an engine that runs.
type Engine interface {
	// Device is the host's side of it.
	Device() Device
	// Memory is its device memory, or the host memory that it reaches.
	Memory(host bool) (Memory, error)
	// Looped reports whether the kernel stream comes back to the engine.
	Looped() bool
	// Stats are the values of now.
	Stats() Stats
	// Done is closed when it has ended, for whatever reason.
	Done() <-chan struct{}
	// Err is why it has ended: ErrClosed, or what has failed. It is nil before.
	Err() error
	// Close ends it and closes its network port. Closing again does nothing.
	Close() error
}

// Occupied is an Engine beside which kernels of its platform may run.
type Occupied interface {
	// Occupied reports whether one of them is at the engine's kernel streams.
	Occupied() bool
}

// HostSharer is an Engine that can use memory of its host as it is.
type HostSharer interface {
	// ShareHost puts memory at an address of host memory that no other has, both
	// multiples of 4096 bytes; engine and host see the same bytes. After release it may
	// still be used by calls that have not ended. The error is ErrNoMemory if the
	// engine's platform does not reach host memory.
	ShareHost(addr uint64, data []byte) (release func() error, err error)
}

// CheckArguments checks those that the host gives a kernel: how many there are, and that each fits.
func CheckArguments(k *design.Kernel, given []uint64) error {
	if len(given) != len(k.Arguments) {
		names := make([]string, len(k.Arguments))
		for i, a := range k.Arguments {
			names[i] = a.Name
		}
		return accl.KernelArguments(names, len(given))
	}
	for i, a := range k.Arguments {
		if a.Width < 64 && given[i]>>a.Width != 0 {
			return fmt.Errorf("%w: argument %s has %d bits, and 0x%X does not fit", accl.ErrArgument, a.Name, a.Width,
				given[i])
		}
	}
	return nil
}

// ForClients reports whether clients can stand in for the kernel at an engine's
// kernel streams.
func ForClients(e Engine) bool {
	o, ok := e.(Occupied)
	return !e.Looped() && !(ok && o.Occupied())
}
