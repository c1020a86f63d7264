package compare

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/firmware"
	"github.com/cclforge/cclforge/gen/design"
	"github.com/cclforge/cclforge/verify/emu"
	"github.com/cclforge/cclforge/verify/fabric"
	"github.com/cclforge/cclforge/verify/internal/ranktest"
	"github.com/cclforge/cclforge/verify/rtlsim"
	"github.com/cclforge/cclforge/verify/rtlsim/simtest"
	"github.com/cclforge/cclforge/verify/rtlsim/verilate"
	"github.com/cclforge/cclforge/verify/world"
	"github.com/cclforge/cclforge/verify/world/engine"
)

// stack is a rank's port on TCP. It follows the requests to send in the stream of each
// session.
type stack struct {
	fabric.Port
	t        *testing.T
	payload  func(*[64]byte) int
	fillerAt int
	large    int  // bytes of payload
	foreign  bool // its engine looks like one of another project

	mu      sync.Mutex
	streams map[uint32]*sending // by session, which is a rank
}

// sending is what was sent on a session.
type sending struct {
	at, left     int // bytes; those of the last message that will follow
	large        bool
	fillers, odd int // odd: large messages that do not begin at a multiple of 64
}

// foreignHeader is how much of a header others know.
const foreignHeader = 32

func (s *stack) TakeSegments() { s.Port.(fabric.Segmented).TakeSegments() }

func (s *stack) Segments(session uint32) bool { return s.Port.(fabric.Segmented).Segments(session) }

func (s *stack) Receive() *fabric.Packet {
	p := s.Port.Receive()
	if p != nil && s.foreign {
		clear(p.Header[foreignHeader:])
	}
	return p
}

func (s *stack) Send(session uint32, p *fabric.Packet) error {
	header, bytes := p.Header, len(p.Payload)
	if p.Segment {
		copy(header[:], p.Payload)
	} else {
		bytes += len(header)
	}
	if s.foreign {
		clear(p.Header[foreignHeader:])
	}
	err := s.Port.Send(session, p)
	if err == nil {
		s.sent(session, &header, bytes)
	}
	return err
}

// sent follows a request, which begins with a header unless a message goes on.
func (s *stack) sent(session uint32, header *[64]byte, bytes int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	to := s.streams[session]
	if to == nil {
		to = &sending{}
		s.streams[session] = to
	}
	aligned := to.at%64 == 0
	if to.left == 0 {
		n := s.payload(header)
		to.left, to.large = len(header)+n, n >= s.large
		if header[s.fillerAt] != 0 {
			to.fillers++
		}
		if to.large && !aligned {
			to.odd++
		}
	}
	if to.large && !aligned && to.fillers > 0 {
		s.t.Errorf("behind a filler, %d bytes of a large message begin at byte %d of the stream", bytes, to.at)
	}
	to.at += bytes
	to.left -= bytes
	assert.Check(s.t, to.left >= 0, "%d bytes behind the end of a message", -to.left)
}

// TestFillers has two engines of this project and one that seems to be of another, which
// exchange messages of odd lengths before large ones. Once the engines know each other,
// all requests of large messages begin at a multiple of 64 in the stream of their session,
// and the other one never gets a filler.
func TestFillers(t *testing.T) {
	t.Run("emulated", func(t *testing.T) { fillers(t, false) })
	t.Run("simulated", func(t *testing.T) { fillers(t, true) })
}

func fillers(t *testing.T, simulated bool) {
	if simulated && testing.Short() {
		t.Skip("short")
	}
	if err := verilate.Available(t.Context()); simulated && err != nil {
		t.Skip(err)
	}
	const ranks, foreign = 3, 2
	w := load(t, "u55c_tcp")
	w.p.RxBuffers = accl.RxBuffers{Count: 16, Bytes: 4096}
	image, err := firmware.Prebuilt(w.design.ABI().Name)
	assert.NilError(t, err)
	n, err := newNames(w.design.ABI())
	assert.NilError(t, err)
	payload, err := emu.Framing(w.design)
	assert.NilError(t, err)
	o := rtlsim.Options{Library: *libraryFlag, Build: build, Seed: *seedFlag, Clock: rtlsim.NewClock()}
	if simulated && o.Library == "" {
		o.Library, err = rtlsim.Library(t.Context(), w.design, o.Build)
		assert.NilError(t, err)
	}
	cards := simtest.Record(t)
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()

	stacks := make([]*stack, ranks)
	made, err := world.New(ctx, w.design, ranks, world.Options{
		Net: fabric.Options{MaxPayload: int(w.design.ABI().Constant("max_packet_bytes").Value) - 64},
		Maker: func(rank int) world.Maker {
			return func(ctx context.Context, d *design.Design, port fabric.Port) (engine.Engine, error) {
				stacks[rank] = &stack{Port: port, t: t, payload: payload, fillerAt: n.fillerAt,
					large:   int(d.ABI().Constant("large_message_bytes").Value),
					foreign: rank == foreign, streams: map[uint32]*sending{}}
				if !simulated || rank == foreign {
					return emu.New(ctx, d, stacks[rank], emu.Options{Image: image.Code})
				}
				o := o
				o.Record = cards.Card(fmt.Sprint("rank", rank))
				return o.Make(ctx, d, stacks[rank])
			}
		},
	})
	assert.NilError(t, err)
	defer func() { assert.Check(t, made.Close()) }()
	engines, err := accl.OpenAll(ctx, made.Devices(), &w.p, made.Ranks(), accl.OwnPeers(false))
	assert.NilError(t, err)

	ranktest.All(t, ranks, func(rank int) error {
		for _, elements := range []int{5, 25, 750, 1, 1500, 33, 1024, 2047, 2048, 17, 300} {
			for _, distance := range []int{1, 2} {
				if err := shift(ctx, engines[rank], elements, distance); err != nil {
					return fmt.Errorf("%d elements: %w", elements, err)
				}
			}
		}
		return nil
	})
	for rank, s := range stacks {
		for to, stream := range s.streams {
			if own := rank != foreign && to != foreign; (stream.fillers > 0) != own || !own && stream.odd == 0 {
				t.Errorf("rank %d sends %d fillers to %d; %d large messages do not begin at a multiple of 64", rank,
					stream.fillers, to, stream.odd)
			}
		}
		assert.Check(t, len(s.streams) == ranks-1)
	}
}

// shift sends to the rank so far above, and receives from the one so far below.
func shift(ctx context.Context, e *accl.Engine, elements, distance int) error {
	src, err := accl.Alloc[int32](ctx, e, elements)
	if err != nil {
		return err
	}
	dst, err := accl.Alloc[int32](ctx, e, elements)
	if err != nil {
		return err
	}
	to, from := (e.Rank()+distance)%e.Size(), (e.Rank()+e.Size()-distance)%e.Size()
	want := make([]int32, elements)
	for i := range want {
		src.Host()[i], want[i] = int32(i*17+e.Rank()), int32(i*17+from)
	}
	received, err := e.Recv(ctx, dst, elements, accl.Peer(from), accl.Async())
	if err != nil {
		return err
	}
	if _, err := e.Send(ctx, src, elements, accl.Peer(to)); err != nil {
		return fmt.Errorf("send: %w", err)
	}
	if err := received.Wait(ctx); err != nil {
		return fmt.Errorf("receive: %w", err)
	}
	if !slices.Equal(dst.Host(), want) {
		return fmt.Errorf("rank %d received other data than %d sent", e.Rank(), from)
	}
	return nil
}
