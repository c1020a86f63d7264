package emu

import "github.com/cclforge/cclforge/verify/fabric"

// routes tells a port that has to know where sessions lead what the
// communicators say.
type routes struct {
	e      *Engine
	router fabric.Router    // nil if the port does not ask
	known  map[uint32]route // by the offset of a rank's record
}

type route struct {
	session uint32
	ip      uint32
	port    uint16
	local   bool
}

func newRoutes(e *Engine) routes {
	router, _ := e.port.(fabric.Router)
	return routes{e: e, router: router, known: map[uint32]route{}}
}

// learn has the port told where sessions lead, before the host opens some.
func (e *Engine) learn() {
	if e.routes.router != nil {
		e.do(e.routes.survey)
	}
}

// survey tells all ranks of the first communicator, which follows the rx
// buffers. What is no communicator is left alone.
func (r *routes) survey() {
	if r.router == nil {
		return
	}
	x, n := r.e.exchange, r.e.n
	count := uint64(x.get(n.rx.count))
	at := uint64(n.rx.records) + count*uint64(n.rx.recordBytes)
	if count == 0 || at >= uint64(x.end()) {
		return
	}
	comm := uint32(at)
	if !x.has(comm, n.comm.records) {
		return
	}
	for rank := range x.get(comm + n.comm.size) {
		p, ok := r.e.peer(comm, rank)
		if !ok {
			return
		}
		r.use(p)
	}
}

// use tells where a rank is, unless that is known.
func (r *routes) use(p peer) {
	if r.router == nil {
		return
	}
	x, w := r.e.exchange, &r.e.n.comm
	now := route{session: p.session, ip: x.get(p.record + w.ip), port: uint16(x.get(p.record + w.port)), local: p.self()}
	if now.ip == 0 || r.known[p.record] == now {
		return
	}
	r.known[p.record] = now
	r.router.Route(p.session, now.ip, now.port, now.local)
}
