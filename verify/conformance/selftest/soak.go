package selftest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"time"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/verify/conformance"
)

// Soak are options of a run of random operations on worlds for a long time: every result is checked against
// plain arithmetic, the network is bad, and at the end memory and goroutines must be what they were.
type Soak struct {
	Seed     uint64        // of the cases, and of the networks
	Duration time.Duration // of all worlds together
	Ranks    int           // of each world
	Turn     time.Duration // that a world has before the next one goes on; 0 for 2 s
}

// Soaked is a world that is soaked.
type Soaked struct {
	Name     string
	Platform *accl.Platform
	Devices  []accl.Device
	Ranks    []accl.Rank
	Open     []accl.OpenOption
	// Lossy says that calls may end with RECEIVE_TIMEOUT, because packets are lost.
	Lossy bool
	Close func() error
}

// SmallLimits makes the limits of a platform small, so that little data reaches them
// and there is time for many cases.
func SmallLimits(p *accl.Platform) {
	p.RxBuffers = accl.RxBuffers{Count: 16, Bytes: 1024}
	if p.Features.Rendezvous {
		p.Limits.MaxEagerBytes, p.Limits.MaxRendezvousBytes = 4<<10, 64<<10
	}
}

// ErrLeak says that memory or goroutines grew.
var ErrLeak = errors.New("something grows")

const (
	defaultTurn  = 2 * time.Second
	mistakeEvery = 40 // cases, on average
)

// Run soaks worlds in turn until the duration is over or a result is wrong, and
// reports to w. It closes the worlds.
func (o Soak) Run(ctx context.Context, worlds []Soaked, w io.Writer) (err error) {
	if o.Turn <= 0 {
		o.Turn = defaultTurn
	}
	var soaked []*soaker
	defer func() {
		for i, world := range worlds {
			if i < len(soaked) {
				err = errors.Join(err, soaked[i].close())
			}
			err = errors.Join(err, world.Close())
		}
	}()
	for i := range worlds {
		s, err := open(ctx, o, &worlds[i], uint64(i))
		if err != nil {
			return err
		}
		soaked = append(soaked, s)
	}
	start := time.Now()
	watch := newWatch()
	for turn := 0; time.Since(start) < o.Duration; turn++ {
		s := soaked[turn%len(soaked)]
		if err := s.turn(ctx, min(o.Turn, o.Duration-time.Since(start))); err != nil {
			return fmt.Errorf("%s, seed %d, after %d cases: %w", s.world.Name, o.Seed, s.cases, err)
		}
		fmt.Fprintf(w, "%6.1fs  %s: %s\n", time.Since(start).Seconds(), s.world.Name, s)
		if turn%len(soaked) == len(soaked)-1 {
			watch.note(time.Since(start), o.Duration)
		}
	}
	fmt.Fprintf(w, "%s\n", watch)
	return watch.verdict()
}

// soaker runs cases on one world.
type soaker struct {
	world   *Soaked
	rng     *rand.Rand
	engines []*accl.Engine
	cases   int
	bytes   uint64
	lost    int // cases that ended as they may where packets are lost
}

func open(ctx context.Context, o Soak, world *Soaked, stream uint64) (*soaker, error) {
	engines, err := accl.OpenAll(ctx, world.Devices, world.Platform, world.Ranks, world.Open...)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", world.Name, err)
	}
	return &soaker{world: world, rng: rand.New(rand.NewPCG(o.Seed, stream)), engines: engines}, nil
}

func (s *soaker) String() string {
	text := fmt.Sprintf("%d cases right, %.1f MB", s.cases-s.lost, float64(s.bytes)/1e6)
	if s.world.Lossy {
		text += fmt.Sprintf(", %d with a reported loss", s.lost)
	}
	return text
}

func (s *soaker) close() error {
	var errs []error
	for _, e := range s.engines {
		errs = append(errs, e.Close(context.Background()))
	}
	return errors.Join(errs...)
}

// turn runs cases for a time.
func (s *soaker) turn(ctx context.Context, d time.Duration) error {
	for end := time.Now().Add(d); time.Now().Before(end); {
		if s.rng.IntN(mistakeEvery) == 0 {
			if err := s.mistake(ctx); err != nil {
				return err
			}
		}
		c := s.next()
		err := c.Run(ctx, s.engines)
		s.cases++
		s.bytes += uint64(c.Count * c.ElementBytes(s.world.Platform) * c.Size(len(s.engines)))
		if err == nil {
			continue
		}
		if !s.mayFail(err) {
			return err
		}
		s.lost++
		if err := s.reset(ctx); err != nil {
			return fmt.Errorf("reset after a loss: %w", err)
		}
	}
	return ctx.Err()
}

// mistake has ranks call different collectives, and recover.
func (s *soaker) mistake(ctx context.Context) error {
	m := conformance.RandomMismatch(s.rng, s.world.Platform, len(s.engines))
	m.Unnamed = s.world.Lossy
	s.cases++
	if err := m.Run(ctx, s.engines, s.bits()); err != nil {
		return err
	}
	err := conformance.Recover(ctx, s.engines)
	if err != nil && s.world.Lossy {
		return s.reset(ctx) // notices can be lost, too
	}
	return err
}

// bits are those with which calls may fail where ranks make mistakes or are not heard.
func (s *soaker) bits() accl.ReturnCode {
	return conformance.ReturnBits(s.world.Platform, "RECEIVE_TIMEOUT", "COLLECTIVE_MISMATCH")
}

// next is a case that leaves nothing behind when it fails: what is on a kernel
// stream is not the engine's to clear.
func (s *soaker) next() conformance.Case {
	for {
		c := conformance.Random(s.rng, s.world.Platform, len(s.engines))
		if s.world.Lossy && (c.StreamOp0 || c.StreamRes || c.Op == "stream_put") {
			continue
		}
		if !c.MayLose(s.world.Platform) {
			return c
		}
	}
}

func (s *soaker) mayFail(err error) bool {
	var f *conformance.Failure
	return s.world.Lossy && errors.As(err, &f) && f.Tolerates(s.bits())
}

// reset resets all engines. The network is quiet: whoever waited has given up.
func (s *soaker) reset(ctx context.Context) error {
	errs := make(chan error, len(s.engines))
	for _, e := range s.engines {
		go func() { errs <- e.Reset(ctx) }()
	}
	var all []error
	for range s.engines {
		all = append(all, <-errs)
	}
	return errors.Join(all...)
}
