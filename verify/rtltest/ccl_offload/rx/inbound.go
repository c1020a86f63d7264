// Package rx checks the receive side of the engine, module by module and as a whole, each against
// a model of its own: what takes packets from the network, and what keeps messages and finds them.
package rx

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"sync"
	"unsafe"

	"github.com/cclforge/cclforge/verify/rtlsim/verilate"
	"github.com/cclforge/cclforge/verify/rtltest/block"
)

//go:embed shell/inbound.cpp
var shell []byte

//go:embed shell/receive_side.sv
var top []byte

const (
	channels      = 4
	ranks         = 64
	exchangeWords = 4096
	memoryBytes   = 1 << 22
	beat          = 64
	putBeats      = 128
	maxPacket     = 4096
	msessions     = 1024 // that have numbers
)

// Face is what the surroundings of the receive side are told, and what they
// have seen. What is valid stays so until it was answered.
type Face struct { // as in the shell
	Cycle                                        uint64
	Retries, MessagesChanged, WindowsChanged     uint32
	Wakes                                        [3]uint32 // network, message, rendezvous
	NetworkEnable, MessagesIdle, NetworkIdle     uint32
	Busy                                         uint32
	ResetMessages, ResetNetwork, Stall, Latency  uint32
	OfferValid, OfferSession, OfferLoop          uint32
	OfferBytes, Verdict, Take, Before, Rest      uint32
	ClosedValid, ClosedSession                   uint32
	RegValid, RegPage, RegWrite, RegAddress      uint32
	RegWdata, RegRdata, RegError                 uint32
	Comm, Source, Destination, Context, Tag      uint32
	Collective                                   [3]uint32 // shape, count, number
	MatchValid, MatchRecord, MatchSession        [channels]uint32
	MatchRank, MatchContext, MatchTag            [channels]uint32
	MatchCollective                              [channels][3]uint32
	MatchFound, MatchMismatch                    [channels]uint32
	MatchBytes, MatchStored                      [channels]uint32
	MatchBuffer                                  [channels]uint32
	MatchAddress                                 [channels]uint64
	MatchWaits, MatchGiven                       [channels]uint32
	PostOffered, PostHost, PostBytes             [channels]uint32
	PostCancels                                  [channels]uint32
	Posted, Landed, LandedBytes, LandedCode      [channels]uint32
	PostAddress                                  [channels]uint64
	ReleaseValid, ReleaseBuffer                  uint32
	ChannelReleaseValid, ChannelReleaseBuffer    uint32
	QueryValid, QueryWindow, QueryOK, QueryBytes [channels]uint32
	QueryMore, QueryHost                         [channels]uint32
	QueryAddress                                 [channels]uint64
	NumberValid, NumberSession, NumberHost       uint32
	NumberValue                                  uint32
	NumberAddress                                uint64
	PutDrain, PutCount                           uint32
	PutKeep                                      [256]uint64
	PutTDEST, PutLast                            [256]uint32
	PutData                                      [256][beat]byte
	Fault                                        uint32
	Owns                                         [msessions]uint32
	PeerOK, PeerComm, PeerRank                   [ranks]uint32
	PeerRecord, PeerSession                      [ranks]uint32
	Exchange                                     [exchangeWords]uint32
	OfferData                                    [maxPacket]byte
	Device, Host                                 [memoryBytes]byte
}

// ErrCycles says that something was not answered in time.
var ErrCycles = errors.New("nothing happened for too many cycles")

type library struct {
	create func(seed uint64) uintptr
	face   func(uintptr) unsafe.Pointer
	step   func(h uintptr, cycles uint64)
	free   func(uintptr)
}

var (
	lock   sync.Mutex
	loaded = map[string]*library{}
)

func load(ctx context.Context, platform string) (*library, error) {
	lock.Lock()
	defer lock.Unlock()
	if l := loaded[platform]; l != nil {
		return l, nil
	}
	paths, err := sources(ctx, platform)
	if err != nil {
		return nil, err
	}
	l, err := build(ctx, paths)
	if err == nil {
		loaded[platform] = l
	}
	return l, err
}

// sources are those of the receive side of a platform.
func sources(ctx context.Context, platform string) ([]string, error) {
	if err := verilate.Available(ctx); err != nil {
		return nil, err
	}
	all, err := verilate.Sources(ctx, platform, "ccl_offload")
	if err != nil {
		return nil, err
	}
	own, err := verilate.Place(map[string][]byte{"receive_side.sv": top})
	if err != nil {
		return nil, err
	}
	return block.Needed(append(all, own...), "receive_side")
}

// build builds the receive side.
func build(ctx context.Context, sources []string) (*library, error) {
	around, err := verilate.Place(map[string][]byte{"inbound/inbound.cpp": shell})
	if err != nil {
		return nil, err
	}
	l := &library{}
	return l, verilate.Build{Top: "receive_side", Sources: sources, Shell: around, Careful: true}.Bind(ctx, "inbound_",
		map[string]any{"new": &l.create, "face": &l.face, "step": &l.step, "free": &l.free})
}

// Side is a Verilated receive side.
type Side struct {
	*Face
	l      *library
	handle uintptr
}

// New builds the receive side of a platform. Its registers begin with random
// values of the seed. Errors match verilate.ErrTools if a tool is missing.
func New(ctx context.Context, platform string, seed uint64) (*Side, error) {
	l, err := load(ctx, platform)
	if err != nil {
		return nil, err
	}
	h := l.create(seed)
	return &Side{(*Face)(l.face(h)), l, h}, nil
}

// Close frees it.
func (s *Side) Close() { s.l.free(s.handle) }

// Step runs cycles.
func (s *Side) Step(cycles int) { s.l.step(s.handle, uint64(cycles)) }

// until runs until something is so.
func (s *Side) until(what string, so func() bool) error {
	for range 20000 {
		if so() {
			return nil
		}
		s.Step(1)
	}
	return fmt.Errorf("%w: waiting for %s at cycle %d", ErrCycles, what, s.Cycle)
}

// Settle runs until nothing is under way.
func (s *Side) Settle() error {
	for idle, n := 0, 0; idle < 6; n++ {
		if n == 4000 {
			return fmt.Errorf("%w: something stays under way (0x%X) at cycle %d", ErrCycles, s.Busy, s.Cycle)
		}
		s.Step(12)
		idle++
		if s.Busy != 0 || s.OfferValid != 0 {
			idle = 0
		}
	}
	return nil
}

// Access reads or writes a register.
func (s *Side) Access(page, address uint32, write bool, v uint32) (data uint32, ok bool, err error) {
	s.RegPage, s.RegAddress, s.RegWdata, s.RegWrite, s.RegValid = page, address, v, 0, 1
	if write {
		s.RegWrite = 1
	}
	if err := s.until("a register", func() bool { return s.RegValid == 0 }); err != nil {
		return 0, false, err
	}
	s.Step(1)
	return s.RegRdata, s.RegError == 0, nil
}

// Put is a beat that has gone to the kernel.
type Put struct {
	TDEST uint32
	Last  bool
	Keep  uint64
	Data  [beat]byte
}

// Puts are the beats since the last time.
func (s *Side) Puts() []Put {
	out := make([]Put, s.PutCount)
	for i := range out {
		out[i] = Put{s.PutTDEST[i], s.PutLast[i] != 0, s.PutKeep[i], s.PutData[i]}
	}
	s.PutCount = 0
	return out
}
