package rx

import (
	"errors"
	"fmt"
	"math/rand/v2"

	"github.com/cclforge/cclforge/verify/rtltest/block"
	"github.com/cclforge/cclforge/verify/rtltest/pins"
)

// recorderWords are offsets in the record of an rx buffer, and what its status can
// be, from the interface's description.
type recorderWords struct {
	tag, bytes, src, seq, status uint64
	enqueued, reserved, bad      uint64
}

func newRecorderWords() (w recorderWords, err error) {
	d, err := pins.Design("u55c_tcp")
	if err != nil {
		return w, err
	}
	g := d.ABI()
	for i, f := range g.Memory("exchange").Table("rx_buffers").Record {
		at := uint64(4 * i)
		switch f.Name {
		case "rx_tag":
			w.tag = at
		case "rx_len":
			w.bytes = at
		case "rx_src":
			w.src = at
		case "seq":
			w.seq = at
		case "status":
			w.status = at
		}
	}
	e := g.Enum("rx_status")
	w.enqueued, w.reserved, w.bad = uint64(e.Value("enqueued").Value), uint64(e.Value("reserved").Value),
		uint64(e.Value("error").Value)
	return w, nil
}

// messageRecorder completes messages, and gives buffers back: the exchange memory
// has it before the next thing begins, and that a buffer waits before it is told of.
func messageRecorder(b *block.Bench, r *rand.Rand) error {
	const (
		fresh = iota
		waiting
		coming
		found // its message can be taken
		lent
		lost
	)
	const good, failed, abandoned = 0, 1, 2
	words, err := newRecorderWords()
	if err != nil {
		return err
	}
	const buffers = 24
	var state [buffers]int
	var content [buffers]struct{ session, src, seq, tag, bytes uint64 }
	memory := map[uint64]uint64{}
	record := func(n int) uint64 { return 0x400 + uint64(n)*36 }
	given := 0
	var doing struct {
		kind, buffer, result int
		busy, told, removed  bool
	}
	const completing, enqueuing, givingBack = 1, 2, 3
	pick := func(of int) int {
		for _, n := range r.Perm(buffers) {
			if state[n] == of {
				return n
			}
		}
		return -1
	}
	inputs := []string{"discard", "release", "channel_release"}
	offers := map[string]int{} // buffers that are given back, by input
	complete, result, enqueue := -1, 0, false
	kept, everKept := -1, 0 // a buffer that comes back while the removal of a message is waited for
	last := 0
	puts, completions := 0, 0
	read := 0
	for range 12000 {
		if r.IntN(4000) == 0 {
			b.Reset()
			state, given, doing.busy, complete, enqueue, last, kept = [buffers]int{}, 0, false, -1, false, 0, -1
			clear(offers)
		}
		b.Scramble(r, "complete_buffer", "complete_result", "session", "src", "seq", "tag", "bytes", "record", "add_number",
			"lend_number", "discard_buffer", "release_buffer", "channel_release_buffer")
		// What the message table and the buffers say a cycle later.
		b.Set("record", record(read))
		c := content[read]
		for name, v := range map[string]uint64{"session": c.session, "src": c.src, "seq": c.seq, "tag": c.tag,
			"bytes": c.bytes} {
			b.Set(name, v)
		}
		b.Set("add_number", uint64(given))
		b.Put("full", given == buffers)
		// Messages come into buffers that wait, and are lent when found.
		if n := pick(waiting); n >= 0 && r.IntN(3) == 0 {
			state[n] = coming
			content[n].session, content[n].src, content[n].seq, content[n].tag, content[n].bytes = r.Uint64()&0xFFFF,
				r.Uint64()&0xFFFFFFFF, r.Uint64()&0xFFFFFFFF, r.Uint64()&0xFFFFFFFF, r.Uint64()&0xFFFFFFFF
		}
		b.Set("lend", 0)
		if n := pick(found); n >= 0 && r.IntN(6) == 0 {
			state[n] = lent
			b.Set("lend", 1)
			b.Set("lend_number", uint64(n))
		}
		if complete < 0 && r.IntN(8) == 0 {
			if n := pick(coming); n >= 0 && !(doing.busy && doing.buffer == n) {
				complete, result = n, []int{good, good, good, failed, abandoned}[r.IntN(5)]
			}
		}
		b.Put("complete_valid", complete >= 0)
		if complete >= 0 {
			b.Set("complete_buffer", uint64(complete))
			b.Set("complete_result", uint64(result))
		}
		if !enqueue && r.IntN(20) == 0 {
			enqueue = true
		}
		b.Put("enqueue_valid", enqueue)
		for _, name := range inputs {
			if _, there := offers[name]; !there && r.IntN(10) == 0 {
				n := pick(lent)
				for _, other := range offers {
					if other == n {
						n = -1
					}
				}
				if b.Is("lend") && n == int(b.Get("lend_number")) {
					n = -1 // not in the same cycle
				}
				if n < 0 && r.IntN(4) == 0 { // one that was not lent: nothing comes of it
					n = 200 + r.IntN(50)
				}
				if n >= 0 {
					offers[name] = n
				}
			}
			n, there := offers[name]
			b.Put(name+"_valid", there)
			if there {
				b.Set(name+"_buffer", uint64(n))
			}
		}
		b.Scramble(r, "exchange_response")
		b.Set("exchange_response.done", 0)
		b.Set("remove_done", 0)
		b.Settle()
		if b.Is("exchange_request.valid") {
			b.Put("exchange_response.done", r.IntN(3) == 0)
		}
		if b.Is("remove_valid") && r.IntN(3) == 0 {
			b.Set("remove_done", 1)
		}
		b.Step()
		read = min(int(b.Get("number")), buffers-1)
		last++
		if doing.busy && last > 400 {
			return fmt.Errorf("%+v does not end", doing)
		}
		if b.Is("exchange_request.valid") && b.Is("exchange_response.done") {
			if b.Get("exchange_request.operation") != b.Const("engine_pkg::EXCHANGE_WRITE") {
				return errors.New("it does not write")
			}
			to := b.Get("exchange_request.address")
			if doing.kind != completing && to != record(doing.buffer)+words.status {
				return fmt.Errorf("it writes to 0x%X with %+v", to, doing)
			}
			memory[to] = b.Get("exchange_request.wdata")
			last = 0
		}
		if b.Is("exchange_request.valid") && !doing.busy {
			return errors.New("it writes, and nothing is to be done")
		}
		at := record(doing.buffer)
		if b.Is("completed") {
			if !doing.busy || doing.kind != completing || doing.result != good {
				return fmt.Errorf("a message can be found with %+v", doing)
			}
			if int(b.Get("number")) != doing.buffer || doing.told {
				return fmt.Errorf("buffer %d has a message, not %d, or it had one (%t)", b.Get("number"), doing.buffer, doing.told)
			}
			state[doing.buffer] = found
			doing.told = true
			completions++
		}
		if doing.busy && doing.told && b.Is("complete_ready") {
			c := content[doing.buffer]
			for offset, want := range map[uint64]uint64{words.tag: c.tag, words.bytes: c.bytes, words.src: c.src,
				words.seq: c.seq, words.status: words.reserved} {
				if got, there := memory[at+offset]; !there || got != want {
					return fmt.Errorf("word 0x%X of the record of buffer %d is %X, not %X, when another thing can begin", offset,
						doing.buffer, got, want)
				}
			}
			doing.busy = false
		}
		if b.Is("put") {
			back := doing.kind == enqueuing || doing.kind == givingBack || doing.kind == completing &&
				doing.result == abandoned && doing.removed
			if !doing.busy || !back {
				return fmt.Errorf("a buffer waits again with %+v", doing)
			}
			if int(b.Get("number")) != doing.buffer {
				return fmt.Errorf("buffer %d waits again, not %d", b.Get("number"), doing.buffer)
			}
			if got := memory[at+words.status]; got != words.enqueued {
				return fmt.Errorf("buffer %d waits again with status %d", doing.buffer, got)
			}
			state[doing.buffer] = waiting
			doing.busy = false
			puts++
		}
		if b.Is("remove_valid") {
			if !doing.busy || doing.kind != completing || doing.result == good {
				return fmt.Errorf("a message is removed with %+v", doing)
			}
			c := content[doing.buffer]
			if b.Get("remove_session") != c.session || b.Get("remove_src") != c.src || b.Get("remove_seq") != c.seq ||
				int(b.Get("number")) != doing.buffer {
				return fmt.Errorf("message %d of %d is removed, not %+v", b.Get("remove_seq"), b.Get("remove_src"), c)
			}
			if doing.result == failed && memory[at+words.status] != words.bad {
				return fmt.Errorf("buffer %d is lost with status %d", doing.buffer, memory[at+words.status])
			}
			if b.Is("remove_done") {
				last = 0
				doing.removed = true
				if doing.result == failed {
					state[doing.buffer], doing.busy = lost, false
				}
			}
		}
		// What begins.
		begin := func(kind, buffer, result int) error {
			if doing.busy {
				return fmt.Errorf("%d begins while %+v is done", kind, doing)
			}
			doing.kind, doing.buffer, doing.result, doing.busy, doing.told, doing.removed = kind, buffer,
				result, true, false, false
			if buffer < buffers {
				for _, offset := range []uint64{words.tag, words.bytes, words.src, words.seq, words.status} {
					delete(memory, record(buffer)+offset)
				}
			}
			last = 0
			return nil
		}
		begun := 0
		if kept >= 0 && !doing.busy {
			if err := begin(givingBack, kept, 0); err != nil {
				return err
			}
			kept = -1
		}
		if complete >= 0 && b.Is("complete_ready") {
			if err := begin(completing, complete, result); err != nil {
				return err
			}
			complete = -1
			begun++
		}
		if enqueue && b.Is("enqueue_ready") {
			enqueue = false
			if b.Is("add") != (given < buffers) {
				return fmt.Errorf("a buffer is added: %t, with %d", b.Is("add"), given)
			}
			if given < buffers {
				if err := begin(enqueuing, given, 0); err != nil {
					return err
				}
				given++
			}
			begun++
		} else if b.Is("add") {
			return errors.New("a buffer is added that nobody gives")
		}
		for _, name := range inputs {
			n, there := offers[name]
			if !there || !b.Is(name+"_ready") {
				continue
			}
			delete(offers, name)
			if b.Is("remove_valid") {
				if name != "discard" || kept >= 0 {
					return fmt.Errorf("%s is taken while buffer %d is removed, with %d besides", name, doing.buffer, kept)
				}
				if everKept++; n < buffers {
					kept, state[n] = n, fresh
				}
				continue
			}
			if n < buffers {
				if err := begin(givingBack, n, 0); err != nil {
					return err
				}
				state[n] = fresh
			}
			begun++
		}
		if begun > 1 {
			return errors.New("two things begin at a time")
		}
		if doing.busy && b.Is("idle") && begun == 0 {
			return errors.New("it is idle with something to do")
		}
	}
	if puts < 60 || completions < 30 || everKept < 10 {
		return fmt.Errorf("only %d buffers, %d messages, %d that came back meanwhile", puts, completions, everKept)
	}
	return nil
}
