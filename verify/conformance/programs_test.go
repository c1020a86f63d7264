package conformance_test

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/driver/sim"
	"github.com/cclforge/cclforge/gen/design"
	"github.com/cclforge/cclforge/gen/driverview"
	"github.com/cclforge/cclforge/verify/fabric"
	"github.com/cclforge/cclforge/verify/internal/ranktest"
	"github.com/cclforge/cclforge/verify/server/host"
)

// start starts cclforge, after the words of a launcher.
func start(launcher []string, args ...string) (*ranktest.Process, error) {
	command, env, err := ranktest.Command(launcher, args...)
	if err != nil {
		return nil, err
	}
	return ranktest.Start(os.TempDir(), env, command...)
}

// placed is a world of other processes.
type placed struct {
	size      int
	processes []*ranktest.Process
	ranks     []accl.Rank // where the network engines are
	clients   []sim.Endpoints
	launched  bool // by a launcher, which has a status of its own when it is told to end
	used      int  // when
}

// stopping is how long processes may take to end.
const stopping = 20 * time.Second

// ready waits until all ranks are, and takes their addresses. Each must have a
// process of its own.
func (w *placed) ready(ctx context.Context, port int, each int) error {
	seen := map[int]bool{}
	w.ranks, w.clients = make([]accl.Rank, w.size), make([]sim.Endpoints, w.size)
	for _, p := range w.processes {
		events, err := p.Ready(ctx, each)
		if err != nil {
			return err
		}
		for _, e := range events {
			if seen[e.PID] || len(e.Ranks) != 1 || e.Network != string(host.Sockets) {
				return fmt.Errorf("%+v is ready: one rank of a process expected, on sockets", e)
			}
			seen[e.PID] = true
			for _, r := range e.Ranks {
				at, err := netip.ParseAddrPort(r.POE)
				if err != nil || r.Rank >= w.size {
					return fmt.Errorf("%+v is ready: a network engine of %d ranks expected: %w", r, w.size, err)
				}
				commands, err := netip.ParseAddrPort(r.Commands)
				if err != nil {
					return fmt.Errorf("%+v is ready: %w", r, err)
				}
				w.ranks[r.Rank] = accl.Rank{IP: at.Addr(), Port: at.Port(), Session: uint32(r.Rank)}
				w.clients[r.Rank] = sim.Endpoints{Host: commands.Addr().String(), Port: port, Ranks: w.size}
			}
		}
	}
	for rank, e := range w.clients {
		if e.Host == "" {
			return fmt.Errorf("rank %d is not ready", rank)
		}
	}
	return nil
}

// open opens the first ranks.
func (w *placed) open(ctx context.Context, d *design.Design, n int) ([]accl.Device, error) {
	var devices []accl.Device
	for rank := range n {
		dev, err := w.openRank(ctx, d, rank)
		if err != nil {
			return nil, errors.Join(err, closeDevices(devices))
		}
		devices = append(devices, dev)
	}
	return devices, nil
}

func (w *placed) openRank(ctx context.Context, d *design.Design, rank int) (accl.Device, error) {
	p := driverview.Of(d)
	return sim.Open(ctx, &p, sim.Options{Endpoints: w.clients[rank], Rank: rank})
}

func closeDevices(devices []accl.Device) error {
	var errs []error
	for _, d := range devices {
		errs = append(errs, d.Close())
	}
	return errors.Join(errs...)
}

func (w *placed) said() string {
	var s strings.Builder
	for _, p := range w.processes {
		s.WriteString("\n" + p.Said())
	}
	return s.String()
}

// end stops the processes at the same time.
func (w *placed) end() error {
	errs := make([]error, len(w.processes))
	var all sync.WaitGroup
	for i, p := range w.processes {
		all.Go(func() {
			errs[i] = p.Stop(stopping)
			if w.launched && errors.As(errs[i], new(*exec.ExitError)) {
				errs[i] = nil
			}
		})
	}
	all.Wait()
	return errors.Join(errs...)
}

// shelf keeps worlds of other processes for the next test, since it takes time to
// start them.
type shelf struct {
	worlds map[string]*placed
	uses   int
}

const keeps = 4 // worlds

// get finds a world or has one made.
func (s *shelf) get(key string, fresh bool, make func() (*placed, error)) (*placed, error) {
	s.uses++
	w := s.worlds[key]
	if w != nil && fresh {
		if err := s.drop(key); err != nil {
			return nil, err
		}
		w = nil
	}
	if w == nil {
		if len(s.worlds) >= keeps {
			oldest := ""
			for k, w := range s.worlds {
				if oldest == "" || w.used < s.worlds[oldest].used {
					oldest = k
				}
			}
			if err := s.drop(oldest); err != nil {
				return nil, err
			}
		}
		var err error
		if w, err = make(); err != nil {
			return nil, err
		}
		if s.worlds == nil {
			s.worlds = map[string]*placed{}
		}
		s.worlds[key] = w
	}
	w.used = s.uses
	return w, nil
}

func (s *shelf) drop(key string) error {
	w := s.worlds[key]
	if w == nil {
		return nil
	}
	delete(s.worlds, key)
	return w.end()
}

func (s *shelf) close() error {
	var mu sync.Mutex
	var errs []error
	var all sync.WaitGroup
	for _, w := range s.worlds {
		all.Go(func() {
			err := w.end()
			mu.Lock()
			defer mu.Unlock()
			errs = append(errs, err)
		})
	}
	all.Wait()
	s.worlds = nil
	return errors.Join(errs...)
}

// lend opens a world of the shelf for a test.
func (s *shelf) lend(ctx context.Context, d *design.Design, set *setup, key string, make func() (*placed, error)) (
	*reach, error) {
	w, err := s.get(key, set.fresh, make)
	if err != nil {
		return nil, err
	}
	devices, err := w.open(ctx, d, set.ranks)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%w%s", err, w.said()), s.drop(key))
	}
	return &reach{
		devices: devices, ranks: w.ranks[:set.ranks], clients: protocolClients, stats: w.said,
		close: func(engines []*accl.Engine, failed bool) error {
			err := errors.Join(closeEngines(engines), closeDevices(devices))
			if err != nil || failed {
				return errors.Join(err, s.drop(key))
			}
			return nil
		},
	}, nil
}

func closeEngines(engines []*accl.Engine) error {
	ctx, cancel := context.WithTimeout(context.Background(), stopping)
	defer cancel()
	errs := make([]error, len(engines))
	var all sync.WaitGroup
	for i, e := range engines {
		if e != nil { // it is dead, otherwise
			all.Go(func() { errs[i] = e.Close(ctx) })
		}
	}
	all.Wait()
	return errors.Join(errs...)
}

// arguments are those of cclforge that a setup asks for.
func arguments(s *setup, size, port int) []string {
	args := []string{"emulate", s.platform, "--json", "-n=" + strconv.Itoa(size), "--port=" + strconv.Itoa(port),
		"--network=sockets",
		fmt.Sprintf("--timeout=%v", s.world.Engine.RemoteTimeout), fmt.Sprintf("--patience=%v", s.world.Engine.Patience)}
	if len(s.vars) > 0 {
		args = append(args, "--vars="+object(s.vars))
	}
	if s.faults != "" {
		args = append(args, "--faults="+s.faults)
	}
	return args
}

// object is variables as one object of HCL.
func object(vars map[string]cty.Value) string {
	var parts []string
	for name, v := range vars {
		switch {
		case v.Type() == cty.String:
			parts = append(parts, fmt.Sprintf("%s = %q", name, v.AsString()))
		case v.Type() == cty.Bool:
			parts = append(parts, fmt.Sprintf("%s = %v", name, v.True()))
		default:
			panic("a variable of another type: " + v.GoString())
		}
	}
	slices.Sort(parts)
	return "{" + strings.Join(parts, ", ") + "}"
}

// unplaced skips tests that want what other processes do not have.
func unplaced(t *testing.T, s *setup, most int) {
	t.Helper()
	if s.world.Net != (fabric.Options{}) {
		t.Skip("only the network over process has limits that a test chooses")
	}
	if s.ranks > most {
		t.Skipf("%d processes are too many for a test", s.ranks)
	}
}
