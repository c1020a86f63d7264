package emu

import (
	"sync"

	"github.com/cclforge/cclforge/gen/design"
	"github.com/cclforge/cclforge/verify/fabric"
)

// Survey tells a port that has to know where sessions lead what the host writes
// to the exchange memory of an engine that is not emulated.
type Survey struct {
	mu     sync.Mutex
	engine *Engine // its memory, and nothing else
	new    bool
}

// NewSurvey makes a survey for an engine on a port.
func NewSurvey(d *design.Design, port fabric.Port) (*Survey, error) {
	n, err := resolve(d)
	if err != nil {
		return nil, err
	}
	e := &Engine{d: d, n: n, port: port, exchange: newExchange(n.exchange)}
	e.routes = newRoutes(e)
	return &Survey{engine: e}, nil
}

// Wrote notes a word that the host has written.
func (s *Survey) Wrote(off, v uint32) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.engine.exchange.has(off, wordBytes) {
		s.engine.exchange.set(off, v)
		s.new = true
	}
}

// Tell tells the port what is new.
func (s *Survey) Tell() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.new {
		s.new = false
		s.engine.routes.survey()
	}
}
