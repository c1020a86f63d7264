package sim

import (
	"errors"
	"fmt"
	"syscall"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/driver/internal/engine"
	"github.com/cclforge/cclforge/driver/sim/zmq"
)

// Errors of the client. A refusal of the server is a *StatusError, unreadable data of the
// server matches ErrMessage, and a connection that has ended matches zmq.ErrClosed.
var (
	ErrClosed = errors.New("sim: the device is closed")
	ErrClient = errors.New("sim: no such client")
	ErrTicket = engine.ErrTicket
	ErrFull   = errors.New("sim: there are no addresses left")
	ErrTaken  = errors.New("sim: the address is taken")
	ErrFreed  = errors.New("sim: the memory was freed")
	// ErrNotServed matches the error of Open if no server of the rank answers. Its text has
	// a remedy.
	ErrNotServed = errors.New("sim: the rank is not served")
	// ErrLost matches errors after which answers can no longer be assigned to calls. The
	// error also wraps the cause.
	ErrLost = errors.New("sim: answers cannot be told apart any more; reset the rank and open it again")
)

// notServed adds the cause and a remedy to the error of a rank that was not reached.
func notServed(p *accl.Platform, o Options, err error) error {
	serve := fmt.Sprintf("go tool mage emulate %s -n=%d", p.Name, o.Ranks)
	if o.start() != DefaultPort {
		serve += fmt.Sprintf(" -port=%d", o.start())
	}
	at, todo := o.Command(o.Rank), ""
	switch {
	case errors.Is(err, zmq.ErrKind):
		todo = fmt.Sprintf("%s is another socket of a world with fewer than %d ranks; "+
			"open as many as it serves, or serve as many as are opened: %s", at, o.Ranks, serve)
	case errors.Is(err, syscall.ECONNREFUSED) && o.Rank == 0:
		todo = fmt.Sprintf("nobody listens at %s; serve the world, for example with %s, "+
			"or name the host and port where it is", at, serve)
	case errors.Is(err, syscall.ECONNREFUSED):
		todo = fmt.Sprintf("nobody listens at %s; serve the world, for example with %s, "+
			"and if it is served with fewer ranks, open no more than those", at, serve)
	default:
		todo = fmt.Sprintf("%s does not answer as a server of ranks; is that the host and port of the world? "+
			"One is served by %s", at, serve)
	}
	return fmt.Errorf("%w: rank %d of %d: %s: %w", ErrNotServed, o.Rank, o.Ranks, todo, err)
}

// StatusError is a reply that refuses a request.
type StatusError struct {
	Request Type
	Status  int
	Text    string // error text of the server, or ""
}

func (e *StatusError) Error() string {
	text := e.Text
	if text == "" {
		text = e.meaning()
	}
	return fmt.Sprintf("the server answers with status %d: %s", e.Status, text)
}

// meaning is the meaning of a status without an error text.
func (e *StatusError) meaning() string {
	switch {
	case e.Status < 0:
		return "an error of which it says no more"
	case e.Status == StatusNotYet && (e.Request == MMIORead || e.Request == MMIOWrite):
		return "there is no such word of the exchange memory"
	case e.Status == StatusNotYet && e.Request == MemoryRead:
		return "it was never allocated"
	}
	return "the protocol does not say what that means"
}
