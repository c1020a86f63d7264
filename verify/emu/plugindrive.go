package emu

import (
	"fmt"
	"strings"

	"github.com/cclforge/cclforge/verify/hls"
)

// PluginError is a fault of a kernel in C++ on a lane of the engine.
type PluginError struct {
	Instance, Kernel string
	Stream           string // where it shows
	Beat             uint64 // of the packet, from 1
	Does, Expects    string // what the kernel does, and the engine on the other side
}

func (e *PluginError) Error() string {
	return fmt.Sprintf("%s (kernel %s): %s", e.Instance, e.Kernel, e.told())
}

func (e *PluginError) told() string {
	return fmt.Sprintf("beat %d of %s: the kernel %s; the engine %s", e.Beat, e.Stream, e.Does, e.Expects)
}

// traffic is a packet on its way through a plugin.
type traffic struct {
	packet
	*pluginRun
	sent [2]int // bytes of it that the kernel has been given
	got  int    // bytes of the result
}

// mostLooks is how often a plugin is run that looks at its streams while nothing
// happens: it may count its looks, and go on after some.
const mostLooks = 1000

// drive gives the kernel a packet and takes the result, a little of each at a time,
// until all has passed.
func (r *pluginRun) drive(p packet) *PluginError {
	t := traffic{packet: p, pluginRun: r}
	for looks := 0; ; {
		moved := false
		for i := range r.inputs {
			moved = t.send(i) || moved
		}
		if !r.run() {
			return nil
		}
		taken, fault := t.take()
		switch complete := t.got == len(t.dst) && t.all() && r.state.Doing != hls.Writes; {
		case fault != nil:
			return fault
		case r.state.Doing == hls.Failed:
			return t.fault(r.output, beatsOf(t.got)+1, r.state.String(), t.waiting())
		case complete:
			if fault = t.unread(); fault == nil {
				t.end()
				return nil
			}
		case moved || taken:
			looks = 0
			continue
		default:
			fault = t.fault(r.output, beatsOf(t.got)+1, t.doing(), t.waiting())
		}
		if looks++; r.state.Doing != hls.Polls || looks > mostLooks {
			return fault
		}
	}
}

// send gives an input as many beats as it has room for.
func (t *traffic) send(i int) bool {
	src, at := t.in[i], t.sent[i]
	port := t.inputs[i]
	dest := uint32(0)
	if t.ports[port].Dest > 0 {
		dest = t.tdest
	}
	n := 0
	for ; n < len(t.beats) && at < len(src); n++ {
		b := &t.beats[n]
		size := copy(b.Data[:], src[at:])
		at += size
		b.Keep, b.Dest, b.Last = keepFor(size), dest, 0
		if at == len(src) {
			clear(b.Data[size:])
			b.Last = 1
		}
	}
	n = t.c.Put(port, t.beats[:n])
	t.sent[i] = min(t.sent[i]+n*beatBytes, len(src))
	return n > 0
}

// take takes what has come, and checks it.
func (t *traffic) take() (taken bool, fault *PluginError) {
	for {
		n := t.c.Get(t.output, t.beats)
		for i := range t.beats[:n] {
			if fault := t.check(&t.beats[i]); fault != nil {
				return true, fault
			}
		}
		taken = taken || n > 0
		if n < len(t.beats) {
			return taken, nil
		}
	}
}

// check compares a beat of the result with what the engine expects.
func (t *traffic) check(b *hls.Beat) *PluginError {
	size := min(beatBytes, len(t.dst)-t.got)
	beat := beatsOf(t.got) + 1
	last := uint32(0)
	if t.got+size == len(t.dst) {
		last = 1
	}
	switch {
	case size == 0:
		return t.fault(t.output, beat, "has written it after the last one", t.expects("has had all"))
	case b.Keep != keepFor(size):
		return t.fault(t.output, beat, fmt.Sprintf("has written it with TKEEP 0x%X", b.Keep),
			t.expects(fmt.Sprintf("expects TKEEP 0x%X", keepFor(size))))
	case b.Last != last:
		return t.fault(t.output, beat, "has written it "+tlast(b.Last), t.expects("expects it "+tlast(last)))
	}
	t.got += copy(t.dst[t.got:], b.Data[:size])
	return nil
}

func tlast(v uint32) string {
	if v == 0 {
		return "without TLAST"
	}
	return "with TLAST"
}

// all tells whether the kernel was given everything.
func (t *traffic) all() bool {
	for i := range t.inputs {
		if t.sent[i] < len(t.in[i]) {
			return false
		}
	}
	return true
}

// unread is the fault of a kernel that has not read everything, nil if it has.
func (t *traffic) unread() *PluginError {
	for i, port := range t.inputs {
		if left := pluginDepth - t.c.Count(port); left > 0 {
			return t.fault(port, beatsOf(len(t.in[i]))-uint64(left)+1, t.doing()+", and the result is complete",
				"has given it a packet of "+beatsIn(len(t.in[i])))
		}
	}
	return nil
}

// end counts the beats of a packet that has passed.
func (t *traffic) end() {
	for i, port := range t.inputs {
		t.given[port] += beatsOf(len(t.in[i]))
	}
	t.given[t.output] += beatsOf(len(t.dst))
}

// doing says what the kernel does, in beats of the packet.
func (t *traffic) doing() string {
	s := t.state
	if s.Port >= 0 && s.Port < len(t.given) {
		s.Moved -= t.given[s.Port]
	}
	return s.String()
}

// waiting says what the engine waits for.
func (t *traffic) waiting() string {
	var given []string
	for i, port := range t.inputs {
		given = append(given, fmt.Sprintf("%d of %d beats of %s", beatsOf(t.sent[i]), beatsOf(len(t.in[i])),
			t.ports[port].Name))
	}
	wants := "has had all " + beatsIn(len(t.dst))
	if t.got < len(t.dst) {
		wants = fmt.Sprintf("waits for beat %d of %d", beatsOf(t.got)+1, beatsOf(len(t.dst)))
	}
	return fmt.Sprintf("%s and has given %s", wants, strings.Join(given, ", "))
}

// expects adds what the result is to be.
func (t *traffic) expects(what string) string {
	return fmt.Sprintf("%s, in a packet of %s", what, beatsIn(len(t.dst)))
}

// beatsIn is "21 beats (1296 bytes)".
func beatsIn(bytes int) string { return fmt.Sprintf("%d beats (%d bytes)", beatsOf(bytes), bytes) }

func (t *traffic) fault(port int, beat uint64, does, expects string) *PluginError {
	return &PluginError{Stream: t.ports[port].Name, Beat: beat, Does: does, Expects: expects}
}

// beatBytes is the width of the streams of plugins.
const beatBytes = len(hls.Beat{}.Data)

func beatsOf(bytes int) uint64 { return uint64((bytes + beatBytes - 1) / beatBytes) }
