package transmit

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/cclforge/cclforge/verify/rtltest/block"
)

var ethernet = []string{"eth_tx_data_tvalid", "eth_tx_data_tready", "eth_tx_data_tdata", "eth_tx_data_tkeep",
	"eth_tx_data_tlast", "eth_tx_data_tdest", "eth_tx_headed"}

func TestNetworkTCP(t *testing.T) {
	set.Check(t, "network_transmit", packets(asking, ethernet, "refused", "closed amid a message", "unasked", "filler"))
}

func TestNetworkUDP(t *testing.T) {
	set.Check(t, "network_transmit_udp", packets(streaming, ethernet))
}

func TestNetworkRDMA(t *testing.T) {
	set.Check(t, "network_transmit_rdma", packets(requesting, ethernet, "written", "message"))
}

// outlet is where packets leave: a back end, or a network stack behind one.
type outlet interface {
	drive(ends bool) // before a step
	check() error    // behind it: what was asked for and answered
	rests() bool     // nothing is shown that goes
}

// backEnd is asked for each packet, and answers in any order.
type backEnd struct {
	*sender
	answers *filled
}

func direct(x *sender) outlet {
	x.fillers = true
	return &backEnd{sender: x}
}

func (e *backEnd) drive(ends bool) {
	b := e.b
	b.Put("ask_ready", (e.closes < 0 || e.closing == 0) && (ends || e.paces["asks"]()))
	b.Set("answer_valid", 0)
	b.Scramble(e.r, "answer_slot", "answer_good")
	if e.answers = e.due(ends, false); e.answers != nil {
		b.Set("answer_valid", 1)
		b.Set("answer_slot", uint64(e.answers.slot))
		b.Put("answer_good", ends || e.r.IntN(4) > 0)
	}
}

func (e *backEnd) check() error {
	b := e.b
	if e.answers != nil {
		e.answered(e.answers, b.Is("answer_good"))
	}
	if b.Is("ask_valid") && (e.resets > 0 || !e.enabled) {
		return errors.New("a packet is asked for while none may go")
	}
	if !b.Is("ask_valid") || !b.Is("ask_ready") {
		return nil
	}
	p, want, err := e.first(b.Get("ask_session"))
	if err != nil {
		return err
	}
	if !p.mark && int(b.Get("ask_slot")) != p.slot {
		return fmt.Errorf("slot %d of session %d is asked for: %+v", b.Get("ask_slot"), b.Get("ask_session"), p)
	}
	if int(b.Get("ask_bytes")) != want.bytes || b.Is("ask_written") != (want.row && !want.fill) || !p.mark &&
		(b.Get("ask_vaddr") != p.vaddr || b.Get("ask_host") != p.host) {
		return fmt.Errorf("%d bytes are asked for, written: %t; not %+v", b.Get("ask_bytes"), b.Is("ask_written"), want)
	}
	p.slot = int(b.Get("ask_slot")) // of a mark nobody knew it
	e.ask(p, want)
	return nil
}

func (e *backEnd) rests() bool { return true }

// tcpStack is asked for each packet, and answers in order. What it says without
// being asked is not listened to.
type tcpStack struct {
	*sender
	meta    *block.Drain
	answers *filled
	good    bool
}

func asking(x *sender) outlet {
	x.hides, x.fillers = true, true
	return &tcpStack{sender: x, meta: drain(x.b, x.r, "eth_tx_meta_tvalid", "eth_tx_meta_tready", "eth_tx_meta_tdata")}
}

func (s *tcpStack) drive(ends bool) {
	b := s.b
	if ends {
		s.meta.Pace, s.meta.Late = nil, false
	}
	if s.meta.Drive(); s.silent() {
		b.Set(s.meta.Ready, 1)
	}
	b.Scramble(s.r, "eth_tx_status_tdata", "rdma_sq_tready")
	status := b.Get("eth_tx_status_tdata")
	if s.answers = s.due(ends, true); ends || s.r.IntN(2) == 0 {
		status &= 1<<62 - 1 // no error
	}
	s.good = status>>62 == 0
	b.Set("eth_tx_status_tdata", status)
	unasked := s.answers == nil && len(s.asked) == 0 && s.rests() && s.r.IntN(8) == 0
	b.Put("eth_tx_status_tvalid", s.answers != nil || unasked)
	if unasked {
		s.counts["unasked"]++
	}
}

func (s *tcpStack) check() error {
	b := s.b
	if !b.Is("eth_tx_status_tready") || b.Is("rdma_sq_tvalid") {
		return errors.New("the stack has to wait with its answer, or another one is asked")
	}
	if s.answers != nil {
		s.answered(s.answers, s.good)
	}
	if taken, err := s.meta.Taken(); !taken {
		return err
	}
	word := b.Get("eth_tx_meta_tdata")
	p, want, err := s.first(word & 0xFFFF)
	if err != nil {
		return err
	}
	if int(word>>16) != want.bytes {
		return fmt.Errorf("the stack is asked for %d bytes, not for %+v", word>>16, want)
	}
	s.ask(p, want)
	return nil
}

func (s *tcpStack) rests() bool {
	return !s.b.Is("eth_tx_meta_tvalid") && !s.b.Is("eth_tx_data_tvalid")
}

// udpStack takes what comes, in whole beats.
type udpStack struct{ *sender }

func streaming(x *sender) outlet {
	x.hides, x.unseen, x.padded = true, true, true
	return udpStack{x}
}

// ignored are the pins of a TCP stack, which others do not have.
func (x *sender) ignored() error {
	if x.b.Is("eth_tx_meta_tvalid") || !x.b.Is("eth_tx_status_tready") {
		return errors.New("a TCP stack is asked")
	}
	return nil
}

func (s udpStack) drive(bool) {
	s.b.Scramble(s.r, "eth_tx_meta_tready", "eth_tx_status_tvalid", "eth_tx_status_tdata", "rdma_sq_tready")
}

func (s udpStack) check() error {
	if s.b.Is("rdma_sq_tvalid") {
		return errors.New("an RDMA stack is asked")
	}
	return s.ignored()
}

func (s udpStack) rests() bool { return !s.b.Is("eth_tx_data_tvalid") }

// rdmaStack is told of each packet, before or behind its data.
type rdmaStack struct {
	*sender
	queue *block.Drain
	want  []ask
}

func requesting(x *sender) outlet {
	s := &rdmaStack{sender: x, queue: drain(x.b, x.r, "rdma_sq_tvalid", "rdma_sq_tready", "rdma_sq_tdata")}
	x.hides, x.unseen, x.queued = true, true, func(a ask) { s.want = append(s.want, a) }
	return s
}

func (s *rdmaStack) drive(ends bool) {
	if ends {
		s.queue.Pace, s.queue.Late = nil, false
	}
	if s.queue.Drive(); s.silent() {
		s.b.Set(s.queue.Ready, 1)
	}
	s.b.Scramble(s.r, "eth_tx_meta_tready", "eth_tx_status_tvalid", "eth_tx_status_tdata")
}

func (s *rdmaStack) check() error {
	if err := s.ignored(); err != nil {
		return err
	}
	taken, err := s.queue.Taken()
	if !taken {
		return err
	}
	if got := requested(s.b); len(s.want) == 0 {
		p, want, err := s.first(got["queue_pair"])
		if err != nil {
			return err
		}
		s.goes(p, want)
	}
	a := s.want[0]
	s.want = slices.Delete(s.want, 0, 1)
	if a.written {
		s.counts["written"]++
	} else {
		s.counts["message"]++
	}
	return a.compare(s.b)
}

func (s *rdmaStack) rests() bool {
	return len(s.want) == 0 && !s.b.Is("rdma_sq_tvalid") && !s.b.Is("eth_tx_data_tvalid")
}
