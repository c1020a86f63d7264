package kernels

import (
	"context"
	"fmt"
	"time"
)

// Registers of the 100G MAC: Ethernet/template.xml of the UDP stack; AMD PG203 for the
// bits.
const (
	macReset       = 0x004
	macConfTX      = 0x00C
	macConfRX      = 0x014
	macVersion     = 0x024
	macLoopback    = 0x090
	macTXStatus    = 0x200
	macRXStatus    = 0x204
	macBlockLock   = 0x20C
	macLaneSync    = 0x210
	macTick        = 0x2B0
	macCycles      = 0x2B8
	macTXPackets   = 0x500
	macTXLast      = 0x588
	macTXBadFCS    = 0x5B8
	macTXPause     = 0x5F0
	macTXUserPause = 0x5F8
	macRXPackets   = 0x608
	macRXLast      = 0x6D0
	macRXPause     = 0x6F8
	macRXUserPause = 0x700
	macFECErrors   = 0x1000
	macFEC         = 0x107C

	rxUp         = 1<<0 | 1<<1 // status, aligned
	rxLocalFault = 1 << 6
)

// Ethernet is the 100G MAC of a card.
type Ethernet struct {
	w *Wire

	// Guarded by the wire's lock.
	down           bool
	noFEC          bool // built without
	deaf           bool // its enable bits do not stay
	flaps          int  // how often it still goes down for a moment
	every          time.Duration
	read           time.Time // the state, last
	fec, errors    uint32    // registers of RS-FEC
	corrects       bool      // the core has taken over that it is on
	reset          uint32
	confTX, confRX uint32
	low, high      uint32 // what the state has had since it was read: bits that were 0, that were 1
	loopback       uint32
	live, shown    counters
}

type counters map[uint32]uint64

// newEthernet is a MAC as it is after the design was loaded: if it has brought itself
// up, its receiver and its sender are on.
func newEthernet(w *Wire, up bool) *Ethernet {
	m := &Ethernet{w: w, live: counters{}, shown: counters{}, low: rxUp, high: rxLocalFault}
	if up {
		m.confTX, m.confRX = 1, 1
	}
	return m
}

// Cut unplugs the cable, or plugs it in again.
func (m *Ethernet) Cut(down bool) {
	m.w.set(func() {
		m.down = down
		m.latch()
	})
}

// Flap makes the link go down for a moment once every such time, so many times. Reads of
// its state in quick succession see it up.
func (m *Ethernet) Flap(every time.Duration, times int) {
	m.w.set(func() { m.every, m.flaps = every, times })
}

// WithoutFEC makes it a MAC that was built without RS-FEC: writes to that register have no
// effect.
func (m *Ethernet) WithoutFEC() { m.w.set(func() { m.noFEC, m.fec = true, 0 }) }

// Deaf keeps its enable bits at 0.
func (m *Ethernet) Deaf() { m.w.set(func() { m.deaf, m.confTX, m.confRX = true, 0, 0 }) }

// Count adds to a counter, by the offset of its register.
func (m *Ethernet) Count(offset uint32, n uint64) { m.w.set(func() { m.live[offset] += n }) }

// up is the state of the link. The wire is locked.
func (m *Ethernet) up() bool {
	return !m.down && m.confRX&1 == 1 && m.reset == 0 && m.corrects == m.w.fec
}

// now is the state of the receiver.
func (m *Ethernet) now() uint32 {
	if m.up() {
		return rxUp
	}
	return rxLocalFault
}

// latch keeps what the state has had.
func (m *Ethernet) latch() {
	m.low |= ^m.now()
	m.high |= m.now()
}

// state reads the state of the receiver: good bits stay 0 once they were, bad ones stay 1,
// until they are read.
func (m *Ethernet) state() uint32 {
	now := time.Now()
	gap := now.Sub(m.read)
	m.read = now
	if m.flaps > 0 && gap >= m.every {
		m.flaps--
		m.low |= rxUp
		m.high |= rxLocalFault
	}
	m.latch()
	v := rxUp&^m.low | rxLocalFault&m.high
	m.low, m.high = ^m.now(), m.now()
	return v
}

func (m *Ethernet) counter(offset uint32) (at uint32, high, ok bool) {
	at, high = offset&^7, offset&4 != 0
	switch {
	case at == macCycles, at >= macTXPackets && at <= macTXLast, at == macTXBadFCS, at == macTXPause, at == macTXUserPause,
		at >= macRXPackets && at <= macRXLast, at == macRXPause, at == macRXUserPause:
		return at, high, true
	}
	return 0, false, false
}

// Read implements layout.Registers.
func (m *Ethernet) Read(ctx context.Context, offset uint32) (uint32, error) {
	if err := usable(ctx, "MAC", offset); err != nil {
		return 0, err
	}
	m.w.mu.Lock()
	defer m.w.mu.Unlock()
	switch offset {
	case macConfTX:
		return m.confTX, nil
	case macConfRX:
		return m.confRX, nil
	case macVersion:
		return 0x0301, nil
	case macLoopback:
		return m.loopback, nil
	case macTXStatus:
		return 0, nil
	case macRXStatus:
		return m.state(), nil
	case macBlockLock, macLaneSync:
		if m.up() {
			return 0xFFFFF, nil
		}
		return 0, nil
	case macTick:
		return 0, nil
	case macReset:
		return m.reset, nil
	case macFECErrors:
		return m.errors, nil
	case macFEC:
		return m.fec, nil
	}
	if at, high, ok := m.counter(offset); ok {
		if high {
			return uint32(m.shown[at] >> 32), nil
		}
		return uint32(m.shown[at]), nil
	}
	return 0, nowhere("MAC", offset)
}

// Write implements layout.Registers.
func (m *Ethernet) Write(ctx context.Context, offset, value uint32) error {
	if err := usable(ctx, "MAC", offset); err != nil {
		return err
	}
	m.w.mu.Lock()
	defer m.w.mu.Unlock()
	defer m.latch()
	switch offset {
	case macConfTX:
		if !m.deaf {
			m.confTX = value
		}
	case macConfRX:
		if !m.deaf {
			m.confRX = value
		}
	case macLoopback:
		m.loopback = value & 1
	case macTick:
		if value&1 == 1 {
			m.shown, m.live = m.live, counters{}
		}
	case macReset:
		if m.reset != 0 && value == 0 { // cmac.cpp: what RS-FEC shall be is taken over now
			m.corrects = m.fec == 3
		}
		m.reset = value & 0xC0000000
	case macFECErrors:
		if !m.noFEC {
			m.errors = value & 7
		}
	case macFEC:
		if !m.noFEC {
			m.fec = value & 3
		}
	default:
		return fmt.Errorf("%w is written", nowhere("MAC", offset))
	}
	return nil
}
