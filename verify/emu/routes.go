package emu

import "github.com/cclforge/cclforge/verify/fabric"

// routes are the routes that a port has been told.
type routes struct {
	memory *exchange
	words  *routeWords
	router fabric.Router    // nil if the port does not ask
	known  map[uint32]route // by the offset of a rank's record
}

type route struct {
	session uint32
	ip      uint32
	port    uint16
	local   bool
}

// newRoutes makes the routes of an engine's port, which has been told none.
func newRoutes(m *exchange, w *routeWords, port fabric.Port) *routes {
	router, _ := port.(fabric.Router)
	return &routes{memory: m, words: w, router: router, known: map[uint32]route{}}
}

// Survey tells the port the routes to all ranks of the first communicator, if there is a
// valid one.
func (r *routes) Survey() {
	if r.router == nil {
		return
	}
	comm, ok := r.words.first(r.memory)
	if !ok {
		return
	}
	for rank := range r.memory.Get(comm + r.words.Size) {
		p, ok := r.words.Peer(r.memory, comm, rank)
		if !ok {
			return
		}
		r.Use(p)
	}
}

// Use tells the port the route to a rank, unless it knows it.
func (r *routes) Use(p peer) {
	if r.router == nil {
		return
	}
	m, w := r.memory, r.words
	now := route{session: p.Session, ip: m.Get(p.Record + w.IP), port: uint16(m.Get(p.Record + w.Port)), local: p.Self()}
	if now.ip == 0 || r.known[p.Record] == now {
		return
	}
	r.known[p.Record] = now
	r.router.Route(p.Session, now.ip, now.port, now.local)
}

// Forget makes the next Use tell each route again: a rank may have been restarted.
func (r *routes) Forget() { clear(r.known) }
