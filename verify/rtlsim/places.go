package rtlsim

import (
	"context"
	"sync"

	"github.com/cclforge/cclforge/gen/design"
	"github.com/cclforge/cclforge/verify/fabric"
)

// poeRole is what a design calls network engines.
const poeRole = "poe"

// joined reports whether the network engines of a design lead to each other, and
// not off the card.
func joined(d *design.Design) bool {
	for _, s := range d.Streams {
		if s.From.Instance.Role == poeRole && s.To.Instance.Role == poeRole {
			return true
		}
	}
	return false
}

// places are the addresses of engines that reach each other on the card. Sessions
// are the numbers of engines there.
type places struct {
	mu     sync.Mutex
	own    map[uint32]address // of engines, as their communicators say
	listen map[address]uint32
}

type address struct {
	ip   uint32
	port uint16
}

func newPlaces() *places {
	return &places{own: map[uint32]address{}, listen: map[address]uint32{}}
}

// place is that of an engine: connections are opened on the card, nothing goes
// over the port.
type place struct {
	fabric.Port
	places *places
	engine uint32
}

var _ fabric.Router = (*place)(nil)

// Route implements fabric.Router.
func (p *place) Route(_, ip uint32, port uint16, local bool) {
	if !local {
		return
	}
	p.places.mu.Lock()
	defer p.places.mu.Unlock()
	p.places.own[p.engine] = address{ip, port}
}

// Listen implements fabric.Port.
func (p *place) Listen(port uint16) error {
	p.places.mu.Lock()
	defer p.places.mu.Unlock()
	at := address{p.places.own[p.engine].ip, port}
	if engine, taken := p.places.listen[at]; taken && engine != p.engine {
		return fabric.ErrAddressInUse
	}
	p.places.listen[at] = p.engine
	return nil
}

// Connect implements fabric.Port.
func (p *place) Connect(_ context.Context, ip uint32, port uint16) (session uint32, err error) {
	p.places.mu.Lock()
	defer p.places.mu.Unlock()
	engine, ok := p.places.listen[address{ip, port}]
	if !ok {
		return 0, fabric.ErrRefused
	}
	return engine, nil
}
