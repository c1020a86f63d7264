package moves

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/cclforge/cclforge/gen/abi"
	"github.com/cclforge/cclforge/gen/design"
	"github.com/cclforge/cclforge/verify/rtltest/block"
)

// registers are those of a move, and the move that was issued last.
type registers struct {
	b     *block.Bench
	r     *rand.Rand
	d     *design.Design
	at    map[string]uint64
	wide  map[string]bool
	value map[string]uint64
	// An access.
	asks, writes, answers bool
	address, data         uint64
	known                 bool
	want                  uint64
	waits                 int
	// The move.
	stage   string            // idle, deciding, source, destination, push
	issued  map[string]uint64 // registers, and control
	ranks   map[string]uint64
	queue   int
	message bool
	network bool
	doomed  bool
	shown   bool // it was issued in the cycle before
	seen    map[string]int
}

// moveRegisters is a processor that writes registers and issues moves.
func moveRegisters(b *block.Bench, r *rand.Rand) error {
	d, err := block.Design(platform)
	if err != nil {
		return err
	}
	m := registers{b: b, r: r, d: d, seen: map[string]int{}}
	if m.at, m.wide, err = offsets("move"); err != nil {
		return err
	}
	m.clear()
	asks := block.NewRhythm(r)
	for range 30000 {
		if r.IntN(4000) == 0 {
			m.clear()
		}
		m.ask(asks.Next())
		if err := m.cycle(); err != nil {
			return err
		}
	}
	for _, what := range []string{"read", "error", "accepted", "dropped", "overflowed", "pushed", "doomed", "counted"} {
		if m.seen[what] < 15 {
			return fmt.Errorf("too few of something: %v", m.seen)
		}
	}
	return nil
}

func (m *registers) clear() {
	m.b.Reset()
	m.value = map[string]uint64{}
	m.stage, m.asks, m.answers, m.shown, m.waits = "idle", false, false, false, 0
}

// field is one of a control word.
func (m *registers) field(name string) abi.Field {
	fields := m.d.ABI().Layout("move_control").Fields
	return fields[slices.IndexFunc(fields, func(f abi.Field) bool { return f.Name == name })]
}

func (m *registers) get(control uint64, name string) uint64 {
	f := m.field(name)
	return control >> f.Low & (1<<f.Bits() - 1)
}

// ask begins an access.
func (m *registers) ask(active bool) {
	b, r := m.b, m.r
	if !m.asks && active {
		m.asks, m.writes, m.data = true, r.IntN(3) > 0, uint64(r.Uint32())
		names := make([]string, 0, len(m.at))
		for name := range m.at {
			names = append(names, name)
		}
		slices.Sort(names)
		name := names[r.IntN(len(names))]
		m.address = m.at[name]
		if m.wide[name] && r.IntN(2) == 0 {
			m.address += 4
		}
		switch r.IntN(10) {
		case 0:
			m.address = uint64(r.IntN(64)) * 4
		case 1, 2:
			m.address = m.at["control"]
		case 3:
			m.address, m.data = m.at["bytes"], uint64(r.IntN(20000))
		case 4:
			m.address, m.data = m.at["op0_address"], ^uint64(r.IntN(5000))&0xFFFFFFFF
		}
		if m.address == m.at["control"] {
			m.data = m.control()
		}
	}
	b.Scramble(r, "request")
	b.Put("request.valid", m.asks)
	if m.asks {
		b.Put("request.write", m.writes)
		b.Set("request.address", m.address)
		b.Set("request.wdata", m.data)
	}
}

// control is a control word, often of a message or to the network.
func (m *registers) control() uint64 {
	word := uint64(m.r.Uint32())
	put := func(name string, v uint64) {
		f := m.field(name)
		word = word&^((1<<f.Bits()-1)<<f.Low) | v<<f.Low
	}
	operand, result := m.d.ABI().Enum("move_operand"), m.d.ABI().Enum("move_result")
	for _, op := range []string{"op0", "op1"} {
		if m.r.IntN(2) == 0 {
			put(op, uint64(operand.Value([]string{"memory", "message"}[m.r.IntN(2)]).Value))
		}
	}
	put("result", uint64(result.Value([]string{"memory", "network", "memory_and_network", "kernel_stream_and_network",
		"apart", "beside"}[m.r.IntN(6)]).Value))
	if m.r.IntN(3) == 0 {
		put("message_type", uint64(m.d.ABI().Enum("message_type").Value("rendezvous_data").Value))
	}
	return word
}

// register is the one that an access names, and which half of it.
func (m *registers) register(address uint64) (name string, low int) {
	for n, at := range m.at {
		switch {
		case at == address:
			return n, 0
		case m.wide[n] && at+4 == address:
			return n, 32
		}
	}
	return "", 0
}

// cycle runs one and follows what it does.
func (m *registers) cycle() error {
	b, r := m.b, m.r
	hold, clears := r.IntN(3) == 0, uint64(0)
	if r.IntN(20) == 0 {
		clears = 1 << r.IntN(queues)
	}
	if clears != 0 {
		hold = true
	}
	refuses, full := uint64(r.IntN(1<<queues)&r.IntN(1<<queues)), uint64(r.IntN(1<<queues)&r.IntN(1<<queues))
	for name, v := range map[string]uint64{"hold": block.Bit(hold), "clear": clears, "refuses": refuses, "full": full} {
		b.Set(name, v)
	}
	b.Scramble(r, "peer_response")
	looks := m.stage == "source" || m.stage == "destination"
	b.Put("peer_response.done", looks && r.IntN(3) == 0)
	b.Settle()

	var bit, accepted, dropped, overflowed, pending, push uint64
	if m.stage != "idle" {
		bit = 1 << m.queue
	}
	if m.stage == "deciding" && !hold {
		switch {
		case refuses&bit != 0:
			dropped = bit
		case full&bit != 0:
			overflowed = bit
		default:
			accepted = bit
		}
	}
	if (looks || m.stage == "push") && !m.doomed {
		pending = bit
		if m.stage == "push" {
			push = bit
		}
	}
	for _, x := range []struct {
		name string
		want uint64
	}{
		{"accepted", accepted}, {"dropped", dropped}, {"overflowed", overflowed}, {"pending", pending}, {"push", push},
		{"deciding", block.Bit(m.stage == "deciding")},
		{"issue_valid", block.Bit(m.shown)}, {"peer_request.valid", block.Bit(looks)},
		{"response.ready", block.Bit(m.answers)},
		{"selection.comm", m.value["comm"]}, {"selection.source", m.value["source"]},
		{"selection.destination", m.value["destination"]},
		{"selection.context_", m.value["comm_context"]}, {"selection.tag", m.value["tag"]},
		{"selection.collective.number", m.value["collective_number"]}, {"selection.collective.count",
			m.value["collective_count"]}, {"selection.collective.shape", m.value["collective_shape"]},
	} {
		if got := b.Get(x.name); got != x.want {
			return fmt.Errorf("a move that is at %q: %w", m.stage, block.Differs(x.name, got, x.want))
		}
	}
	if looks && (b.Get("peer_request.comm") != m.issued["comm"] || b.Get("peer_request.rank") != m.issued[m.stage]) {
		return fmt.Errorf("rank %d of 0x%X is looked up, not the %s", b.Get("peer_request.rank"), b.Get("peer_request.comm"),
			m.stage)
	}
	if m.shown {
		if err := m.same("issue."); err != nil {
			return err
		}
	}
	if push != 0 {
		if err := m.pushed(); err != nil {
			return err
		}
	}
	if m.answers && (b.Is("response.error") == m.known || m.known && !m.writes && b.Get("response.rdata") != m.want) {
		return fmt.Errorf("register 0x%X, written %t, is 0x%X, error %t; not 0x%X, known %t", m.address, m.writes,
			b.Get("response.rdata"), b.Is("response.error"), m.want, m.known)
	}
	b.Step()
	m.shown = false
	m.proceed(accepted, dropped|overflowed, clears)
	m.seen["accepted"] += int(block.Bit(accepted != 0))
	m.seen["dropped"] += int(block.Bit(dropped != 0))
	m.seen["overflowed"] += int(block.Bit(overflowed != 0))
	m.seen["pushed"] += int(block.Bit(push != 0))
	return m.access()
}

// same compares the registers of the move with those when it was issued.
func (m *registers) same(prefix string) error {
	for name, v := range m.issued {
		field := prefix + name
		if name == "comm_context" {
			field = prefix + "context_"
		}
		if !m.b.Has(field) {
			if !strings.HasSuffix(name, "_stride") {
				return fmt.Errorf("the move has no %s", name)
			}
			continue
		}
		if got := m.b.Get(field); got != v {
			return block.Differs(field, got, v)
		}
	}
	return nil
}

// pushed checks the move that goes into its queue.
func (m *registers) pushed() error {
	if err := m.same("move.issue."); err != nil {
		return err
	}
	for name, v := range m.ranks {
		if got := m.b.Get("move.ranks." + name); got != v {
			return block.Differs(name, got, v)
		}
	}
	for _, ok := range []string{"source_ok", "destination_ok"} {
		if _, there := m.ranks[ok]; !there && m.b.Is("move.ranks."+ok) {
			return fmt.Errorf("%s is set, and nobody was looked up", ok)
		}
	}
	return nil
}

// proceed brings the move on.
func (m *registers) proceed(accepted, gone, clears uint64) {
	b := m.b
	if m.stage != "idle" && m.stage != "deciding" && clears>>m.queue&1 != 0 {
		m.doomed = true
		m.seen["doomed"]++
	}
	then := func() {
		switch {
		case m.stage == "deciding" && m.message:
			m.stage = "source"
		case m.stage != "destination" && m.network:
			m.stage = "destination"
		default:
			m.stage = "push"
		}
	}
	switch m.stage {
	case "deciding":
		if gone != 0 {
			m.stage = "idle"
		} else if accepted != 0 {
			m.doomed = false
			then()
		}
	case "source", "destination":
		if !b.Is("peer_response.done") {
			return
		}
		for _, f := range []string{"ok", "record", "session"} {
			m.ranks[m.stage+"_"+f] = b.Get("peer_response." + f)
		}
		if m.stage == "destination" {
			m.ranks["destination_self"], m.ranks["local_rank"] = b.Get("peer_response.self"), b.Get("peer_response.local_rank")
		}
		then()
	case "push":
		m.stage = "idle"
	}
}

// access follows the one that is under way. Control words wait for the move
// before, what counts packets for those that are being counted.
func (m *registers) access() error {
	if m.answers {
		m.asks, m.answers, m.waits = false, false, 0
		return nil
	}
	if !m.asks {
		return nil
	}
	name, low := m.register(m.address)
	// Whether it is taken in this cycle is seen in the next one.
	m.b.Put("request.valid", false)
	m.b.Settle()
	taken := m.b.Is("response.ready")
	if m.waits++; !taken {
		if name != "control" && name != "packet_index" || m.waits > 200 {
			return errors.New("an access is not answered")
		}
		return nil
	}
	m.answers, m.known = true, name != ""
	if name == "control" {
		m.known = m.writes
	}
	if m.want = m.value[name] >> low & 0xFFFFFFFF; !m.known {
		m.seen["error"]++
	}
	if !m.writes {
		m.seen["read"]++
		return nil
	}
	if name == "control" {
		if m.stage != "idle" {
			return fmt.Errorf("a move is issued, another one is at %q", m.stage)
		}
		m.issue()
	} else if name != "" {
		m.value[name] = m.value[name]&^(0xFFFFFFFF<<low) | m.data<<low
		if !m.wide[name] {
			m.value[name] &= 0xFFFFFFFF
		}
	}
	return nil
}

// issue issues the move; the registers step on.
func (m *registers) issue() {
	control := m.data
	m.issued, m.ranks = map[string]uint64{"control": control}, map[string]uint64{}
	for name := range m.at {
		if name != "control" {
			m.issued[name] = m.value[name]
		}
		if strings.HasPrefix(name, "collective_") && m.value["comm_context"]&1 == 0 {
			m.issued[name] = 0
		}
	}
	operand, result, steps := m.d.ABI().Enum("move_operand"), m.d.ABI().Enum("move_result"), m.d.ABI().Enum("move_step")
	is := func(name, value string) bool { return m.get(control, name) == uint64(result.Value(value).Value) }
	taken := uint64(operand.Value("message").Value)
	m.stage, m.shown, m.doomed = "deciding", true, false
	m.queue = int(m.get(control, "queue"))
	m.message = m.get(control, "op0") == taken || m.get(control, "op1") == taken
	m.network = is("result", "network") || is("result", "memory_and_network") ||
		is("result", "kernel_stream_and_network") || is("result", "apart") || is("result", "beside")
	size := func(name string) uint64 {
		if m.get(control, name+"_compressed") != 0 {
			return m.value["compressed_bytes"]
		}
		return m.value["bytes"]
	}
	for _, name := range []string{"op0", "op1", "result"} {
		switch m.get(control, name+"_step") {
		case uint64(steps.Value("advance").Value):
			m.value[name+"_address"] += size(name)
		case uint64(steps.Value("stride").Value):
			m.value[name+"_address"] += m.value[name+"_stride"]
		}
	}
	wire := size("network")
	if m.get(control, "remote_advance") != 0 {
		m.value["remote_address"] += wire
	}
	if m.network &&
		m.get(control, "message_type") == uint64(m.d.ABI().Enum("message_type").Value("rendezvous_data").Value) {
		payload := uint64(m.d.ABI().Constant("max_packet_bytes").Value - m.d.ABI().Constant("header_bytes").Value)
		m.value["packet_index"] = (m.value["packet_index"] + max(1, (wire+payload-1)/payload)) & 0xFFFFFFFF
		m.seen["counted"]++
	}
}
