package network

import (
	"errors"
	"fmt"
	"net/netip"
)

// What an Error is about, for errors.Is.
var (
	ErrConfig      = errors.New("wrong configuration")          // found before any register was written
	ErrAddress     = errors.New("wrong address")                // likewise, or two cards have the same MAC address
	ErrUnsupported = errors.New("not supported by this stack")  // this package has nothing for it
	ErrDesign      = errors.New("the design does not describe") // kernels or registers that are needed
	ErrHardware    = errors.New("a register does not stay")     // as it was written
	ErrLink        = errors.New("the link is down")
	ErrTable       = errors.New("the table is too small")      // of sockets, or of MAC addresses
	ErrSilent      = errors.New("no answer to ARP")            // of the rank, or of the gateway to it
	ErrPort        = errors.New("the port is refused")         // by the own TCP stack
	ErrConnect     = errors.New("no connection")               // nobody listens there, or nobody answers
	ErrBusy        = errors.New("the kernel does not end")     // in time
	ErrAccess      = errors.New("registers cannot be reached") // the way to the card says so
	ErrQueuePairs  = errors.New("queue pairs do not fit")      // what ranks say of them
)

// Error is why a network cannot be set up. Several are joined.
type Error struct {
	Kind     error          // one of the Err values
	Rank     int            // the one to look at, which may be the own one; -1 if it is none
	Address  netip.AddrPort // of its engine
	Instance string         // the kernel on this card; "" if it is none
	Reason   string
	Cause    error // what the way to the card or the context said; may be nil
}

func (e *Error) Error() string {
	text := "network: "
	if e.Instance != "" {
		text += e.Instance + ": "
	}
	if e.Rank >= 0 {
		text += fmt.Sprintf("rank %d", e.Rank)
		if e.Address.IsValid() {
			text += " at " + e.Address.String()
		}
		text += ": "
	}
	text += e.Reason
	if e.Cause != nil {
		text += ": " + e.Cause.Error()
	}
	return text
}

// Unwrap are the kind and the cause.
func (e *Error) Unwrap() []error {
	if e.Cause == nil {
		return []error{e.Kind}
	}
	return []error{e.Kind, e.Cause}
}
