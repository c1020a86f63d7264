package network

import (
	"errors"
	"fmt"
	"net/netip"
)

// Kinds of Error, for errors.Is.
var (
	ErrConfig      = errors.New("wrong configuration")          // found before any register was written
	ErrAddress     = errors.New("wrong address")                // likewise, or two cards have the same MAC address
	ErrUnsupported = errors.New("not supported by this stack")  // a setting that the stack does not have
	ErrDesign      = errors.New("the design does not describe") // kernels or registers that are needed
	ErrHardware    = errors.New("a register does not stay")     // as it was written
	ErrLink        = errors.New("the link is down")
	ErrTable       = errors.New("the table is too small")      // of sockets, or of MAC addresses
	ErrSilent      = errors.New("no answer to ARP")            // of the rank, or of the gateway to it
	ErrPort        = errors.New("the port is refused")         // by the own TCP stack
	ErrConnect     = errors.New("no connection")               // the peer does not listen, or does not answer
	ErrBusy        = errors.New("the kernel does not end")     // in time
	ErrAccess      = errors.New("registers cannot be reached") // an error of the card's driver
	ErrQueuePairs  = errors.New("queue pairs do not fit")      // descriptions of ranks contradict each other
)

// Error is why a network cannot be set up. Several of them are joined.
type Error struct {
	Kind     error          // one of the Err values
	Rank     int            // the rank to look at, which may be the own one; -1 for none
	Address  netip.AddrPort // of its engine
	Instance string         // the kernel on this card, "" for none
	Reason   string
	Cause    error // error of the card's driver or of the context, or nil
}

// failure is an error without a rank.
func failure(kind error, instance string, cause error, format string, args ...any) *Error {
	return &Error{Kind: kind, Rank: -1, Instance: instance, Reason: fmt.Sprintf(format, args...), Cause: cause}
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

// Unwrap returns Kind and Cause.
func (e *Error) Unwrap() []error {
	if e.Cause == nil {
		return []error{e.Kind}
	}
	return []error{e.Kind, e.Cause}
}
