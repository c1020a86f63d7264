package accl

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"
)

// OpenOption changes how an engine is configured.
type OpenOption func(*openOptions)

type openOptions struct {
	rx            RxBuffers
	configs       []ArithConfig
	configsGiven  bool
	protocol      string
	timeoutCycles int
	maxEager      int
	maxRendezvous int
	maxSegment    int
	tuning        []Setting
	client        int
	waitLimit     time.Duration
	resetFirst    bool
	anyHardware   bool
	givenSessions bool
	ownPeers      bool
	reports       Reports
	tell          func(own func(context.Context) (Report, error))
	noCauses      bool
	caller        func(*Engine, Device) Caller
	own           *witness
	beside        []*witness // by rank: those that OpenAll opens
}

// WithRxBuffers sets the number of rx buffers and the size of each in bytes, a multiple
// of a beat. 0 keeps the value of the platform.
func WithRxBuffers(count, bytes int) OpenOption {
	return func(o *openOptions) { o.rx = RxBuffers{count, bytes} }
}

// WithArithmetic replaces the platform's arithmetic configurations.
func WithArithmetic(configs ...ArithConfig) OpenOption {
	return func(o *openOptions) { o.configs, o.configsGiven = configs, true }
}

// WithProtocol chooses the network stack, "udp", "tcp" or "rdma", of an engine that has
// several. Open returns ErrUnsupported for a stack that the platform does not have.
func WithProtocol(stack string) OpenOption {
	return func(o *openOptions) { o.protocol = stack }
}

// WithTimeout sets the limit of waits inside the engine, in cycles of its clock. Engines
// replace a limit below their interface's min_timeout_cycles by their default.
func WithTimeout(cycles int) OpenOption {
	return func(o *openOptions) { o.timeoutCycles = cycles }
}

// WithMaxEager sets the largest message that is sent eagerly, in bytes.
func WithMaxEager(bytes int) OpenOption {
	return func(o *openOptions) { o.maxEager = bytes }
}

// WithMaxRendezvous sets the largest message that is sent by rendezvous, in
// bytes. The engine gets scratch buffers of this size.
func WithMaxRendezvous(bytes int) OpenOption {
	return func(o *openOptions) { o.maxRendezvous = bytes }
}

// WithMaxSegment sets the largest segment of a message, in bytes of payload; at most the
// size of an rx buffer.
func WithMaxSegment(bytes int) OpenOption {
	return func(o *openOptions) { o.maxSegment = bytes }
}

// WithTuning sets a tuning word of the interface, by name.
func WithTuning(name string, value uint32) OpenOption {
	return func(o *openOptions) { o.tuning = append(o.tuning, Setting{name, value}) }
}

// WithClient sets the client of the engine that places calls, 0 unless set. OnClient
// overrides it for one operation.
func WithClient(client int) OpenOption {
	return func(o *openOptions) { o.client = client }
}

// WaitLimit bounds the wait for an answer if the context has no deadline. 0 keeps the
// default, ten times the engine's limit for remote ranks.
func WaitLimit(d time.Duration) OpenOption {
	return func(o *openOptions) { o.waitLimit = d }
}

// ResetFirst resets the engine before it is configured, even if another program has
// configured it and may be using it. Without it, Open returns ErrConfigured for such an
// engine if engines of the interface version open sessions themselves; in other versions,
// Open resets the engine in any case.
func ResetFirst() OpenOption {
	return func(o *openOptions) { o.resetFirst = true }
}

// AnyHardware skips the check that the engine was built for the platform.
func AnyHardware() OpenOption {
	return func(o *openOptions) { o.anyHardware = true }
}

// GivenSessions uses Rank.Session as it is, and opens no sessions.
func GivenSessions() OpenOption {
	return func(o *openOptions) { o.givenSessions = true }
}

// OwnPeers declares whether all ranks of all communicators are engines of this project
// that were opened with the same option. If so, large messages use rendezvous from the
// first one on. If not, messages on UDP and TCP are eager until messages in both
// directions have shown that the peer knows rendezvous, which engines of other projects
// do not on these networks; on UDP, eager data that exceeds the rx buffers is lost.
// OpenAll sets the option if it opens all ranks.
func OwnPeers(own bool) OpenOption {
	return func(o *openOptions) { o.ownPeers = own }
}

// WithCaller has an engine make its calls through what wrap returns for it and its device. The engine is not
// configured yet.
func WithCaller(wrap func(*Engine, Device) Caller) OpenOption {
	return func(o *openOptions) { o.caller = wrap }
}

// Tag is the tag of a message, by which a Recv chooses among the messages of a rank. It
// is also the number of the kernel stream of a StreamPut. As with Peer, constants need no
// conversion.
type Tag uint32

// Option changes an operation. The error is ErrOption if the operation does not have it.
type Option func(*callOptions)

type callOptions struct {
	async    bool
	prepared bool
	from     bool // operand 0 is in device memory
	from1    bool
	to       bool // leave the result there
	after    []*Request
	compress DType
	tag      Tag
	tagged   bool
	client   int
	chosen   bool // client is set
}

// Async returns as soon as the call is placed.
func Async() Option { return func(o *callOptions) { o.async = true } }

// Prepared only checks the call, and returns a request that is done. Request.Again makes the call, as often as
// the program wants.
func Prepared() Option { return func(o *callOptions) { o.prepared = true } }

// After delays the call until the given requests have succeeded; if one of them fails,
// this call fails with its error. Requests may be of other engines.
func After(requests ...*Request) Option {
	return func(o *callOptions) { o.after = append(o.after, requests...) }
}

// FromFPGA uses operand 0 as it is in device memory, without a copy from the host.
func FromFPGA() Option { return func(o *callOptions) { o.from = true } }

// FromFPGA1 is FromFPGA for operand 1 of Combine.
func FromFPGA1() Option { return func(o *callOptions) { o.from1 = true } }

// ToFPGA leaves the result in device memory, without a copy to the host.
func ToFPGA() Option { return func(o *callOptions) { o.to = true } }

// Compress converts data to a narrower element type on the network.
func Compress(t DType) Option {
	return func(o *callOptions) { o.compress = t }
}

// WithTag sets the tag of a Send, or the tag that a Recv waits for. A call without the
// option matches any tag. A Recv to a kernel stream delivers data with its tag as TDEST.
func WithTag(tag Tag) Option {
	return func(o *callOptions) { o.tag, o.tagged = tag, true }
}

// OnClient places the call as a client of the engine, from 0 up. Clients are independent:
// each gets the answers to its calls in its own order.
func OnClient(client int) Option {
	return func(o *callOptions) { o.client, o.chosen = client, true }
}

// complete fills in the platform's values, and checks what was set.
func (o *openOptions) complete(p *Platform) error {
	o.rx.Count = cmp.Or(o.rx.Count, p.RxBuffers.Count)
	o.rx.Bytes = cmp.Or(o.rx.Bytes, p.RxBuffers.Bytes)
	if o.rx.Count < 1 || o.rx.Bytes < 1 || p.BeatBytes > 0 && o.rx.Bytes%p.BeatBytes != 0 {
		return fmt.Errorf("%w: %d rx buffers of %d bytes; they hold a multiple of %d bytes", ErrArgument, o.rx.Count,
			o.rx.Bytes, p.BeatBytes)
	}
	o.protocol = cmp.Or(o.protocol, p.Stack)
	if o.protocol != p.Stack && !(p.chooses() && slices.Contains(p.Networks, o.protocol)) {
		return fmt.Errorf("%w: the network stack %q; %s has %q", ErrUnsupported, o.protocol, p.Name, p.Stack)
	}
	o.timeoutCycles = cmp.Or(o.timeoutCycles, p.Limits.TimeoutCycles)
	if !p.Features.Rendezvous {
		if o.maxEager != 0 || o.maxRendezvous != 0 {
			return fmt.Errorf("%w: message thresholds; %s is eager only", ErrUnsupported, p.Generation)
		}
	} else {
		o.maxEager = cmp.Or(o.maxEager, max(p.Limits.MaxEagerBytes, o.rx.Bytes))
		o.maxRendezvous = cmp.Or(o.maxRendezvous, max(p.Limits.MaxRendezvousBytes, 2*o.maxEager))
		if o.maxEager < o.rx.Bytes || o.maxRendezvous <= o.maxEager {
			return fmt.Errorf(
				"%w: %d bytes eagerly and %d by rendezvous with rx buffers of %d; each is at least, and rendezvous more than, "+
					"the one before",
				ErrArgument, o.maxEager, o.maxRendezvous, o.rx.Bytes)
		}
	}
	if o.maxSegment == 0 {
		o.maxSegment = o.rx.Bytes
		if o.protocol == "udp" && p.MaxUDPPayloadBytes > 0 {
			o.maxSegment = min(o.maxSegment, p.MaxUDPPayloadBytes)
		}
	}
	if o.maxSegment < 0 || o.maxSegment > o.rx.Bytes {
		return fmt.Errorf("%w: segments of %d bytes with rx buffers of %d", ErrArgument, o.maxSegment, o.rx.Bytes)
	}
	if o.timeoutCycles < 0 || o.client < 0 || o.waitLimit < 0 {
		return fmt.Errorf("%w: timeout, client or wait limit is negative", ErrArgument)
	}
	if !o.configsGiven {
		o.configs = p.withMoves(p.Configs)
	}
	o.waitLimit = cmp.Or(o.waitLimit, 10*time.Duration(p.Limits.RemoteTimeoutMilliseconds)*time.Millisecond)
	return nil
}

// chooses reports whether the host can choose among the network stacks of an
// engine.
func (p *Platform) chooses() bool { return lookup(p.ConfigFunctions, setStackType).ok }
