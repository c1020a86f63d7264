package rx

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/cclforge/cclforge/verify/rtltest/block"
)

func TestInboundPayload(t *testing.T) { packetSet.Check(t, "inbound_payload", inboundPayload) }

const (
	toMessage = iota
	toWindow
	toKernel
	abandoned
)

// job is what is to be done with a packet.
type job struct {
	kind, bytes           int
	last, host, more      bool // more: of the packet of a window
	total                 uint64
	level                 int // bytes that the put has left
	address               uint64
	buffer                int
	window, epoch, index  uint64
	tdest                 uint64
	data                  []byte
	moves, writes, failed bool // failed: by memory
	joined                bool // it is among what goes to the kernel
}

// inboundPayload takes payload to memory and to the kernel, and has memory fail
// now and then.
func inboundPayload(b *block.Bench, r *rand.Rand) error {
	noWindow, noBuffer := b.Const("engine_pkg::EVENT_NO_WINDOW"), b.Const("engine_pkg::EVENT_NO_BUFFER")
	var payload, commands, writing, tracks []*job // in their order
	var landed []*job                             // all data are with memory, not done
	var failed [256]bool
	var spoiled [32]bool
	clears := 0
	level := 0      // of the put that goes on
	var held []byte // of puts, not gone to the kernel, up to the end of the packet that goes through
	in := block.NewInput(b, "rx_data_valid", "rx_data_ready")
	write := block.NewOutput(b, "write_valid", "write_ready", "write_address", "write_host", "write_bytes")
	complete := block.NewOutput(b, "complete_valid", "complete_ready", "complete_buffer", "complete_result")
	written := block.NewOutput(b, "written_valid", "written_ready", "written_window", "written_epoch", "written_index",
		"written_bytes", "written_good")
	var begun, sofar int // bytes of the packet that goes through
	var events uint64
	for round := range 8 {
		if round > 0 && r.IntN(3) == 0 {
			b.Reset()
			payload, commands, writing, tracks, landed, begun, sofar, events = nil, nil, nil, nil, nil, 0, 0, 0
			failed, spoiled, level, held = [256]bool{}, [32]bool{}, 0, nil
			in.Withdraw()
			write.Forget()
			complete.Forget()
			written.Forget()
		}
		pushes, gives, commandsTaken, dataTaken, puts, dones, results := block.NewRhythm(r), block.NewRhythm(r),
			block.NewRhythm(r), block.NewRhythm(r), block.NewRhythm(r), block.NewRhythm(r), block.NewRhythm(r)
		faults := r.IntN(2) * 5
		for cycle, seen := 0, 0; seen < 80; cycle++ {
			if cycle > 30000 {
				return fmt.Errorf("only %d packets were done with", seen)
			}
			b.Scramble(r, "push_kind", "push_last", "push_bytes", "push_address", "push_host", "push_buffer", "push_window",
				"push_epoch", "push_index", "push_tdest", "push_more", "push_total", "push_level", "write_code")
			b.Set("push", 0)
			b.Set("write_done", 0)
			if !in.Offered() {
				b.Scramble(r, "rx_data", "rx_data_keep", "rx_data_last")
				if len(payload) > 0 && gives.Next() {
					p := payload[0]
					n := min(beat, p.bytes-begun)
					x := random(r, beat) // behind the end anything
					copy(x, p.data[begun:begun+n])
					b.SetBytes("rx_data", x)
					b.Set("rx_data_keep", ^uint64(0)>>(beat-n))
					b.Put("rx_data_last", begun+n == p.bytes)
					in.Offer()
				}
			}
			b.Put("write_ready", commandsTaken.Next())
			b.Put("write_data_ready", dataTaken.Next())
			b.Put("put_ready", puts.Next())
			b.Put("complete_ready", results.Next())
			b.Put("written_ready", results.Next())
			if len(landed) > 0 && dones.Next() {
				j := landed[0]
				landed = landed[1:]
				j.failed = r.IntN(20) < faults
				b.Set("write_done", 1)
				b.Set("write_code", 0)
				if j.failed {
					b.Set("write_code", 1<<r.IntN(32))
				}
				j.writes = false // it is settled
			}
			b.Set("clear", 0)
			b.Settle()
			var now *job
			if b.Is("idle") && r.IntN(4) == 0 {
				b.Set("clear", 1)
				failed, spoiled = [256]bool{}, [32]bool{}
				clears++
			} else if b.Is("room") && cycle%400 < 300 && pushes.Next() {
				now = &job{
					kind: r.IntN(4), bytes: length(r, 4096), last: r.IntN(2) == 0, host: r.IntN(2) == 0, address: r.Uint64(),
					buffer: r.IntN(3) * 100,
					window: r.Uint64N(32), epoch: r.Uint64N(8), index: r.Uint64N(64), tdest: r.Uint64N(256), total: r.Uint64N(8192),
				}
				now.more = now.kind == toWindow && r.IntN(2) == 0
				if now.kind == abandoned {
					now.last = true
				}
				if r.IntN(5) == 0 {
					now.bytes = 0
				}
				now.moves = now.bytes > 0 && now.kind != abandoned
				now.writes = now.moves && now.kind != toKernel
				if now.kind == toKernel && now.moves {
					if level == 0 && r.IntN(2) == 0 {
						now.bytes = beat * (1 + r.IntN(64))
					}
					if now.level, level = level, (level+now.bytes)%beat; now.last {
						level = 0
					}
				}
				now.data = random(r, now.bytes)
				b.Set("push", 1)
				b.Set("push_kind", uint64(now.kind))
				b.Put("push_last", now.last)
				b.Put("push_host", now.host)
				b.Put("push_more", now.more)
				b.Set("push_total", now.total)
				b.Set("push_level", uint64(now.level))
				for name, v := range map[string]uint64{"bytes": uint64(now.bytes), "address": now.address,
					"buffer": uint64(now.buffer), "window": now.window, "epoch": now.epoch, "index": now.index, "tdest": now.tdest} {
					b.Set("push_"+name, v)
				}
			}
			before := len(payload) + len(commands) + len(tracks)
			b.Step()
			if b.Is("idle") != (before == 0) {
				return fmt.Errorf("it is idle: %t, with %d things to do", b.Is("idle"), before)
			}
			if got := b.Get("events"); got != events {
				return fmt.Errorf("events %b, not %b", got, events)
			}
			events = 0
			moved := b.Is("write_data_valid") && b.Is("write_data_ready")
			put := b.Is("put_valid") && b.Is("put_ready")
			if b.Is("put_moved") != (b.Is("put_valid") && b.Is("put_ready")) {
				return errors.New("what is said to have gone to the kernel has not")
			}
			taken := in.Taken()
			if (taken || put) && len(payload) == 0 {
				return errors.New("a beat is taken that is for nobody")
			}
			kernel := len(payload) > 0 && payload[0].kind == toKernel
			if taken && !kernel != moved || put && !kernel {
				return fmt.Errorf("a beat was taken: %t, it has gone: %t, to the kernel: %t", taken, moved, put)
			}
			if kernel && begun == 0 && !payload[0].joined {
				payload[0].joined, held = true, append(held, payload[0].data...)
			}
			if put {
				p := payload[0]
				n := min(beat, len(held))
				if n == 0 || n < beat && !p.last {
					return fmt.Errorf("%d bytes go to the kernel, and the put goes on", n)
				}
				full := make([]byte, beat)
				copy(full, held[:n])
				if got := b.Bytes("put_data"); !bytes.Equal(got, full) || b.Get("put_keep") != ^uint64(0)>>(beat-n) ||
					b.Is("put_last") != (n == len(held)) || b.Get("put_tdest") != p.tdest {
					return fmt.Errorf("%X keep %X last %t goes to TDEST %d of the kernel, not %X to %d", got, b.Get("put_keep"),
						b.Is("put_last"), b.Get("put_tdest"), full[:n], p.tdest)
				}
				held = held[n:]
			}
			if taken && kernel {
				if p := payload[0]; begun+beat < p.bytes {
					begun += beat
				} else {
					if len(held) >= beat || p.last && len(held) > 0 {
						return fmt.Errorf("%d bytes of a put are left behind", len(held))
					}
					begun, payload, seen = 0, payload[1:], seen+1
				}
			}
			if b.Is("write_data_valid") && b.Is("put_valid") {
				return errors.New("a beat goes to memory and to the kernel")
			}
			if moved {
				p := payload[0]
				n := min(beat, p.bytes-begun)
				got := b.Bytes("write_data")
				if !bytes.Equal(got[:n], p.data[begun:begun+n]) || b.Get("write_data_keep") != ^uint64(0)>>(beat-n) ||
					b.Is("write_data_last") != (begun+n == p.bytes) {
					return fmt.Errorf("beat %d of %d bytes is %X keep %X last %t", begun/beat, p.bytes, got, b.Get("write_data_keep"),
						b.Is("write_data_last"))
				}
				if begun += n; begun == p.bytes {
					begun, payload, writing = 0, payload[1:], append(writing, p)
				}
			}
			if ok, err := write.Taken(); err != nil {
				return err
			} else if ok {
				if len(commands) == 0 {
					return errors.New("a write of nothing")
				}
				c := commands[0]
				if b.Get("write_address") != c.address || b.Is("write_host") != c.host || int(b.Get("write_bytes")) != c.bytes {
					return fmt.Errorf("%d bytes are written at 0x%X (host: %t), not %+v", b.Get("write_bytes"), b.Get("write_address"),
						b.Is("write_host"), *c)
				}
				commands = commands[1:]
				sofar++
			}
			for sofar > 0 && len(writing) > 0 { // memory has the command and all data
				landed, writing, sofar = append(landed, writing[0]), writing[1:], sofar-1
			}
			// What memory does not have yet must not be told of; what need not be
			// told of goes away.
			doneWith := func() *job {
				t := tracks[0]
				tracks = tracks[1:]
				seen++
				return t
			}
			quiet := func() bool {
				return len(tracks) > 0 && (tracks[0].kind == toMessage && !tracks[0].last || tracks[0].more) && !tracks[0].writes
			}
			isComplete, err := complete.Taken()
			if err != nil {
				return err
			}
			isWritten, err := written.Taken()
			if err != nil {
				return err
			}
			if isComplete || isWritten {
				if len(tracks) == 0 || tracks[0].writes {
					return errors.New("something is done that memory does not have")
				}
				if isWritten != (tracks[0].kind == toWindow) || tracks[0].more || isComplete == isWritten || !isWritten &&
					!tracks[0].last {
					return fmt.Errorf("%+v is completed: %t, written: %t", *tracks[0], isComplete, isWritten)
				}
				t := doneWith()
				if isWritten {
					good := t.last && !t.failed && !spoiled[t.window]
					spoiled[t.window] = false
					if b.Get("written_window") != t.window || b.Get("written_epoch") != t.epoch || b.Get("written_index") != t.index ||
						b.Get("written_bytes") != t.total || b.Is("written_good") != good {
						return fmt.Errorf("%d bytes, packet %d of window %d (%d) are written, good: %t; not %+v", b.Get("written_bytes"),
							b.Get("written_index"), b.Get("written_window"), b.Get("written_epoch"), b.Is("written_good"), *t)
					}
					if !good && t.moves {
						events |= noWindow
					}
				} else {
					want := uint64(0)
					if failed[t.buffer] || t.failed {
						want = 1
					} else if t.kind == abandoned {
						want = 2
					}
					if int(b.Get("complete_buffer")) != t.buffer || b.Get("complete_result") != want {
						return fmt.Errorf("buffer %d ends with %d, not %d with %d", b.Get("complete_buffer"), b.Get("complete_result"),
							t.buffer, want)
					}
					if want == 1 && t.kind == toMessage {
						events |= noBuffer
					}
					failed[t.buffer] = false
				}
			} else if quiet() && !b.Is("complete_valid") && !b.Is("written_valid") {
				t := doneWith()
				if t.kind == toMessage {
					failed[t.buffer] = failed[t.buffer] || t.failed
				} else if spoiled[t.window] = spoiled[t.window] || t.failed || !t.last; spoiled[t.window] && t.moves {
					events |= noWindow
				}
			}
			if now != nil {
				if now.moves {
					payload = append(payload, now)
				}
				if now.writes {
					commands = append(commands, now)
				}
				if now.kind != toKernel {
					tracks = append(tracks, now)
				} else if !now.moves {
					seen++
				}
			}
		}
	}
	if clears == 0 {
		return errors.New("it is never idle")
	}
	return nil
}
