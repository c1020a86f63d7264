package bringup

import (
	"cmp"
	"fmt"
	"net"
	"net/netip"
	"strconv"
	"time"
)

// MaxSize is the largest number of ranks.
const MaxSize = 4096

// DefaultPort is the default port of rank 0.
const DefaultPort = 5480

// Bounds and defaults of Options.
const (
	MinSecret      = 16 // bytes
	DefaultTimeout = 2 * time.Minute
	DefaultSilence = 20 * time.Second
	MinSilence     = 3 * beat
)

// Options identify a rank and the meeting point. Size, Meet, Secret and Job must be the
// same on all ranks.
type Options struct {
	Rank, Size int
	// Meet is the address of rank 0, "host:port". Rank 0 listens there if host is an
	// address, otherwise on all its addresses. A world of one rank needs neither Meet nor
	// Secret.
	Meet string
	// Listener, if not nil, is the listener of rank 0. Close closes it, and so does Join on
	// an error.
	Listener net.Listener
	// Secret is the secret of all ranks, at least MinSecret bytes.
	Secret []byte
	// Job distinguishes worlds with the same secret.
	Job string
	// Self describes this rank to the others.
	Self Member
	// Timeout bounds Join and Ready, each, in addition to their contexts; 0 is
	// DefaultTimeout. They may take up to Silence longer, to receive the common error.
	Timeout time.Duration
	// Silence is the time without data after which a rank counts as gone, if its host or
	// network has failed without closing the connection: at least MinSilence, 0 is
	// DefaultSilence.
	Silence time.Duration
	// Progress, if not nil, is called when Join or Ready begins a step: StepMeet, StepProve
	// at each connection, StepJoin, StepConfigure, StepReady, StepRun.
	Progress func(Step)
}

// complete checks options and fills in defaults. It returns Self as it is sent.
func (o *Options) complete() (self []byte, err error) {
	bad := func(format string, args ...any) ([]byte, error) {
		return nil, fmt.Errorf("%w: %s", ErrOption, fmt.Sprintf(format, args...))
	}
	o.Timeout = cmp.Or(o.Timeout, DefaultTimeout)
	o.Silence = cmp.Or(o.Silence, DefaultSilence)
	if o.Progress == nil {
		o.Progress = func(Step) {}
	}
	switch {
	case o.Size < 1 || o.Size > MaxSize:
		return bad("a world has 1 to %d ranks, not %d", MaxSize, o.Size)
	case o.Rank < 0 || o.Rank >= o.Size:
		return bad("the rank %d is none of %d", o.Rank, o.Size)
	case o.Timeout < 0:
		return bad("the timeout %v is negative", o.Timeout)
	case o.Silence < MinSilence:
		return bad("ranks say something every %v: a silence of %v is less than %v", beat, o.Silence, MinSilence)
	case o.Listener != nil && o.Rank != 0:
		return bad("rank %d has a listener, and only rank 0 listens", o.Rank)
	case o.Size > 1 && len(o.Secret) < MinSecret:
		return bad("the secret is %d bytes long; must be at least %d, such as openssl rand -hex 16 prints",
			len(o.Secret), MinSecret)
	}
	if o.Size > 1 && o.Listener == nil {
		if err := checkMeet(o.Meet); err != nil {
			return bad("%v", err)
		}
	}
	self, err = o.Self.encode(o.Size)
	if err != nil {
		return bad("what rank %d says of itself: %v", o.Rank, err)
	}
	return self, nil
}

func checkMeet(meet string) error {
	host, port, err := net.SplitHostPort(meet)
	if err == nil && host != "" {
		if n, err := strconv.ParseUint(port, 10, 16); err == nil && n > 0 {
			return nil
		}
	}
	return fmt.Errorf("the address of rank 0 is %q; must be host:port", meet)
}

// listenAddress is where rank 0 listens: names of hosts may lead it to an address that
// others do not reach.
func listenAddress(meet string) string {
	host, port, err := net.SplitHostPort(meet)
	if _, is := netip.ParseAddr(host); err != nil || is == nil || host == "localhost" {
		return meet
	}
	return net.JoinHostPort("", port)
}
