package emu

import (
	"fmt"
	"sync"

	"github.com/cclforge/cclforge/gen/abi"
	"github.com/cclforge/cclforge/verify/fabric"
)

// Survey finds routes in the host's writes to the exchange memory of an engine whose memory
// cannot be read, such as a simulated one.
type Survey struct {
	mu     sync.Mutex
	memory *exchange
	routes *routes
	new    bool
}

// NewSurvey makes a survey for an engine on a port.
func NewSurvey(g *abi.Generation, port fabric.Port) (*Survey, error) {
	r := &resolver{g: g}
	w := r.routeWords()
	if err := r.err(); err != nil {
		return nil, fmt.Errorf("survey the exchange memory: %w", err)
	}
	s := &Survey{memory: newExchange(g.Memory(abi.Exchange))}
	s.routes = newRoutes(s.memory, &w, port)
	return s, nil
}

// Wrote notes a word that the host has written.
func (s *Survey) Wrote(off, v uint32) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.memory.Has(off, wordBytes) {
		s.memory.Set(off, v)
		s.new = true
	}
}

// Tell passes new routes to the port.
func (s *Survey) Tell() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.new {
		s.new = false
		s.routes.Survey()
	}
}
