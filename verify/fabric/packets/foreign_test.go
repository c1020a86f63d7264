package packets_test

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/go-zeromq/zmq4"
	"gotest.tools/v3/assert"

	"github.com/cclforge/cclforge/driver/sim"
)

// anyTag matches every tag.
const anyTag = 0xFFFFFFFF

// foreign is a rank that somebody else's emulator serves, as the contract
// describes it and nothing else: its sockets, JSON and headers are not ours.
type foreign struct {
	t     testing.TB
	rank  int
	topic func(rank int) string
	limit int  // bytes of a packet
	whole bool // packets are whole beats

	rxBytes, maxSegment int

	pub, sub zmq4.Socket
	sent     map[int]uint32 // sequence numbers, of the one communicator
	received map[int]uint32

	mu   sync.Mutex
	came map[int][][]byte // packets by sender
}

// kind is what distinguishes the emulators of the world.
type kind struct {
	old bool // 2022: numbers are not padded, packets have 1536 bytes
	udp bool // the last beat of a packet is padded
}

// newForeign serves a rank. The others' sockets are bound already.
func newForeign(t testing.TB, e sim.Endpoints, rank int, k kind) *foreign {
	t.Helper()
	f := &foreign{
		t: t, rank: rank, limit: 4096, whole: k.udp, rxBytes: 4096, maxSegment: 4096,
		topic: func(rank int) string { return fmt.Sprintf("%04d", rank) },
		sent:  map[int]uint32{}, received: map[int]uint32{}, came: map[int][][]byte{},
	}
	if k.old {
		f.limit, f.topic = 1536, strconv.Itoa
	}
	quiet := []zmq4.Option{zmq4.WithLogger(log.New(io.Discard, "", 0)), zmq4.WithDialerRetry(20 * time.Millisecond),
		zmq4.WithDialerMaxRetries(200)}
	f.pub, f.sub = zmq4.NewPub(t.Context(), quiet...), zmq4.NewSub(t.Context(), quiet...)
	t.Cleanup(func() { f.close() })
	assert.NilError(t, f.pub.Listen("tcp://"+e.EthernetOut(rank)))
	assert.NilError(t, f.sub.SetOption(zmq4.OptionSubscribe, f.topic(rank)))
	return f
}

func (f *foreign) close() {
	f.pub.Close()
	f.sub.Close()
}

// join subscribes to other ranks, and waits until they have subscribed.
func (f *foreign) join(e sim.Endpoints, ranks ...int) {
	f.t.Helper()
	for _, rank := range ranks {
		if err := f.sub.Dial("tcp://" + e.EthernetOut(rank)); err != nil {
			f.t.Fatal(err)
		}
	}
	go f.listen()
	for _, rank := range ranks {
		until(f.t, "a subscription of rank "+strconv.Itoa(rank), func() bool {
			return slices.Contains(f.pub.(zmq4.Topics).Topics(), f.topic(rank))
		})
	}
}

// listen keeps what the others publish for this rank.
func (f *foreign) listen() {
	for {
		m, err := f.sub.Recv()
		if err != nil {
			return
		}
		if len(m.Frames) != 3 || string(m.Frames[0]) != f.topic(f.rank) {
			f.t.Errorf("rank %d got a message of %d frames for %q", f.rank, len(m.Frames), m.Frames[0])
			return
		}
		from, err := strconv.Atoi(string(m.Frames[1]))
		var body struct{ Data []int }
		if err := json.Unmarshal(m.Frames[2], &body); err != nil {
			f.t.Errorf("rank %d got %q: %v", f.rank, m.Frames[2], err)
			return
		}
		b := make([]byte, len(body.Data))
		for i, v := range body.Data {
			if v < 0 || v > 255 {
				f.t.Errorf("rank %d got the byte %d", f.rank, v)
				return
			}
			b[i] = byte(v)
		}
		if err != nil || len(b) > f.limit || f.whole && len(b)%64 != 0 {
			f.t.Errorf("rank %d got a packet of %d bytes from %q", f.rank, len(b), m.Frames[1])
			return
		}
		f.mu.Lock()
		f.came[from] = append(f.came[from], b)
		f.mu.Unlock()
	}
}

// packet is the next packet of a rank.
func (f *foreign) packet(from int) (b []byte) {
	f.t.Helper()
	until(f.t, fmt.Sprintf("a packet from rank %d to %d", from, f.rank), func() bool {
		f.mu.Lock()
		defer f.mu.Unlock()
		if len(f.came[from]) == 0 {
			return false
		}
		b, f.came[from] = f.came[from][0], f.came[from][1:]
		return true
	})
	return b
}

// publish puts a packet on the wire.
func (f *foreign) publish(to int, packet []byte) {
	f.t.Helper()
	data := make([]int, len(packet))
	for i, v := range packet {
		data[i] = int(v)
	}
	text, err := json.Marshal(map[string]any{"data": data})
	assert.NilError(f.t, err)
	f.frames(f.topic(to), strconv.Itoa(f.rank), string(text))
}

// frames publishes any message.
func (f *foreign) frames(frames ...string) {
	f.t.Helper()
	var b [][]byte
	for _, frame := range frames {
		b = append(b, []byte(frame))
	}
	assert.NilError(f.t, f.pub.SendMulti(zmq4.NewMsgFrom(b...)))
}

// header is the first beat of an eager message: count, tag, source, sequence
// number, stream and destination; the rest is zero.
func header(count int, tag uint32, src int, seq, strm uint32, dst int) []byte {
	h := make([]byte, 64)
	for i, v := range []uint32{uint32(count), tag, uint32(src), seq, strm, uint32(dst)} {
		binary.LittleEndian.PutUint32(h[4*i:], v)
	}
	return h
}

// wire publishes a header and its payload in packets, of which only the first has
// the header.
func (f *foreign) wire(to int, bytes []byte) {
	f.t.Helper()
	for len(bytes) > 0 {
		n := min(len(bytes), f.limit)
		packet := slices.Clone(bytes[:n])
		for f.whole && len(packet)%64 != 0 {
			packet = append(packet, 0xEE)
		}
		f.publish(to, packet)
		bytes = bytes[n:]
	}
}

// send is the operation: messages of as many whole elements as an rx buffer holds,
// each cut again at the largest segment.
func (f *foreign) send(to int, data []byte, element int, tag uint32) {
	f.t.Helper()
	for len(data) > 0 {
		buffer := data[:min(len(data), f.rxBytes/element*element)]
		data = data[len(buffer):]
		for len(buffer) > 0 {
			segment := buffer[:min(len(buffer), f.maxSegment)]
			buffer = buffer[len(segment):]
			f.wire(to, append(header(len(segment), tag, f.rank, f.sent[to], 0, to), segment...))
			f.sent[to]++
		}
	}
}

// put sends to the remote kernel stream; such messages have no sequence numbers.
func (f *foreign) put(to int, data []byte, tag uint32) {
	f.t.Helper()
	f.wire(to, append(header(len(data), tag, f.rank, 0, tag+9, to), data...))
}

func (f *foreign) recv(from, n int, tag uint32) []byte {
	f.t.Helper()
	var data []byte
	for len(data) < n {
		b := f.packet(from)
		assert.Assert(f.t, len(b) >= 64, "rank %d got %d bytes from %d, less than a header", f.rank, len(b), from)
		h := b[:64]
		count := int(binary.LittleEndian.Uint32(h))
		want := header(count, tag, from, f.received[from], 0, f.rank)
		assert.Assert(f.t, bytes.Equal(h[:32], want[:32]),
			"rank %d got the header % x from %d, want % x", f.rank, h, from, want)
		payload := b[64:]
		for len(payload) < count {
			payload = append(payload, f.packet(from)...)
		}
		if len(payload)-count >= 64 || len(payload) != count && !f.whole {
			f.t.Fatalf("rank %d got %d bytes of payload from %d, and the header says %d", f.rank, len(payload), from, count)
		}
		data = append(data, payload[:count]...)
		f.received[from]++
	}
	assert.Assert(f.t, len(data) == n, "rank %d got %d bytes from %d, want %d", f.rank, len(data), from, n)
	return data
}
