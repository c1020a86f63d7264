package compare

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"github.com/cclforge/cclforge/gen/abi"
	"github.com/cclforge/cclforge/verify/fabric"
	"github.com/cclforge/cclforge/verify/rtlsim"
)

// control is the control word of a move of which one field is something.
func control(g *abi.Generation, field string, value uint32) uint32 {
	return value << g.Layout("move_control").Field(field).Low
}

func TestWhatMayDifferIsNoDifference(t *testing.T) {
	for _, c := range []struct {
		name string
		do   func(e, h *side)
	}{
		{"nothing", func(e, h *side) {}},
		{"the order of moves", func(e, h *side) {
			a, b := Move{Control: 1, Bytes: 10}, Move{Control: 2, Bytes: 20}
			for i, m := range []Move{a, b, a} {
				e.log.Move(1, m, uint64(i))
			}
			for i, m := range []Move{b, a, a} {
				h.log.Move(1, m, uint64(100+i))
			}
		}},
		{"the queue of a move", func(e, h *side) {
			e.log.Move(1, Move{Control: control(e.g, "queue", 1)}, 1)
			h.log.Move(1, Move{Control: control(h.g, "queue", 2)}, 100)
		}},
		{"whether a buffer is announced before data is sent", func(e, h *side) {
			data, announcement := Message{Bytes: 4}, Message{}
			at := e.g.Layout(abi.MessageHeader).Field("msg_type").Low / 8
			announcement.Header[at] = byte(e.g.Enum("message_type").Value("rendezvous_announcement").Value)
			e.log.messages[[2]int{0, 1}] = []Message{announcement, data, data}
			h.log.messages[[2]int{0, 1}] = []Message{data, announcement, data}
		}},
		{"the order of beats and messages of different ranks", func(e, h *side) {
			for _, rank := range []int{0, 1} {
				e.log.beats(rank, 1, []byte{byte(rank)})
				h.log.beats(1-rank, 1, []byte{byte(1 - rank)})
			}
		}},
		{"what is left in an rx buffer",
			func(e, h *side) { h.fake.memory[h.rx[1]+7] = 9; h.fake.memory[h.rx[0]+rxBytes-1] = 9 }},
		{"what the record of an rx buffer says of its last message", func(e, h *side) {
			for i, name := range []string{"rx_tag", "rx_len", "rx_src", "seq"} {
				h.fake.words[h.rxWord(i%rxCount, name)] = 77
			}
		}},
		{"which rx buffer holds a message", func(e, h *side) {
			e.fake.words[e.rxWord(0, "status")] = 2
			h.fake.words[h.rxWord(1, "status")] = 2
		}},
		{"the host's copy of host memory", func(e, h *side) { h.host.Bytes()[3] = 5 }},
		{"how long a call took",
			func(e, h *side) { h.fake.words[h.g.Memory(abi.Exchange).Word("performance_counter").At] = 1234 }},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, sides := newSides(t)
			c.do(sides[0], sides[1])
			for range 2 {
				assert.NilError(t, p.Step(t.Context()))
			}
			assert.Check(t, p.End(t.Context()))
		})
	}
}

func TestTheFirstDifferenceIsToldWithBothSides(t *testing.T) {
	for _, c := range []struct {
		name string
		do   func(e, h *side)
		says []string
	}{
		{"a move of the emulator alone", func(e, h *side) {
			control := control(h.g, "result", h.g.Enum("move_result").Value("network").Value)
			e.log.Move(0, Move{Control: control, Tag: 5}, 3)
			h.log.Move(0, Move{Control: control, Tag: 6}, 900)
		}, []string{"rank 0", "tag 0x5", "cycle 900", "tag 0x6"}},
		{"a move of the hardware alone", func(e, h *side) { h.log.Move(1, Move{Control: 7}, 77) },
			[]string{"rank 1", "cycle 77", "0x00000007"}},
		{"a move twice", func(e, h *side) {
			e.log.Move(0, Move{}, 1)
			h.log.Move(0, Move{}, 5)
			h.log.Move(0, Move{}, 6)
		}, []string{"cycle 6"}},
		{"messages in another order", func(e, h *side) {
			for i, l := range []*Log{e.log, h.log} {
				for k := range 2 {
					l.messages[[2]int{0, 1}] = append(l.messages[[2]int{0, 1}], Message{Bytes: (i + k) % 2})
				}
			}
		}, []string{"rank 0 to 1", "message 0"}},
		{"another payload", func(e, h *side) {
			e.log.messages[[2]int{0, 1}] = []Message{{Bytes: 4, Sum: 0xABC}}
			h.log.messages[[2]int{0, 1}] = []Message{{Bytes: 4, Sum: 0xDEF}}
		}, []string{"rank 0 to 1", "message 0", "checksum 00000abc from the emulator",
			"checksum 00000def from the hardware"}},
		{"a message too few", func(e, h *side) { e.log.messages[[2]int{1, 0}] = []Message{{Bytes: 4}} },
			[]string{"rank 1 to 0", "emulator alone"}},
		{"a missing beat", func(e, h *side) {
			e.log.beats(1, 3, slices.Repeat([]byte{1, 2}, 64))
			h.log.beats(1, 3, slices.Repeat([]byte{1, 2}, 32))
		}, []string{"rank 1", "beat 1", "emulator alone", "TDEST 3, 01020102"}},
		{"a beat too many", func(e, h *side) { h.log.beats(1, 0, make([]byte, 64)) },
			[]string{"rank 1", "beat 0", "hardware alone", "cycle 4711"}},
		{"another TDEST", func(e, h *side) { e.log.beats(0, 5, make([]byte, 64)); h.log.beats(0, 6, make([]byte, 64)) },
			[]string{"rank 0", "beat 0", "TDEST 5", "TDEST 6", "emulator", "hardware"}},
		{"another byte of a beat", func(e, h *side) { e.log.beats(0, 5, []byte{0xAA}); h.log.beats(0, 5, []byte{0xBB}) },
			[]string{"beat 0", "aa from the emulator", "bb from the hardware", "cycle 4711"}},
		{"a flipped byte", func(e, h *side) { h.fake.memory[h.operand.Addr()+130] ^= 1 },
			[]string{"rank 1", "0x2082 of device memory, byte 130", "5000 bytes at 0x2000", "8283", "8383", "cycle 4711"}},
		{"a flipped byte and the move that wrote it", func(e, h *side) {
			m := Move{Control: control(h.g, "result", h.g.Enum("move_result").Value("memory").Value), Result: h.operand.Addr() +
				100, Bytes: 31, Tag: 0xF00}
			e.log.Move(1, m, 4)
			h.log.Move(1, m, 800)
			h.fake.memory[h.operand.Addr()+130] ^= 1
		}, []string{"move of cycle 800", "tag 0xF00"}},
		{"a byte behind an operand", func(e, h *side) { h.fake.memory[h.operand.Addr()+operandBytes] = 5 },
			[]string{"which nobody has allocated, 0 bytes behind 5000 bytes at 0x2000"}},
		{"a byte behind an rx buffer", func(e, h *side) { h.fake.memory[h.rx[0]+rxBytes] = 5 },
			[]string{"rank 1", "0 bytes behind 512 bytes"}},
		{"a byte of the page behind an operand", func(e, h *side) { h.fake.memory[h.operand.Addr()+2*around+99] = 5 },
			[]string{"nobody has allocated", "behind 5000 bytes"}},
		{"a byte of memory that was freed", func(e, h *side) {
			for _, s := range []*side{e, h} {
				assert.NilError(s.t, s.operand.Free())
			}
			h.fake.memory[h.operand.Addr()] = 5
		}, []string{"byte 0 of 5000 bytes"}},
		{"a byte of host memory", func(e, h *side) { h.fake.host[99] = 5 },
			[]string{"host memory, byte 99 of 100 bytes at 0x0", "is 00", "is 05"}},
		{"a byte of host memory that the emulator has changed", func(e, h *side) { e.host.Bytes()[5] = 6 },
			[]string{"is 06", "is 00"}},
		{"a byte of host memory that was freed", func(e, h *side) {
			h.fake.host[3] = 5
			for _, s := range []*side{e, h} {
				assert.NilError(s.t, s.host.Free())
			}
		}, []string{"host memory, byte 3 of 100 bytes at 0x0"}},
		{"memory at another address", func(e, h *side) { e.allocAt(0x8000, false); h.allocAt(0x9000, false) },
			[]string{"rank 1", "1 bytes at 0x8000 of device memory of the emulator",
				"1 bytes at 0x9000 of device memory of the hardware"}},
		{"memory of another kind", func(e, h *side) { e.allocAt(0x8000, false); h.allocAt(0x8000, true) },
			[]string{"rank 1", "device", "host memory"}},
		{"memory that one host has alone", func(e, h *side) { h.alloc(100, false) },
			[]string{"hardware alone", "100 bytes at 0x4000"}},
		{"a sequence number", func(e, h *side) {
			h.fake.words[h.word(abi.Communicators, h.comm, 1, "inbound_seq")] = 3
		}, []string{"rank 1", "inbound_seq of record 1 of the communicator", "0x0 in the emulator",
			"0x3 in the hardware in cycle 4711"}},
		{"a configuration", func(e, h *side) { e.fake.words[e.word(abi.ArithmeticConfigs, e.config, 0, "tdest")] = 3 },
			[]string{"tdest of record 0 of the arithmetic configuration"}},
		{"the address of an rx buffer", func(e, h *side) { h.fake.words[h.rxWord(1, "addrl")] ^= 64 },
			[]string{"addrl of record 1 of the rx buffers"}},
		{"an rx buffer that is not given back", func(e, h *side) { h.fake.words[h.rxWord(1, "status")] = 2 },
			[]string{"status", "0x1 in 2 of them in the emulator, and in 1 in the hardware"}},
		{"the return code", func(e, h *side) { h.fake.words[h.g.Memory(abi.Exchange).Word("return_code").At] = 1 },
			[]string{"return_code"}},
		{"a tuning word", func(e, h *side) { h.fake.words[h.g.Memory(abi.Exchange).Word("gather_fan_in").At] = 1 },
			[]string{"gather_fan_in"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, sides := newSides(t)
			assert.NilError(t, p.Step(t.Context()))
			c.do(sides[0], sides[1])
			err := p.Step(t.Context())
			assert.ErrorIs(t, err, ErrDifferent)
			for _, text := range c.says {
				assert.Check(t, strings.Contains(err.Error(), text), "%q is not said: %v", text, err)
			}
		})
	}
}

func TestWhatWasComparedIsForgotten(t *testing.T) {
	p, sides := newSides(t)
	for _, s := range sides {
		s.log.beats(1, 0, make([]byte, 64))
		assert.NilError(t, s.operand.Free())
	}
	assert.Check(t, p.Step(t.Context()))
	for i, s := range sides {
		if h := &s.log.hosts[1]; len(h.beats) != 0 || len(h.blocks) != rxCount+1 {
			t.Errorf("side %d still has %d beats and %d allocations", i, len(h.beats), len(h.blocks))
		}
	}
}

func TestTheHostKeepsItsCopy(t *testing.T) {
	p, sides := newSides(t)
	sides[1].host.Bytes()[3] = 5
	assert.Check(t, p.Step(t.Context()))
	if got := sides[1].host.Bytes()[3]; got != 5 {
		t.Errorf("it is %d now", got)
	}
}

func TestTheEndLooksAtWordsThatNobodyHasWritten(t *testing.T) {
	p, sides := newSides(t)
	sides[1].fake.words[sides[1].stray] = 1
	assert.Check(t, p.Step(t.Context()))
	if err := p.End(t.Context()); !errors.Is(err, ErrDifferent) || !strings.Contains(err.Error(), "nobody knows") {
		t.Errorf("%v", err)
	}
}

func TestWorldsWithoutEnginesAreNotCompared(t *testing.T) {
	p, sides := newSides(t)
	q, err := NewPair(sides[0].g, 2)
	assert.NilError(t, err)
	q.Emulated = p.Emulated
	assert.Check(t, is.ErrorIs(q.Step(t.Context()), errNoEngine))
}

func TestMessagesAreNotedWhenTheyAreSent(t *testing.T) {
	net := fabric.NewNet(fabric.TCP, fabric.Options{})
	l := newLog(2, 64)
	var ports []fabric.Port
	for rank := range 2 {
		p, _, err := net.Port(uint32(rank), 1)
		assert.NilError(t, err)
		ports = append(ports, l.Port(rank, p))
	}
	assert.NilError(t, ports[1].Send(0, &fabric.Packet{Header: [64]byte{9}, Payload: []byte("abc")}))
	assert.Check(t, ports[1].Send(5, &fabric.Packet{}) != nil, "sent to nobody")
	_, messages := l.take()
	if got := messages[[2]int{1, 0}]; len(messages) != 1 || len(got) != 1 ||
		got[0] != (Message{[64]byte{9}, 3, 0x352441c2}) {
		t.Errorf("%v", messages)
	}
}

// TestAnIssuedMoveIsReadFromItsLastWord follows the packed struct of the hardware.
func TestAnIssuedMoveIsReadFromItsLastWord(t *testing.T) {
	var i rtlsim.Issue
	for k := range i.Fields {
		i.Fields[k] = uint32(k)
	}
	want := Move{
		Window: 0, HeaderCount: 1, PacketIndex: 2, RemoteAddress: 4<<32 | 3, SegmentBytes: 5, ChunkBytes: 6,
		Strm: 7, Tag: 8, Shape: 9,
		Count: 10, Number: 11, Context: 12, Destination: 13, Source: 14, Comm: 15, Result: 17<<32 | 16, Kept: 19<<32 | 18,
		Op2: 21<<32 | 20, Op1: 23<<32 | 22, Op0: 25<<32 | 24, TDEST: 26, CompressedBytes: 27, Bytes: 28, Control: 29,
	}
	if got := Issued(i); got != want {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}
