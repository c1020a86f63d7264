package server

import (
	"fmt"

	"github.com/cclforge/cclforge/driver/sim"
)

// What replies have as their status. Clients read those of MMIO and memory requests
// as numbers without a sign: there, StatusLimit and StatusFailed are positive.
const (
	StatusGood       = 0
	StatusNot        = 1  // no such memory or word; or no call has ended yet
	StatusMalformed  = -1 // the request cannot be read
	StatusController = -2 // there is no controller with this ctrl_id
	StatusGeneration = -3 // the client is made for another interface generation
	StatusLimit      = -4 // more than the server or the memory takes
	StatusNoCall     = -5 // the controller has no call that could be waited for
	StatusFailed     = -6 // the engine is closed or has failed
)

// unsigned is the reply to a request of MMIO or memory.
func unsigned(r sim.Reply) sim.Reply {
	if r.Status < StatusGood {
		r.Status = -r.Status
	}
	return r
}

// refuse returns a reply with the reason why a request is not done.
func refuse(status int, format string, values ...any) sim.Reply {
	return sim.Reply{Status: status, Error: fmt.Sprintf(format, values...)}
}
