package engine

import (
	"context"
	"fmt"
	"time"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/driver/layout"
)

// callRegisters are the registers of a call, by name, in the order of callWords.write.
var callRegisters = []string{
	"scenario", "count", "comm", "root_src_dst", "function_code", "tag", "arithcfg", "compression_flags", "stream_flags",
	"addr_0", "addr_1", "addr_2",
}

// callWords are the registers of a call.
type callWords struct {
	regs      layout.Registers
	registers []layout.Register
}

func (w *callWords) write(ctx context.Context, c accl.Call) error {
	for i, v := range [...]uint64{
		uint64(c.Scenario), uint64(c.Count), uint64(c.Comm), uint64(c.RootSrcDst), uint64(c.FunctionCode), uint64(c.Tag),
		uint64(c.ArithCfg), uint64(c.CompressionFlags), uint64(c.StreamFlags), c.Addr0, c.Addr1, c.Addr2,
	} {
		if err := w.registers[i].Write(ctx, w.regs, v); err != nil {
			return err
		}
	}
	return nil
}

// posting places calls without waiting for the ones before, and reads return codes from a ring.
type posting struct {
	words                                *callWords
	post, posted, answered, ring, length uint32 // registers, and words of the ring
	calls                                uint32 // placed since the controller's reset, modulo 2^32
	given                                uint32 // answers that were read
	known                                uint32 // answers that have come
}

// postingWay is nil if the controller does not post.
func postingWay(ctx context.Context, words *callWords, kernel layout.Kernel) (placer, int, error) {
	at, err := kernel.Find("post", "posted", "answered", "capacity", "answers")
	if err != nil {
		return nil, 0, nil // an older design
	}
	capacity, err := words.regs.Read(ctx, at[3].At)
	if err != nil || capacity == 0 {
		return nil, 0, err
	}
	p := &posting{words: words, post: at[0].At, posted: at[1].At, answered: at[2].At, ring: at[4].At, length: capacity}
	// The last call of an earlier process may be being taken just now.
	time.Sleep(time.Millisecond)
	if p.calls, err = words.regs.Read(ctx, p.posted); err != nil {
		return nil, 0, err
	}
	if p.known, err = words.regs.Read(ctx, p.answered); err != nil {
		return nil, 0, err
	}
	// Answers to calls of an earlier process come first.
	p.given = p.calls
	left := p.calls - p.known
	if left > capacity {
		return nil, 0, fmt.Errorf("%w: %d calls placed, %d answered", ErrSilent, p.calls, p.known)
	}
	if left >= capacity {
		return nil, 0, fmt.Errorf("%w: %d calls of a process before are without an answer; load the card again",
			ErrSilent, left)
	}
	return p, int(capacity - left), nil
}

// ready reports whether the last call was taken, so that its registers may be written.
func (p *posting) ready(ctx context.Context) (bool, error) {
	v, err := p.words.regs.Read(ctx, p.posted)
	return v == p.calls, err
}

func (p *posting) place(ctx context.Context, c accl.Call) error {
	if err := p.words.write(ctx, c); err != nil {
		return err
	}
	if err := p.words.regs.Write(ctx, p.post, 1); err != nil {
		return err
	}
	p.calls++
	return nil
}

func (p *posting) answer(ctx context.Context) (code accl.ReturnCode, ok bool, err error) {
	if int32(p.known-p.given) <= 0 {
		if p.known, err = p.words.regs.Read(ctx, p.answered); err != nil || int32(p.known-p.given) <= 0 {
			return 0, false, err
		}
	}
	v, err := p.words.regs.Read(ctx, p.ring+4*(p.given%p.length))
	if err != nil {
		return 0, false, err
	}
	p.given++
	return accl.ReturnCode(v), true, nil
}

// starting places a call by ap_start, one at a time. Its return code stands in the
// exchange memory.
type starting struct {
	words      *callWords
	kernel     Control
	exchange   layout.Registers
	returnCode uint32
}

func startingWay(words *callWords, kernel layout.Kernel, exchange layout.Registers, p *accl.Platform) (placer, error) {
	k, err := ControlOf(kernel, words.regs)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrRegister, err)
	}
	w := p.Exchange.Word("return_code")
	if w == nil {
		return nil, fmt.Errorf("%w: the exchange memory of %s has no word return_code", ErrRegister, p.Name)
	}
	return &starting{words, k, exchange, w.At}, nil
}

// ready waits for the end of a call that an earlier process has left.
func (s *starting) ready(ctx context.Context) (bool, error) { return s.kernel.Idle(ctx) }

func (s *starting) place(ctx context.Context, c accl.Call) error {
	if err := s.words.write(ctx, c); err != nil {
		return err
	}
	return s.kernel.Start(ctx)
}

func (s *starting) answer(ctx context.Context) (accl.ReturnCode, bool, error) {
	done, err := s.kernel.Done(ctx)
	if err != nil || !done {
		return 0, false, err
	}
	v, err := s.exchange.Read(ctx, s.returnCode)
	return accl.ReturnCode(v), err == nil, err
}
