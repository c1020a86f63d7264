package conform_test

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/gen/design"
	"github.com/cclforge/cclforge/verify/conform/internal/netns"
	"github.com/cclforge/cclforge/verify/conform/internal/program"
	"github.com/cclforge/cclforge/verify/host"
)

// namespaces has a process for each rank in a network namespace of its own, and
// clients in that of the tests.
type namespaces struct{ shelf *shelf }

func newNamespaces() namespaces { return namespaces{new(shelf)} }

func (namespaces) name() string                { return "namespaces" }
func (namespaces) loses(p *accl.Platform) bool { return p.Stack == "udp" }
func (n namespaces) close() error              { return n.shelf.close() }

func (n namespaces) open(ctx context.Context, t *testing.T, d *design.Design, s *setup) (*reach, error) {
	unplaced(t, s, 16)
	size := max(s.ranks, 3)
	key := strings.Join(arguments(s, size, 0), " ")
	r, err := n.shelf.lend(ctx, d, s, key, func() (*placed, error) {
		w, _, err := spread(ctx, t, s, size)
		return w, err
	})
	return r, err
}

// spread starts the ranks of a world in namespaces.
func spread(ctx context.Context, t *testing.T, s *setup, size int) (*placed, *netns.Net, error) {
	t.Helper()
	if lacks := netns.Missing(); lacks != "" {
		t.Skipf("network namespaces need %s", lacks)
	}
	path, err := cclworld()
	if err != nil {
		return nil, nil, err
	}
	port, err := host.FreePorts(5 * size) // clients bind some in the namespace of the test
	if err != nil {
		return nil, nil, err
	}
	net, err := netns.New(size)
	if errors.Is(err, netns.ErrUnsupported) {
		t.Skip(err)
	}
	if err != nil {
		return nil, nil, err
	}
	w := &placed{size: size, publish: net.Caller().String(), stop: net.Close}
	var hosts []string
	for rank := range size {
		hosts = append(hosts, net.Address(rank).String())
	}
	for rank := range size {
		args := append(arguments(s, size, port), "-ranks="+strconv.Itoa(rank), "-hosts="+strings.Join(hosts, ","),
			fmt.Sprintf("-listen=%v", net.Address(rank)), fmt.Sprintf("-kernel-host=%v", net.Caller()))
		p, err := program.Start(programDir, net.Command(rank, append([]string{path}, args...)...)...)
		if err != nil {
			return nil, nil, errors.Join(err, w.end())
		}
		w.processes = append(w.processes, p)
	}
	if err := w.ready(ctx, port, 1); err != nil {
		return nil, nil, errors.Join(err, w.end())
	}
	return w, net, nil
}
