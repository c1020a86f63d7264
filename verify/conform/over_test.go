package conform_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/driver/sim"
	"github.com/cclforge/cclforge/gen/design"
	"github.com/cclforge/cclforge/verify/fabric"
)

var overFlag = flag.String("conform.over", "", "how all tests reach the ranks: "+strings.Join(wayNames(), ", ")+"; \"\" for CONFORM_OVER, or process")

// way is how tests reach the ranks of a world.
type way interface {
	name() string
	// open starts the ranks of a setup, or finds some that run, and skips the test
	// if they cannot be had.
	open(ctx context.Context, t *testing.T, d *design.Design, s *setup) (*reach, error)
	// loses reports whether packets of a platform may be lost on the way, though
	// there are no faults.
	loses(p *accl.Platform) bool
	// close ends what is kept for other tests.
	close() error
}

// reach is a world as tests reach it.
type reach struct {
	devices []accl.Device // by rank
	ranks   []accl.Rank
	network *fabric.Net          // whose faults can be set; nil if there is no such
	clients int                  // that each rank has for calls
	open    int                  // calls of a rank that can be open at a time
	kill    func(rank int) error // nil if no rank can end alone
	stats   func() string        // what the engines have done, for failures
	// close ends the world, or keeps it for other tests unless this one failed.
	close func(engines []*accl.Engine, failed bool) error
}

// where is the way that a test goes, and how much it does there.
type where struct {
	way
	share  float64 // of the cases of a whole run
	losses *losses
}

// ways are all that there are, made when they are first used.
var ways = []struct {
	name string
	make func() way
}{
	{"process", func() way { return process{} }},
	{"protocol", func() way { return protocol{} }},
	{"sockets", func() way { return sockets{} }},
	{"packets", func() way { return packetSockets{} }},
	{"mpirun", func() way { return newMPI() }},
	{"namespaces", func() way { return newNamespaces() }},
}

func wayNames() []string {
	return []string{"process", "protocol", "sockets", "packets", "mpirun", "namespaces"}
}

// goes finds a way by its name.
func goes(name string, share float64) (where, error) {
	i := slices.Index(wayNames(), name)
	if i < 0 {
		return where{}, fmt.Errorf("over %q: there are %s", name, strings.Join(wayNames(), ", "))
	}
	return where{ways[i].make(), share, new(losses)}, nil
}

// all is where tests go that no other way is said of.
var all where

// TestMain finds the way that all tests go.
func TestMain(m *testing.M) {
	flag.Parse()
	name := *overFlag
	if name == "" {
		name = os.Getenv("CONFORM_OVER")
	}
	if name == "" {
		name = "process"
	}
	var err error
	if all, err = goes(name, 1); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	code := m.Run()
	if err := errors.Join(all.close(), removeProgram()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = max(code, 1)
	}
	os.Exit(code)
}

// times is how often something is done there that a whole run does n times.
func (on where) times(n int) int { return times(max(int(float64(n)*on.share), 1)) }

// What simulation protocol has: controllers of the host and of a kernel, and for
// generations without controllers a bound for what a server has to keep.
const (
	protocolClients = 3
	blockingCalls   = 40
)

// bounded sets how much clients of the protocol may do at a time.
func (r *reach) bounded(p *accl.Platform) *reach {
	r.clients = protocolClients
	if sim.Blocking(p) {
		r.open = blockingCalls
	}
	return r
}

// needsNetwork skips a test that changes the network while it runs.
func (b *bench) needsNetwork() *fabric.Net {
	b.t.Helper()
	if b.network == nil {
		b.t.Skipf("over %s the network cannot be changed by the test, only over process", b.on.name())
	}
	return b.network
}

// losses counts what a network has lost that may lose a little.
type losses struct{ cases, lost atomic.Int64 }

// note notes a case that ended because of a loss, and fails the test if that is
// more than now and then.
func (l *losses) note(t *testing.T) {
	t.Helper()
	if lost, cases := l.lost.Add(1), l.cases.Load(); lost > 2+cases/20 {
		t.Fatalf("%d of %d cases ended with a loss: that is more than now and then", lost, cases)
	}
}

// TestOver does a part of all on each way but that which all tests go anyway.
func TestOver(t *testing.T) {
	for _, part := range []struct {
		way   string
		share float64
		ranks int // at most, for all operations
	}{
		{"process", 0.2, 4}, {"protocol", 0.2, 4}, {"sockets", 0.2, 4}, {"packets", 0.2, 4}, {"mpirun", 0.05, 4}, {"namespaces", 0.05, 3},
	} {
		if part.way == all.name() {
			continue
		}
		t.Run(part.way, func(t *testing.T) {
			on, err := goes(part.way, part.share)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() {
				if err := on.close(); err != nil {
					t.Error(err)
				}
			})
			t.Run("operations", func(t *testing.T) { operations(t, on, part.ranks) })
			for _, test := range []struct {
				name string
				run  func(*testing.T, where)
			}{
				{"repeated sends", repeatedSends}, {"mixed sends", mixedSends}, {"receives before sends", receivesBeforeSends}, {"patterns", patterns},
				{"chains", chains}, {"clients at once", clientsAtOnce}, {"communicators at once", communicatorsAtOnce},
				{"kernel streams", kernelStreams}, {"stream through the kernel", streamThroughKernel},
				{"before configuration", beforeConfiguration}, {"refused", refused}, {"addresses", addresses}, {"performance counter", performanceCounter},
				{"reset drops calls", resetDropsCalls}, {"reset in the middle", resetInTheMiddle},
			} {
				t.Run(test.name, func(t *testing.T) { test.run(t, on) })
			}
		})
	}
}
