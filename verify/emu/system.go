package emu

import (
	"time"

	"github.com/cclforge/cclforge/verify/emu/rv32"
)

const nanosecondsPerMillisecond = int64(time.Millisecond)

// clock is the time since power-up, by the wall.
type clock struct {
	start time.Time
	mhz   int64
}

// now is in nanoseconds.
func (c *clock) now() int64 { return int64(time.Since(c.start)) }

// cycles turns clock cycles into nanoseconds.
func (c *clock) cycles(n uint32) int64 { return int64(n) * 1000 / c.mhz }

// milliseconds are those at which the turn began.
func (e *Engine) milliseconds() uint32 { return uint32(e.now / nanosecondsPerMillisecond) }

// timers are the registers of time.
type timers struct {
	limitCycles        uint32
	remoteMilliseconds uint32
	high               uint32 // of the cycles, held when the low word was read
}

// remote is how long the engine waits for other ranks, in nanoseconds.
func (t *timers) remote() int64 { return int64(t.remoteMilliseconds) * nanosecondsPerMillisecond }

func (e *Engine) attachTimers() {
	t := &e.timers
	t.limitCycles = uint32(e.d.Platform.Limits.TimeoutCycles)
	t.remoteMilliseconds = uint32(max(e.o.RemoteTimeout.Milliseconds(), 1))
	if i, is := e.bus.find("timers", "cycles"); is {
		at := e.bus.registers[i:]
		at[0] = register{name: "timers.cycles", load: func() (uint32, error) {
			ns := uint64(e.clock.now())
			cycles := ns/1000*uint64(e.clock.mhz) + ns%1000*uint64(e.clock.mhz)/1000
			t.high = uint32(cycles >> 32)
			return uint32(cycles), nil
		}}
		at[1] = register{name: "timers.cycles", load: func() (uint32, error) { return t.high, nil }}
	}
	e.bus.on("timers", "milliseconds", e.milliseconds, nil)
	e.bus.variable("timers", "limit_cycles", &t.limitCycles)
	e.bus.variable("timers", "remote_milliseconds", &t.remoteMilliseconds)
}

func (e *Engine) attachSystem() {
	b := e.bus
	b.on("system", "hardware_id", func() uint32 { return e.d.HardwareID }, nil)
	b.on("system", "reset", func() uint32 { return 0 }, func(parts uint32) error { e.reset(parts); return nil })
	if i, is := b.find("system", "sleep"); is {
		b.registers[i] = register{name: "system.sleep", load: e.sleep}
	}
	if i, is := b.find("system", "next"); is {
		b.registers[i] = register{name: "system.next", load: e.next}
	}
	b.variable("system", "alarm", &e.alarm)
	b.on("system", "firmware", nil, func(v uint32) error { e.processor.firmware = v; return nil })
	b.on("system", "trace", nil, func(uint32) error { return nil })
}

func (e *Engine) attachCalls() {
	b := e.bus
	window := make([]uint32, e.n.callWindow.Size/wordBytes)
	b.shows(e.n.callWindow, window)
	b.on("calls", "status", e.calls.status, nil)
	e.show = func(c *openCall) {
		for i, word := range e.callWords {
			window[i] = word(&c.call)
		}
		e.ticket = uint32(c.ticket)
	}
	b.on("calls", "take", func() uint32 {
		c := e.calls.take()
		if c == nil {
			return 0
		}
		e.takes(c)
		return uint32(c.ticket)
	}, nil)
	b.variable("calls", "ticket", &e.ticket)
	b.on("calls", "cycles", func() uint32 {
		return uint32(uint64(e.clock.now()-e.calls.takenAt(e.ticket)) * uint64(e.clock.mhz) / 1000)
	}, nil)
	b.on("calls", "answer", nil, func(code uint32) error { return e.answer(e.ticket, code) })
}

// raise notes events that wake the processor.
func (e *Engine) raise(events uint32) { e.events |= events }

// boot notes that firmware is ready for calls.
func (e *Engine) boot() {
	e.processor.started = true
	if !e.booted {
		e.booted = true
		close(e.ready)
	}
}

// takes shows a call that was taken to the processor.
func (e *Engine) takes(c *openCall) {
	c.taken = e.now
	e.show(c)
	e.traces(&e.n.trace.callTaken, uint32(c.call.Scenario))
}

// next takes a call, or answers as sleep does.
func (e *Engine) next() (uint32, error) {
	e.boot()
	f := &e.n.woken
	var v uint32
	c, refused := e.calls.next()
	switch {
	case c != nil:
		e.takes(c)
		v = f.taken.put(1) | f.operation.put(uint32(c.call.Scenario))
	case refused:
		v = f.reset.put(1)
	case e.events&^e.n.wake.call == 0 && !e.alarmed():
		e.events = 0 // calls show by themselves whether there are some
		return 0, rv32.ErrWait
	}
	if c == nil && e.mover.state() == 0 {
		v |= f.atRest.put(1)
	}
	if e.written.Swap(false) {
		v |= f.tables.put(1)
	}
	v |= e.events
	e.events = 0
	e.processor.heartbeat++
	return v, nil
}

// sleep answers the events since the last time, or makes the processor wait.
func (e *Engine) sleep() (uint32, error) {
	e.boot()
	if e.events == 0 && !e.alarmed() {
		return 0, rv32.ErrWait
	}
	events := e.events
	e.events = 0
	e.processor.heartbeat++
	return events, nil
}

// alarmed tells whether the time of the alarm has come.
func (e *Engine) alarmed() bool { return int32(e.milliseconds()-e.alarm) >= 0 }

// alarmTime is when the alarm comes, in nanoseconds since power-up.
func (e *Engine) alarmTime() int64 {
	now := e.now / nanosecondsPerMillisecond
	return (now + int64(int32(e.alarm-uint32(now)))) * nanosecondsPerMillisecond
}

// reset does at once what a bit set reset_part asks for.
func (e *Engine) reset(parts uint32) {
	p := &e.n.part
	if parts&p.moves != 0 {
		e.mover.reset()
	}
	if parts&p.network != 0 {
		e.inbound.reset()
		e.routes.Forget() // a rank that was restarted is told again
	}
	if parts&p.messages != 0 {
		e.rx.clear()
		e.rendezvous.clear()
		e.notices.clear()
		clear(e.inbound.partly)
	}
}
