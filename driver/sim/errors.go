package sim

import (
	"errors"
	"fmt"

	"github.com/cclforge/cclforge/driver/internal/tickets"
)

// Errors of the client. What a server has refused is a *StatusError, what it has
// sent that cannot be read matches ErrMessage, and a connection that has ended
// matches zmq.ErrClosed.
var (
	ErrClosed = errors.New("sim: the device is closed")
	ErrClient = errors.New("sim: no such client")
	ErrTicket = tickets.ErrTicket
	ErrFull   = errors.New("sim: there are no addresses left")
	ErrTaken  = errors.New("sim: the address is taken")
	ErrFreed  = errors.New("sim: the memory was freed")
	// ErrLost says that it is not known any more which answer belongs to which call,
	// after the error that it wraps besides.
	ErrLost = errors.New("sim: answers cannot be told apart any more; reset the rank and open it again")
)

// StatusError is a reply with a status that says no.
type StatusError struct {
	Request Type
	Status  int
	Text    string // what the server says, if anything
}

func (e *StatusError) Error() string {
	text := e.Text
	if text == "" {
		text = e.meaning()
	}
	return fmt.Sprintf("the server answers with status %d: %s", e.Status, text)
}

// meaning is what a status alone can say.
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
