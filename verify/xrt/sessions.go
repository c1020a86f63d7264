package xrt

import (
	"context"

	"github.com/cclforge/cclforge/driver/accl"
)

// Registers and operations of the session handler of the TCP stack.
const (
	ipAt        = 0x10
	portAt      = 0x18
	sessionAt   = 0x28
	returnAt    = 0x30
	operationAt = 0x38

	openPort       = 1
	openConnection = 2
	closeSession   = 3
)

// newSessions is a session handler that has an engine's network open ports and
// connections. A session that is closed stays open there.
func newSessions(life context.Context, dev accl.SessionOpener) *handshake {
	return newHandshake(func(arguments, live *words) {
		var err error
		session, good := uint32(0), uint32(0)
		port := uint16(arguments.get(portAt))
		switch arguments.get(operationAt) {
		case openPort:
			err = dev.OpenPort(life, port)
		case openConnection:
			session, err = dev.OpenConnection(life, arguments.get(ipAt), port)
		case closeSession:
		default:
			live.set(returnAt, 0)
			return
		}
		if err == nil {
			good = 1
		}
		live.set(sessionAt, session)
		live.set(returnAt, good)
	})
}
