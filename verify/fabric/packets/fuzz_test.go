package packets

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"slices"
	"strconv"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/driver/sim"
	"github.com/cclforge/cclforge/gen/designtest"
	"github.com/cclforge/cclforge/gen/driverview"
	"github.com/cclforge/cclforge/verify/emu"
	"github.com/cclforge/cclforge/verify/world"
)

const fuzzedMessage = 5000 // MaxMessage

// target is a live engine as rank 0 of 2, and a port beside it whose packets the
// test receives itself. Nobody serves rank 1: the test is its publisher.
type target struct {
	engine      *accl.Engine
	world       *world.World
	live, plain *Port
}

func newTarget(t testing.TB) *target {
	t.Helper()
	d := designtest.Load(t, "u55c_tcp", nil)
	framing, err := emu.Framing(d)
	assert.NilError(t, err)
	port := func() *Port {
		for base := 12000; base < 20000; base += 10 {
			p, err := New(t.Context(), Options{Endpoints: sim.Endpoints{Port: base, Ranks: 2}, Framing: framing,
				MaxMessage: fuzzedMessage, WindowBytes: 8 << 20})
			if err == nil {
				t.Cleanup(func() { p.Close() })
				return p
			}
		}
		t.Fatal("there are no free ports")
		return nil
	}
	f := &target{live: port(), plain: port()}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	f.world, err = world.Start(ctx, d, []world.Member{{Rank: 0, Port: f.live}}, emu.Options{})
	assert.NilError(t, err)
	t.Cleanup(func() { f.world.Close() })
	view := driverview.Of(d)
	f.engine, err = accl.Open(ctx, f.world.Device(0), &view, accl.LocalRanks(2), 0, accl.GivenSessions())
	assert.NilError(t, err)
	return f
}

// contract is what becomes of packets on TCP, by the contract.
type contract struct {
	message   []byte // that is not complete
	left      int
	pass      bool // it is too large
	whole     [][]byte
	malformed uint64
	tooLarge  uint64
	received  uint64
}

func (c *contract) bad() {
	c.malformed++
	c.message, c.left, c.pass = nil, 0, false
}

func (c *contract) packet(b []byte) {
	switch {
	case len(b) > 4096, c.left > 0 && (len(b) == 0 || len(b) > c.left), c.left == 0 && len(b) < 64:
		c.bad()
		return
	case c.left == 0:
		payload := 0
		if kind := b[22]; kind == 0 || kind == 1 { // eager, or rendezvous data
			payload = int(binary.LittleEndian.Uint32(b))
		}
		if len(b)-64 > payload {
			c.bad()
			return
		}
		c.message, c.left, c.pass = nil, 64+payload, false
		if payload > fuzzedMessage && len(b)-64 < payload {
			c.pass = true
			c.tooLarge++
		}
	}
	c.left -= len(b)
	if c.pass {
		return
	}
	c.received++
	c.message = append(c.message, b...)
	if c.left == 0 {
		c.whole = append(c.whole, c.message)
	}
}

// FuzzPacket publishes messages of any frames to a live engine: a byte that says
// what is wrong with one, the length of its data, and the data.
func FuzzPacket(f *testing.F) {
	head := func(count, seq uint32, kind byte, rest ...byte) []byte {
		h := make([]byte, 64)
		binary.LittleEndian.PutUint32(h, count)
		binary.LittleEndian.PutUint32(h[4:], 0xFFFFFFFF)
		binary.LittleEndian.PutUint32(h[8:], 1)
		binary.LittleEndian.PutUint32(h[12:], seq)
		h[22] = kind
		return append(h, rest...)
	}
	piece := func(kind byte, b []byte) []byte {
		return append([]byte{kind, byte(len(b)), byte(len(b) >> 8)}, b...)
	}
	many := func(n int, b []byte) (all []byte) {
		for range n {
			all = append(all, b...)
		}
		return all
	}
	f.Add(piece(0, head(4, 0, 0, 1, 2, 3, 4)))
	f.Add(slices.Concat(piece(0, head(100, 0, 0)), piece(0, make([]byte, 60)), piece(0, make([]byte, 40))))
	f.Add(slices.Concat(piece(0, head(4200, 0, 0, make([]byte, 4032)...)), piece(0, make([]byte, 168)),
		piece(0, head(0, 1, 0))))
	f.Add(slices.Concat(piece(0, head(5001, 0, 0)), piece(0, make([]byte, 4096)), piece(0, make([]byte, 905)),
		piece(0, head(0, 0, 0))))
	f.Add(slices.Concat(piece(0, head(0xFFFFFFFF, 0, 0)), piece(0, head(1, 1, 1, 9))))
	f.Add(slices.Concat(piece(0, head(9, 0, 2)), piece(0, head(9, 0, 3)), piece(0, head(9, 0, 9)),
		piece(0, head(8, 0, 1))))
	f.Add(slices.Concat(piece(0, head(2, 0, 0)), piece(1, []byte(`{"data":[1,2`))))
	f.Add(slices.Concat(piece(2, head(0, 0, 0)), piece(3, head(0, 0, 0)), piece(4, head(0, 0, 0)),
		piece(5, []byte("0000"))))
	f.Add(many(40, piece(0, head(64, 7, 0, make([]byte, 64)...))))
	f.Add(piece(1, many(500, []byte("["))))

	target := newTarget(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		var want contract
		before := target.plain.Stats()
		for len(data) >= 3 {
			kind, n := data[0], int(binary.LittleEndian.Uint16(data[1:]))
			data = data[3:]
			b := data[:min(n, len(data))]
			data = data[len(b):]
			frames, valid := spoil(kind, b)
			if valid {
				want.packet(b)
			} else if string(frames[0]) == "0000" {
				want.bad()
			}
			for _, p := range []*Port{target.live, target.plain} {
				p.hear(&p.in.sources[1], frames)
			}
		}
		got := target.plain.Stats()
		if got.Malformed-before.Malformed != want.malformed || got.TooLarge-before.TooLarge != want.tooLarge ||
			got.Received-before.Received != want.received {
			t.Errorf("%s\nbefore: %s\nwant %d received, %d malformed, %d too large", got, before, want.received, want.malformed,
				want.tooLarge)
		}
		for i, message := range want.whole {
			p := target.plain.Receive()
			assert.Assert(t, p != nil && p.Session == 1 && bytes.Equal(slices.Concat(p.Header[:], p.Payload), message),
				"message %d of %d bytes: received %+v", i, len(message), p)
		}
		if p := target.plain.Receive(); p != nil {
			t.Fatalf("received %d bytes more", len(p.Payload))
		}
		target.check(t)
	})
}

// spoil makes a message of data, and tells whether it is a good one.
func spoil(kind byte, b []byte) (frames [][]byte, valid bool) {
	words := make([]int, len(b))
	for i, v := range b {
		words[i] = int(v)
	}
	text, _ := json.Marshal(map[string][]int{"data": words})
	switch me, from := []byte("0000"), []byte("1"); kind % 6 {
	case 1: // no JSON, or an array of one number out of range
		return [][]byte{me, from, append([]byte(`{"data":[256`), b...)}, false
	case 2:
		return [][]byte{me, []byte(strconv.Itoa(2 + len(b))), text}, false
	case 3:
		return [][]byte{me, text}, false
	case 4:
		return [][]byte{me, from, text, text}, false
	case 5:
		return [][]byte{b}, false
	default:
		return [][]byte{me, from, text}, true
	}
}

// check looks whether the engine still works, and makes room.
func (f *target) check(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	_, err := f.engine.Nop(ctx)
	assert.NilError(t, err)
	for _, p := range []*Port{f.live, f.plain} {
		p.in.sources[1].assembler.abandon() // each input begins anew
	}
	f.live.in.mu.Lock()
	full := f.live.in.sources[1].bytes > 4<<20
	f.live.in.mu.Unlock()
	if full {
		assert.NilError(t, f.engine.Reset(ctx))
	}
}
