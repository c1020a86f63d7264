package conformance_test

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/gen/design"
	"github.com/cclforge/cclforge/gen/nightly"
	"github.com/cclforge/cclforge/verify/conformance"
	"github.com/cclforge/cclforge/verify/conformance/internal/program"
	"github.com/cclforge/cclforge/verify/fabric"
	"github.com/cclforge/cclforge/verify/server/host"
	"github.com/cclforge/cclforge/verify/world"
)

// namespaces has a process for each rank in a network namespace of its own, and
// clients in that of the tests.
type namespaces struct{ *shelf }

func newNamespaces() namespaces { return namespaces{new(shelf)} }

func (namespaces) name() string                { return "namespaces" }
func (namespaces) loses(p *accl.Platform) bool { return p.Stack == "udp" }
func (namespaces) keeps() bool                 { return true }

func (l namespaces) open(ctx context.Context, t *testing.T, d *design.Design, s *setup) (*reach, error) {
	unplaced(t, s, 16)
	n := size(s)
	return l.lend(ctx, d, s, strings.Join(arguments(s, n, 0), " "), func() (*placed, error) {
		w, _, err := spread(ctx, t, s, n)
		return w, err
	})
}

// spread starts the ranks of a world in namespaces.
func spread(ctx context.Context, t *testing.T, s *setup, size int) (*placed, *program.Net, error) {
	t.Helper()
	if lacks := program.NetMissing(); lacks != "" {
		t.Skipf("network namespaces need %s", lacks)
	}
	port, err := host.FreePorts(host.PortsPerRank * size) // clients bind some in the namespace of the test
	if err != nil {
		return nil, nil, err
	}
	net, err := program.NewNet(size)
	if errors.Is(err, program.ErrUnsupported) {
		t.Skip(err)
	}
	if err != nil {
		return nil, nil, err
	}
	var hosts []string
	for rank := range size {
		hosts = append(hosts, net.Address(rank).String())
	}
	w, err := startAll(ctx, size, port, func(rank int) (*program.Process, error) {
		args := append(arguments(s, size, port), "--ranks="+strconv.Itoa(rank), "--hosts="+strings.Join(hosts, ","),
			fmt.Sprintf("--listen=%v", net.Address(rank)), fmt.Sprintf("--kernel-host=%v", net.Caller()))
		return start(net.Command(rank), args...)
	})
	if err != nil {
		return nil, nil, errors.Join(err, net.Close())
	}
	w.publish, w.stop = net.Caller().String(), net.Close
	return w, net, nil
}

// leaky is namespaces of which one loses packets, other than those of clients.
type leaky struct {
	namespaces
	percent int
	net     *program.Net
}

const leak = 1 // the rank in the namespace that loses packets

func (leaky) keeps() bool { return false }

func (l *leaky) open(ctx context.Context, t *testing.T, d *design.Design, s *setup) (*reach, error) {
	w, net, err := spread(ctx, t, s, s.ranks)
	if err != nil {
		return nil, err
	}
	l.net = net
	err = l.lose(d, w)
	var devices []accl.Device
	if err == nil {
		devices, err = w.open(ctx, d, s.ranks)
	}
	if err != nil {
		return nil, errors.Join(err, w.end())
	}
	return &reach{
		devices: devices, ranks: w.ranks, stats: w.said,
		close: func(engines []*accl.Engine, _ bool) error {
			return errors.Join(closeEngines(engines), closeDevices(devices), w.end())
		},
	}, nil
}

func (l *leaky) lose(d *design.Design, w *placed) error {
	kind, err := world.Network(d)
	if err != nil {
		return err
	}
	protocol := "tcp" // that of RDMA, too
	if kind == fabric.UDP {
		protocol = "udp"
	}
	var ports []uint16
	for _, r := range w.ranks {
		ports = append(ports, r.Port)
	}
	return l.net.Lose(leak, protocol, ports, l.percent)
}

// TestLossBetweenNamespaces has the system lose packets between ranks. On UDP each
// case is right or says that something was lost; TCP repairs that, also while it
// connects.
func TestLossBetweenNamespaces(t *testing.T) {
	if all.name() != "process" && all.name() != "namespaces" {
		t.Skipf("over %s nothing is between namespaces", all.name())
	}
	platforms := []string{"u55c_udp", "u55c_tcp"} // that lose packets, and that repair losses
	for _, name := range nightly.Of(platforms, append(platforms, "u280_2022", "u55c_rdma")) {
		t.Run(name, func(t *testing.T) {
			ctx := limited(t, time.Minute)
			rng := random(t)
			l := &leaky{percent: 3}
			s := setup{platform: name, ranks: 3, edit: small}
			if name == "u55c_udp" {
				s.world = impatient(300 * time.Millisecond)
			}
			b := where{way: l, share: 1, losses: new(losses)}.bench(ctx, t, s)
			lossy := b.p.Stack == "udp"
			right, noticed, lost := 0, 0, 0
			enough := func() bool { return right >= 10 && lost >= 10 && (noticed >= 2 || !lossy) }
			for cases := 0; !enough(); cases++ {
				if cases == 300 {
					t.Fatalf("%d cases were right, %d with a reported loss, %d packets were lost", right, noticed, lost)
				}
				c := lossless(rng, b.p, len(b.engines), conformance.Operations(b.p)[rng.IntN(len(conformance.Operations(b.p)))])
				if c.Streams() || c.Op == "nop" || c.Op == "copy" || c.Op == "combine" {
					continue // they stay within a rank, or leave something there when they fail
				}
				if !lossy {
					b.run(ctx, c)
					right++
				} else if b.try(ctx, c, b.lost()) {
					right++
				} else {
					noticed++
				}
				var err error
				if lost, err = l.net.Lost(leak); err != nil {
					t.Fatal(err)
				}
			}
			t.Logf("%d cases were right, %d with a reported loss, %d packets were lost", right, noticed, lost)
			if err := l.net.Keep(leak); err != nil {
				t.Fatal(err)
			}
			for range 3 {
				b.works(ctx, rng)
			}
		})
	}
}
