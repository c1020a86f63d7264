package network

import (
	"context"
	"fmt"
	"maps"
	"net/netip"
	"slices"

	"github.com/cclforge/cclforge/driver/accl"
)

var sessionNeeds = []string{
	"control.start", "control.done", "control.idle", "ip", "port_nr", "session_id_in", "session_id", "return_code",
	"operation.open_port", "operation.open_connection", "operation.close",
}

var _ accl.SessionOpener = (*Stack)(nil)

// request is a request to the session handler.
type request struct {
	operation string
	to        netip.AddrPort
	session   uint32
}

// ask makes a request to the session handler, one at a time. A request that has not ended
// with the context goes on; its answer is read later.
func (s *Stack) ask(ctx context.Context, r request) (done bool, session uint32, err error) {
	select {
	case s.turn <- struct{}{}:
	case <-ctx.Done():
		return false, 0, failure(ErrBusy, s.sessions.instance, context.Cause(ctx), "others are opening sessions")
	}
	defer func() { <-s.turn }()
	k := s.sessions.called()
	if s.pending != nil {
		if err := k.idle(ctx); err != nil {
			return false, 0, err
		}
		if _, _, err := s.answer(ctx, *s.pending); err != nil {
			return false, 0, err
		}
		if session, open := s.session(r.to); open && r.operation == openConnection {
			return true, session, nil
		}
		if r.operation == openPort && s.isListening(r.to.Port()) {
			return true, 0, nil
		}
		if r.operation == closeConnection && !s.isOpen(r.session) {
			return true, 0, nil
		}
	}
	if err := k.idle(ctx); err != nil {
		return false, 0, err
	}
	ip := uint32(0)
	if r.to.Addr().IsValid() {
		ip = number(r.to.Addr())
	}
	for _, argument := range []struct {
		name  string
		value uint32
	}{
		{"ip", ip}, {"port_nr", uint32(r.to.Port())}, {"session_id_in", r.session},
		{"operation", k.mask("operation", r.operation)},
	} {
		if err := k.put(ctx, argument.name, 0, uint64(argument.value)); err != nil {
			return false, 0, err
		}
	}
	if err := k.start(ctx); err != nil {
		return false, 0, err
	}
	s.pending = &r
	if err := k.done(ctx); err != nil {
		return false, 0, err
	}
	return s.answer(ctx, r)
}

// answer reads the result of the pending request, and keeps it.
func (s *Stack) answer(ctx context.Context, r request) (done bool, session uint32, err error) {
	code, err := s.sessions.word(ctx, "return_code")
	if err == nil && code != 0 && r.operation == openConnection {
		session, err = s.sessions.word(ctx, "session_id")
	}
	if err != nil {
		return false, 0, err
	}
	s.pending = nil
	if code == 0 {
		return false, 0, nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch r.operation {
	case openPort:
		s.listening[r.to.Port()] = true
	case openConnection:
		s.opened[r.to] = session
	case closeConnection:
		for to, open := range s.opened {
			if open == r.session {
				delete(s.opened, to)
			}
		}
	}
	return true, session, nil
}

// The operations of the session handler, by their names.
const (
	openPort        = "open_port"
	openConnection  = "open_connection"
	closeConnection = "close"
)

// OpenPort makes the TCP stack listen on a port. It may be called once. It implements
// accl.SessionOpener.
func (s *Stack) OpenPort(ctx context.Context, port uint16) error {
	if s.sessions == nil {
		return s.unsupported("open a port")
	}
	to := netip.AddrPortFrom(netip.IPv4Unspecified(), port)
	if s.isListening(port) {
		return nil
	}
	done, _, err := s.ask(ctx, request{operation: openPort, to: to})
	if err != nil || done {
		return err
	}
	hint := "; perhaps it has been told to since the design was loaded: then Config.Listening says so"
	if int(port) >= s.tcp.ports {
		hint = fmt.Sprintf("; it listens below %d", s.tcp.ports)
	}
	return failure(ErrPort, s.sessions.instance, nil, "the stack does not listen on port %d%s", port, hint)
}

// OpenConnection makes one attempt to connect to a rank that listens, and returns the
// session. The error is ErrConnect if the rank does not listen or answer; try again then.
// It implements accl.SessionOpener.
func (s *Stack) OpenConnection(ctx context.Context, ip uint32, port uint16) (session uint32, err error) {
	return s.connection(ctx, netip.AddrPortFrom(address(ip), port))
}

func (s *Stack) connection(ctx context.Context, to netip.AddrPort) (session uint32, err error) {
	if s.sessions == nil {
		return 0, s.unsupported("open a connection")
	}
	if session, open := s.session(to); open {
		return session, nil
	}
	done, session, err := s.ask(ctx, request{operation: openConnection, to: to})
	if err != nil {
		return 0, err
	}
	if !done {
		return 0, failure(ErrConnect, s.sessions.instance, nil,
			"no connection to %v: nobody listens there, or nobody answers", to)
	}
	return session, nil
}

// CloseConnections closes the sessions that this stack has opened. Their peers are
// notified.
func (s *Stack) CloseConnections(ctx context.Context) error {
	if s.sessions == nil {
		return nil
	}
	for to, session := range s.openSessions() {
		if done, _, err := s.ask(ctx, request{closeConnection, netip.AddrPort{}, session}); err != nil {
			return err
		} else if !done {
			return failure(ErrConnect, s.sessions.instance, nil, "session %d to %v is not closed", session, to)
		}
	}
	return nil
}

func (s *Stack) session(to netip.AddrPort) (uint32, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	session, ok := s.opened[to]
	return session, ok
}

func (s *Stack) isListening(port uint16) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.listening[port]
}

func (s *Stack) isOpen(session uint32) bool {
	return slices.Contains(slices.Collect(maps.Values(s.openSessions())), session)
}

func (s *Stack) openSessions() map[netip.AddrPort]uint32 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return maps.Clone(s.opened)
}
