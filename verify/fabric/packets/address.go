package packets

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"strconv"
	"sync"

	"github.com/cclforge/cclforge/verify/fabric"
)

const (
	loopback = "127.0.0.1"
	// engineSockets is how many sockets of all ranks come before those of network
	// engines.
	engineSockets = 4
)

// routes are the sessions of addresses, as communicators tell them.
type routes struct {
	mu    sync.Mutex
	known map[netip.AddrPort]uint32
}

// Route notes the session of an address, for Connect. Packets need no routes: a
// session is the number of a rank.
func (p *Port) Route(session uint32, ip uint32, port uint16, _ bool) {
	r := &p.routes
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.known == nil {
		r.known = map[netip.AddrPort]uint32{}
	}
	if at := fabric.AddrPort(ip, port); len(r.known) < 4*p.o.Endpoints.Ranks || r.has(at) {
		r.known[at] = session
	}
}

func (r *routes) has(at netip.AddrPort) bool {
	_, has := r.known[at]
	return has
}

// only is the session of an address, if no other address has the same: words
// that nobody has filled in are alike.
func (r *routes) only(at netip.AddrPort) (uint32, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	session, has := r.known[at]
	for other, s := range r.known {
		if other != at && s == session {
			return 0, false
		}
	}
	return session, has
}

// Connect returns the rank that has an address: that of its command socket, of
// its packet socket or of its network engine, or one that a communicator gives to
// its session.
func (p *Port) Connect(_ context.Context, ip uint32, port uint16) (session uint32, err error) {
	if p.life.Err() != nil {
		return 0, fabric.ErrClosed
	}
	at := fabric.AddrPort(ip, port)
	for rank := range p.o.Endpoints.Ranks {
		first, ranks := p.command(rank), p.o.Endpoints.Ranks
		for _, further := range []int{0, ranks, engineSockets * ranks} {
			if at == literal(first, further) {
				return uint32(rank), nil
			}
		}
	}
	if session, has := p.routes.only(at); has && int64(session) < int64(p.o.Endpoints.Ranks) {
		return session, nil
	}
	return 0, fmt.Errorf("%w: %s is no rank of this world: rank 0 is %s, and the others follow", fabric.ErrRefused,
		at, p.command(0))
}

func (p *Port) command(rank int) string {
	e := p.o.Endpoints
	e.Host = p.o.Peers(rank)
	return e.Command(rank)
}

// literal is an address so many ports further on; none if its host is a name.
func literal(hostPort string, further int) netip.AddrPort {
	host, number, err := net.SplitHostPort(hostPort)
	if err != nil {
		return netip.AddrPort{}
	}
	ip, err := netip.ParseAddr(host)
	if err != nil {
		return netip.AddrPort{}
	}
	n, err := strconv.Atoi(number)
	if err != nil || n+further > 65535 {
		return netip.AddrPort{}
	}
	return netip.AddrPortFrom(ip.Unmap(), uint16(n+further))
}
