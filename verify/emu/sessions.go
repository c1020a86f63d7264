package emu

// sessions are the requests of the processor to the TCP network engine.
type sessions struct {
	ip              uint32
	listen, connect uint32 // layout session_status
	attempt         uint32 // counts connects; the answer to an earlier one comes too late
}

func (e *Engine) attachSessions() {
	if !e.d.ABI().Features["engine_sessions"] {
		return
	}
	s, f, b := &e.sessions, &e.n.session, e.bus
	answer := func(session uint32, err error) uint32 {
		e.raise(e.n.wake.network)
		if err != nil {
			return f.ready.put(1)
		}
		return f.session.put(session) | f.success.put(1) | f.ready.put(1)
	}
	b.on("sessions", "listen", nil, func(port uint32) error {
		s.listen = answer(0, e.port.Listen(uint16(port)))
		return nil
	})
	b.on("sessions", "listen_status", func() uint32 { return s.listen }, nil)
	b.variable("sessions", "ip", &s.ip)
	b.on("sessions", "connect", nil, func(port uint32) error {
		e.routes.Survey()
		s.connect = 0 // not ready
		s.attempt++
		attempt, ip := s.attempt, s.ip
		go func() {
			session, err := e.port.Connect(e.life, ip, uint16(port))
			e.do(func() {
				if attempt == s.attempt {
					s.connect = answer(session, err)
				}
			})
		}()
		return nil
	})
	b.on("sessions", "connect_status", func() uint32 { return s.connect }, nil)
}
