package compare

import (
	"errors"
	"strings"
	"testing"

	"github.com/cclforge/cclforge/verify/fabric"
	"github.com/cclforge/cclforge/verify/sim"
)

func TestTheOrderOfMovesMayDiffer(t *testing.T) {
	e, h := NewLog(2), NewLog(2)
	a, b := Move{Control: 1, Bytes: 10}, Move{Control: 2, Bytes: 20}
	e.Move(1, a, 0)
	e.Move(1, b, 1)
	e.Move(1, a, 2)
	h.Move(1, b, 100)
	h.Move(1, a, 101)
	h.Move(1, a, 102)
	if err := Step(e, h, nil); err != nil {
		t.Error(err)
	}
	if err := Step(e, h, nil); err != nil {
		t.Errorf("the same again: %v", err)
	}
}

func TestTheFirstDifferenceIsToldWithBothSides(t *testing.T) {
	for _, c := range []struct {
		name string
		do   func(e, h *Log)
		says []string
	}{
		{"a move of the emulator alone", func(e, h *Log) {
			e.Move(0, Move{Control: 7, Tag: 5}, 3)
			h.Move(0, Move{Control: 7, Tag: 6}, 900)
		}, []string{"rank 0", "tag 0x5", "cycle 900", "tag 0x6"}},
		{"a move of the hardware alone", func(e, h *Log) { h.Move(1, Move{Control: 7}, 77) }, []string{"rank 1", "cycle 77", "0x00000007"}},
		{"a move twice", func(e, h *Log) {
			e.Move(0, Move{}, 1)
			h.Move(0, Move{}, 5)
			h.Move(0, Move{}, 6)
		}, []string{"cycle 6"}},
		{"messages in another order", func(e, h *Log) {
			for i, l := range []*Log{e, h} {
				for k := range 2 {
					l.messages[[2]int{0, 1}] = append(l.messages[[2]int{0, 1}], Message{Bytes: (i + k) % 2})
				}
			}
		}, []string{"rank 0 to 1", "message 0"}},
		{"a message too few", func(e, h *Log) { e.messages[[2]int{1, 0}] = []Message{{Bytes: 4}} }, []string{"rank 1 to 0", "emulator alone"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			e, h := NewLog(2), NewLog(2)
			c.do(e, h)
			err := Step(e, h, nil)
			if !errors.Is(err, ErrDifferent) {
				t.Fatalf("%v", err)
			}
			for _, text := range c.says {
				if !strings.Contains(err.Error(), text) {
					t.Errorf("%q is not said: %v", text, err)
				}
			}
		})
	}
}

func TestMessagesAreNotedWhenTheyAreSent(t *testing.T) {
	net := fabric.NewNet(fabric.TCP, fabric.Options{})
	l := NewLog(2)
	var ports []fabric.Port
	for rank := range 2 {
		p, _, err := net.Port(uint32(rank), 1)
		if err != nil {
			t.Fatal(err)
		}
		ports = append(ports, l.Port(rank, p))
	}
	if err := ports[1].Send(0, &fabric.Packet{Header: [64]byte{9}, Payload: []byte("abc")}); err != nil {
		t.Fatal(err)
	}
	if err := ports[1].Send(5, &fabric.Packet{}); err == nil {
		t.Error("sent to nobody")
	}
	_, messages := l.take()
	if got := messages[[2]int{1, 0}]; len(messages) != 1 || len(got) != 1 || got[0] != (Message{[64]byte{9}, 3}) {
		t.Errorf("%v", messages)
	}
}

// TestAnIssuedMoveIsReadFromItsLastWord follows the packed struct of the hardware.
func TestAnIssuedMoveIsReadFromItsLastWord(t *testing.T) {
	var i sim.Issue
	for k := range i.Fields {
		i.Fields[k] = uint32(k)
	}
	want := Move{
		Window: 0, HeaderCount: 1, PacketIndex: 2, RemoteAddress: 4<<32 | 3, SegmentBytes: 5, ChunkBytes: 6, Strm: 7, Tag: 8, Context: 9,
		Destination: 10, Source: 11, Comm: 12, Result: 14<<32 | 13, Op1: 16<<32 | 15, Op0: 18<<32 | 17,
		TDEST: 19, CompressedBytes: 20, Bytes: 21, Control: 22,
	}
	if got := Issued(i); got != want {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}
