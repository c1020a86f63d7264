package timeline

import (
	"fmt"
	"io"
	"slices"

	"google.golang.org/protobuf/encoding/protowire"
)

// Numbers of fields in Perfetto's public schema, protos/perfetto/trace: trace.proto,
// trace_packet.proto and, in track_event/, track_event.proto, track_descriptor.proto,
// process_descriptor.proto and debug_annotation.proto.
const (
	traceTracePacket = 1

	packetTimestamp  = 8
	packetSequence   = 10 // trusted_packet_sequence_id
	packetTrackEvent = 11
	packetFlags      = 13 // sequence_flags
	packetTrack      = 60 // track_descriptor

	trackUUID    = 1
	trackName    = 2
	trackProcess = 3
	trackParent  = 5
	trackCounter = 8

	processPID  = 1
	processName = 6

	eventAnnotation = 4
	eventType       = 9
	eventTrack      = 11
	eventCategory   = 22
	eventName       = 23
	eventCounter    = 30 // counter_value
	eventFlow       = 47
	eventFlowEnd    = 48

	annotationString = 6
	annotationName   = 10

	sliceBegin, sliceEnd, instant, counter = 1, 2, 3, 4 // TrackEvent.Type
	stateCleared                           = 1          // SEQ_INCREMENTAL_STATE_CLEARED
)

// message is a message of protobuf that is being written.
type message []byte

func (m *message) number(field protowire.Number, v uint64) {
	*m = protowire.AppendVarint(protowire.AppendTag(*m, field, protowire.VarintType), v)
}

func (m *message) fixed(field protowire.Number, v uint64) {
	*m = protowire.AppendFixed64(protowire.AppendTag(*m, field, protowire.Fixed64Type), v)
}

func (m *message) text(field protowire.Number, s string) { m.inner(field, message(s)) }

func (m *message) inner(field protowire.Number, inner message) {
	*m = protowire.AppendBytes(protowire.AppendTag(*m, field, protowire.BytesType), inner)
}

// perfetto is a trace that is being written.
type perfetto struct {
	t      *Timeline
	out    message
	timed  []timed
	tracks uint64 // so many so far
}

// timed is a packet with a time.
type timed struct {
	at     int64
	packet message
}

// Perfetto writes a trace of track events for Perfetto: each rank is a process with tracks for calls,
// queues of moves, DMA engines, plugins and kernel streams, rx buffers, firmware, packets and other
// events; flows lead from packets that were sent to where they arrived.
func (t *Timeline) Perfetto(w io.Writer) error {
	p := &perfetto{t: t}
	var first message
	first.number(packetFlags, stateCleared)
	p.packet(first)
	for rank := range t.Ranks {
		p.rank(rank)
	}
	slices.SortStableFunc(p.timed, func(a, b timed) int { return int(min(max(a.at-b.at, -1), 1)) })
	for _, e := range p.timed {
		p.packet(e.packet)
	}
	_, err := w.Write(p.out)
	return err
}

func (p *perfetto) packet(m message) {
	m.number(packetSequence, 1)
	p.out.inner(traceTracePacket, m)
}

// track describes a track of a process, or a process without a parent; more may add fields.
func (p *perfetto) track(name string, parent uint64, pid int, more ...func(*message)) uint64 {
	p.tracks++
	var track, m message
	track.number(trackUUID, p.tracks)
	track.text(trackName, name)
	if parent != 0 {
		track.number(trackParent, parent)
	} else {
		var process message
		process.number(processPID, uint64(pid))
		process.text(processName, name)
		track.inner(trackProcess, process)
	}
	for _, add := range more {
		add(&track)
	}
	m.inner(packetTrack, track)
	p.packet(m)
	return p.tracks
}

// event writes an event of a track; more may add fields.
func (p *perfetto) event(at int64, kind, track uint64, category, name, text string, more func(*message)) {
	var e, m message
	e.number(eventType, kind)
	e.number(eventTrack, track)
	if kind == sliceBegin || kind == instant {
		e.text(eventCategory, category)
		e.text(eventName, name)
		if text != "" {
			var a message
			a.text(annotationName, "about")
			a.text(annotationString, text)
			e.inner(eventAnnotation, a)
		}
	}
	if more != nil {
		more(&e)
	}
	m.number(packetTimestamp, uint64(at-p.t.Begin))
	m.inner(packetTrackEvent, e)
	p.timed = append(p.timed, timed{at, m})
}

// lane is a track of spans that do not overlap, or are inside each other.
type lane struct {
	name  string
	track uint64
	until []int64 // the ends of those that are open
}

func (p *perfetto) rank(rank int) {
	process := p.track(fmt.Sprintf("rank %d", rank), 0, rank+1) // Linux has no process 0
	var lanes []*lane
	for _, s := range slices.Concat(p.t.Spans, p.t.Units) {
		if s.Rank == rank {
			p.span(&s, process, &lanes)
		}
	}
	for _, l := range lanes {
		for len(l.until) > 0 {
			p.close(l)
		}
	}
	packets := p.track("packets", process, 0)
	for i, m := range p.t.Messages {
		flow := uint64(i + 1)
		if m.From == rank {
			p.event(m.Sent, instant, packets, "packet", fmt.Sprintf("%s to rank %d", m.Kind, m.To), m.Text,
				func(e *message) { e.fixed(eventFlow, flow) })
		}
		if m.To == rank {
			p.event(m.Arrived, instant, packets, "packet", fmt.Sprintf("%s of rank %d", m.Kind, m.From), m.Text,
				func(e *message) { e.fixed(eventFlowEnd, flow) })
		}
	}
	p.buffers(rank, process)
	var others uint64
	for _, e := range p.t.Ranks[rank].Events {
		switch e.Name {
		case "call_taken", "call_answered", "move_issued", "moves_completed", "slice_begun":
			continue // spans
		}
		if others == 0 {
			others = p.track("events", process, 0)
		}
		p.event(e.At, instant, others, "event", e.Name, e.Text, nil)
	}
}

// buffers writes how many rx buffers are in use, where that is told and has changed.
func (p *perfetto) buffers(rank int, process uint64) {
	track, before := uint64(0), uint32(0)
	for _, e := range p.t.Ranks[rank].Events {
		used, told := e.Argument["rx_buffers"]
		if !told || track != 0 && used == before {
			continue
		}
		if before = used; track == 0 {
			track = p.track("rx buffers in use", process, 0, func(m *message) { m.inner(trackCounter, nil) })
		}
		p.event(e.At, counter, track, "", "", "", func(m *message) { m.number(eventCounter, uint64(used)) })
	}
}

// span writes a span on the first lane of its kind where it fits.
func (p *perfetto) span(s *Span, process uint64, lanes *[]*lane) {
	name := string(s.Kind) + "s"
	switch s.Kind {
	case MoveSpan:
		name = fmt.Sprintf("moves, queue %d", s.Queue)
	case WaitSpan, BusySpan:
		name = "waits and firmware"
	case UnitSpan:
		name = s.Unit
	}
	var on *lane
	for _, l := range *lanes {
		if l.name != name {
			continue
		}
		for len(l.until) > 0 && l.until[len(l.until)-1] <= s.Begin {
			p.close(l)
		}
		if n := len(l.until); n == 0 || s.End <= l.until[n-1] {
			on = l
			break
		}
	}
	if on == nil {
		on = &lane{name: name, track: p.track(name, process, 0)}
		*lanes = append(*lanes, on)
	}
	p.event(s.Begin, sliceBegin, on.track, string(s.Kind), s.Name, s.Text, nil)
	on.until = append(on.until, s.End)
}

// close ends the innermost open span.
func (p *perfetto) close(l *lane) {
	n := len(l.until) - 1
	p.event(l.until[n], sliceEnd, l.track, "", "", "", nil)
	l.until = l.until[:n]
}
