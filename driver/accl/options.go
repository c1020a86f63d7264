package accl

import (
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
}

// WithRxBuffers sets the number of rx buffers and the bytes of each, a multiple
// of a beat; 0 leaves what the platform says.
func WithRxBuffers(count, bytes int) OpenOption {
	return func(o *openOptions) { o.rx = RxBuffers{count, bytes} }
}

// WithArithmetic replaces the platform's arithmetic configurations.
func WithArithmetic(configs ...ArithConfig) OpenOption {
	return func(o *openOptions) { o.configs, o.configsGiven = configs, true }
}

// WithProtocol chooses the network stack, "udp", "tcp" or "rdma", where engines
// have several. One that the platform does not have is an error.
func WithProtocol(stack string) OpenOption {
	return func(o *openOptions) { o.protocol = stack }
}

// WithTimeout sets the limit of waits inside the engine, in cycles. Engines take
// fewer than their interface's min_timeout_cycles for the default.
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

// WithMaxSegment sets where messages are cut, in bytes of payload.
func WithMaxSegment(bytes int) OpenOption {
	return func(o *openOptions) { o.maxSegment = bytes }
}

// WithTuning sets a tuning word of the generation, by name.
func WithTuning(name string, value uint32) OpenOption {
	return func(o *openOptions) { o.tuning = append(o.tuning, Setting{name, value}) }
}

// WithClient sets the client of the engine that calls come from unless an
// operation says otherwise: 0 unless set.
func WithClient(client int) OpenOption {
	return func(o *openOptions) { o.client = client }
}

// WaitLimit bounds the wait for an answer where the context has no deadline; 0
// leaves the default, ten times the engine's limit for remote ranks.
func WaitLimit(d time.Duration) OpenOption {
	return func(o *openOptions) { o.waitLimit = d }
}

// ResetFirst resets the engine before it is configured also where the clients of
// the generation do not, and takes it from whoever uses it.
func ResetFirst() OpenOption {
	return func(o *openOptions) { o.resetFirst = true }
}

// AnyHardware leaves out the check that the engine is the platform's.
func AnyHardware() OpenOption {
	return func(o *openOptions) { o.anyHardware = true }
}

// GivenSessions takes the sessions of ranks as they are given, and opens none.
func GivenSessions() OpenOption {
	return func(o *openOptions) { o.givenSessions = true }
}

// OwnPeers says whether all ranks of all communicators are engines of this project,
// opened with the same option: large messages between them then go by rendezvous from
// the first one on. Otherwise, on UDP and TCP, they are eager until messages both ways
// have shown what the ranks are, as engines of another make do not know rendezvous
// there; UDP loses what rx buffers do not hold of them. OpenAll says so unless the
// option says otherwise.
func OwnPeers(own bool) OpenOption {
	return func(o *openOptions) { o.ownPeers = own }
}

// Tag tells messages of one sender apart. It is also the number of a kernel stream that
// StreamPut sends to. Its own type keeps it apart from counts; constants need no
// conversion.
type Tag uint32

// Option changes an operation. An operation that does not have the option
// answers ErrOption.
type Option func(*callOptions)

type callOptions struct {
	async    bool
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
func Async() Option { return optionAsync }

// After starts the call when the others are done without error; an error of one
// of them becomes that of this call. Requests may be of other engines.
func After(requests ...*Request) Option {
	return func(o *callOptions) { o.after = append(o.after, requests...) }
}

// FromFPGA says that operand 0 is in device memory: it is not copied there.
func FromFPGA() Option { return optionFrom }

// FromFPGA1 is FromFPGA for operand 1, which only Combine has.
func FromFPGA1() Option { return optionFrom1 }

// ToFPGA leaves the result in device memory: it is not copied to the host.
func ToFPGA() Option { return optionTo }

// Compress has data converted to an element type before it is sent.
func Compress(t DType) Option {
	return func(o *callOptions) { o.compress = t }
}

// WithTag sets the tag of a Send, or the tag that a Recv waits for. Any tag
// matches where none is set. A Recv to a kernel stream arrives with its tag as
// TDEST.
func WithTag(tag Tag) Option {
	return func(o *callOptions) { o.tag, o.tagged = tag, true }
}

// OnClient places the call as another client of the engine. Clients are
// independent: each has its calls answered in its own order.
func OnClient(client int) Option {
	return func(o *callOptions) { o.client, o.chosen = client, true }
}

func optionAsync(o *callOptions) { o.async = true }
func optionFrom(o *callOptions)  { o.from = true }
func optionFrom1(o *callOptions) { o.from1 = true }
func optionTo(o *callOptions)    { o.to = true }

// complete fills in what the platform says, and checks what was set.
func (o *openOptions) complete(p *Platform) error {
	orElse(&o.rx.Count, p.RxBuffers.Count)
	orElse(&o.rx.Bytes, p.RxBuffers.Bytes)
	if o.rx.Count < 1 || o.rx.Bytes < 1 || p.BeatBytes > 0 && o.rx.Bytes%p.BeatBytes != 0 {
		return fmt.Errorf("%w: %d rx buffers of %d bytes; they hold a multiple of %d bytes", ErrArgument, o.rx.Count,
			o.rx.Bytes, p.BeatBytes)
	}
	orElse(&o.protocol, p.Stack)
	if o.protocol != p.Stack && !(p.chooses() && slices.Contains(p.Networks, o.protocol)) {
		return fmt.Errorf("%w: the network stack %q; %s has %q", ErrUnsupported, o.protocol, p.Name, p.Stack)
	}
	orElse(&o.timeoutCycles, p.Limits.TimeoutCycles)
	if !p.Features.Rendezvous {
		if o.maxEager != 0 || o.maxRendezvous != 0 {
			return fmt.Errorf("%w: message thresholds; %s is eager only", ErrUnsupported, p.Generation)
		}
	} else {
		orElse(&o.maxEager, max(p.Limits.MaxEagerBytes, o.rx.Bytes))
		orElse(&o.maxRendezvous, max(p.Limits.MaxRendezvousBytes, 2*o.maxEager))
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
	orElse(&o.waitLimit, 10*time.Duration(p.Limits.RemoteTimeoutMilliseconds)*time.Millisecond)
	return nil
}

// chooses reports whether the host can choose among the network stacks of an
// engine.
func (p *Platform) chooses() bool { return lookup(p.ConfigFunctions, setStackType).ok }

func orElse[T comparable](v *T, otherwise T) {
	var zero T
	if *v == zero {
		*v = otherwise
	}
}
