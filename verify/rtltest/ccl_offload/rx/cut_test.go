package rx

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/cclforge/cclforge/verify/rtltest/block"
)

func TestHeaderParts(t *testing.T) { packetSet.Check(t, "header_parts", headerParts) }
func TestRxShift(t *testing.T)     { packetSet.Check(t, "rx_shift", rxShift) }
func TestPutJoiner(t *testing.T)   { packetSet.Check(t, "put_joiner", putJoiner) }

// headerParts keeps the first bytes of headers, by session.
func headerParts(b *block.Bench, r *rand.Rand) error {
	known := map[uint64][]byte{}
	sessions := int(b.Const("engine_pkg::SESSIONS"))
	for range 4000 {
		session := uint64(r.IntN([]int{4, sessions}[r.IntN(2)]))
		b.Set("session", session|r.Uint64()<<10&0xFC00)
		b.Scramble(r, "beat", "known")
		b.Set("write", 0)
		b.Step()
		b.Scramble(r, "beat")
		b.Set("known", uint64(len(known[session])))
		b.Settle()
		want := make([]byte, beat)
		copy(want[copy(want, known[session]):], b.Bytes("beat"))
		if got := b.Bytes("joined"); !bytes.Equal(got, want) {
			return fmt.Errorf("%d bytes of session %d make %X, not %X", len(known[session]), session, got, want)
		}
		if n := len(known[session]); r.IntN(2) == 0 && n < beat-1 {
			b.Set("write", 1)
			b.Step()
			known[session] = want[:n+1+r.IntN(beat-1-n)]
		} else if r.IntN(2) == 0 {
			delete(known, session)
		}
	}
	return nil
}

// paces has both sides wait now and then, but in every other thousand cycles.
func paces(r *rand.Rand, cycle int) (gives, takes bool) {
	gives, takes = r.IntN(4) > 0, r.IntN(4) > 0
	return gives || cycle/1000%2 == 0, takes || cycle/1000%2 == 0
}

// rxShift gets streams that begin at any byte of their first beat.
func rxShift(b *block.Bench, r *rand.Rand) error {
	type stream struct {
		data  []byte
		shift int
	}
	in := block.NewInput(b, "in_valid", "in_ready")
	out := block.NewOutput(b, "out_valid", "out_ready", "out_data", "out_keep", "out_last")
	var now *stream
	var want []byte // that is to come, of all streams
	var ends []int  // of these, where they end
	at, seen, direct := 0, 0, 0
	for cycle := 0; seen < 400; cycle++ {
		if cycle > 60000 {
			return fmt.Errorf("only %d streams came", seen)
		}
		gives, takes := paces(r, cycle)
		if !in.Offered() {
			b.Scramble(r, "in_data", "in_keep", "in_last", "in_shift")
			if now == nil && gives {
				now, at = &stream{random(r, length(r, 700)), r.IntN(beat) * r.IntN(2)}, 0
				want = append(want, now.data...)
				ends = append(ends, len(want))
			}
			if now != nil && gives {
				lies := append(random(r, now.shift), now.data...)
				n := min(beat, len(lies)-at)
				x := random(r, beat)
				copy(x, lies[at:at+n])
				b.SetBytes("in_data", x)
				b.Set("in_keep", ^uint64(0)>>(beat-n))
				b.Put("in_last", at+n == len(lies))
				b.Set("in_shift", uint64(now.shift))
				in.Offer()
			}
		}
		b.Put("out_ready", takes)
		b.Settle()
		if in.Offered() && now.shift == 0 {
			if direct++; !b.Is("out_valid") || b.Is("in_ready") != takes {
				return errors.New("what begins with a beat is held up")
			}
		}
		b.Step()
		if in.Taken() {
			if at += beat; at >= len(now.data)+now.shift {
				now = nil
			}
		}
		ok, err := out.Taken()
		if err != nil {
			return err
		}
		if !ok {
			continue
		}
		if len(ends) == 0 {
			return errors.New("a beat comes of nothing")
		}
		n := min(beat, ends[0])
		if got := b.Bytes("out_data"); !bytes.Equal(got[:n], want[:n]) || b.Get("out_keep") != ^uint64(0)>>(beat-n) ||
			b.Is("out_last") != (n == ends[0]) {
			return fmt.Errorf("%X keep %X last %t, not %X of %d", got, b.Get("out_keep"), b.Is("out_last"), want[:n], ends[0])
		}
		want = want[n:]
		for i := range ends {
			ends[i] -= n
		}
		if ends[0] == 0 {
			ends, seen = ends[1:], seen+1
		}
	}
	if direct < 200 {
		return fmt.Errorf("only %d beats go through as they come", direct)
	}
	return nil
}

// putJoiner gets puts in packets, and gives whole beats.
func putJoiner(b *block.Bench, r *rand.Rand) error {
	type packet struct {
		data  []byte
		level int
		ends  bool
	}
	in := block.NewInput(b, "in_valid", "in_ready")
	out := block.NewOutput(b, "out_valid", "out_ready", "out_data", "out_keep", "out_last")
	var now *packet
	var want []byte         // of the put that goes on, or of those before it
	var ends []int          // of puts
	lasts := map[int]bool{} // where packets end with a beat
	level, at, gone, seen, direct := 0, 0, 0, 0, 0
	for cycle := 0; seen < 200; cycle++ {
		if cycle > 80000 {
			return fmt.Errorf("only %d puts came", seen)
		}
		gives, takes := paces(r, cycle)
		if !in.Offered() {
			b.Scramble(r, "in_data", "in_keep", "in_last", "in_level", "in_ends")
			if now == nil && gives {
				now, at = &packet{random(r, length(r, 500)), level, r.IntN(4) == 0}, 0
				if level == 0 && r.IntN(2) == 0 {
					now.data = random(r, beat*(1+r.IntN(4)))
				}
				if want = append(want, now.data...); now.ends {
					ends = append(ends, gone+len(want))
				}
				if level = (level + len(now.data)) % beat; level == 0 || now.ends {
					lasts[gone+len(want)] = true
				}
				if now.ends {
					level = 0
				}
			}
			if now != nil && gives {
				n := min(beat, len(now.data)-at)
				x := random(r, beat)
				copy(x, now.data[at:at+n])
				b.SetBytes("in_data", x)
				b.Set("in_keep", ^uint64(0)>>(beat-n))
				b.Put("in_last", at+n == len(now.data))
				b.Set("in_level", uint64(now.level))
				b.Put("in_ends", now.ends)
				in.Offer()
			}
		}
		b.Put("out_ready", takes)
		b.Settle()
		if in.Offered() && now.level == 0 && (now.ends || len(now.data)%beat == 0) {
			if direct++; !b.Is("out_valid") || b.Is("in_ready") != takes {
				return errors.New("a packet of whole beats is held up")
			}
		}
		b.Step()
		if in.Taken() {
			if at += beat; at >= len(now.data) {
				now = nil
			}
		}
		ok, err := out.Taken()
		if err != nil {
			return err
		}
		if !ok {
			continue
		}
		n := min(beat, len(want))
		if len(ends) > 0 {
			n = min(n, ends[0]-gone)
		}
		if n == 0 || n < beat && (len(ends) == 0 || gone+n != ends[0]) {
			return errors.New("a beat comes that is not whole")
		}
		full := make([]byte, beat)
		copy(full, want[:n])
		if got := b.Bytes("out_data"); !bytes.Equal(got, full) || b.Get("out_keep") != ^uint64(0)>>(beat-n) ||
			b.Is("out_last") != lasts[gone+n] {
			return fmt.Errorf("%X keep %X last %t, not %X", got, b.Get("out_keep"), b.Is("out_last"), full[:n])
		}
		want, gone = want[n:], gone+n
		if len(ends) > 0 && ends[0] == gone {
			ends, seen = ends[1:], seen+1
		}
	}
	if direct < 100 {
		return fmt.Errorf("only %d beats go through as they come", direct)
	}
	return nil
}
