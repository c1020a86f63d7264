package conformance_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/gen/design"
	"github.com/cclforge/cclforge/verify/internal/ranktest"
	"github.com/cclforge/cclforge/verify/server/host"
)

// size is how many ranks worlds have that are kept: more than most tests want, so
// that these can share them.
func size(s *setup) int { return max(s.ranks, 6) }

// mpi has a process for each rank, started by mpirun, on real sockets.
type mpi struct{ *shelf }

func newMPI() mpi { return mpi{new(shelf)} }

func (mpi) name() string                { return "mpirun" }
func (mpi) loses(p *accl.Platform) bool { return p.Stack == "udp" }
func (mpi) keeps() bool                 { return true }

func (m mpi) open(ctx context.Context, t *testing.T, d *design.Design, s *setup) (*reach, error) {
	mpirun, err := exec.LookPath("mpirun")
	if err != nil {
		t.Skip("mpirun is missing: apt-get install openmpi-bin")
	}
	unplaced(t, s, 16)
	n := size(s)
	return m.lend(ctx, d, s, strings.Join(arguments(s, n, 0), " "), func() (*placed, error) {
		port, err := host.FreePorts(host.PortsPerRank * n)
		if err != nil {
			return nil, err
		}
		command := []string{mpirun, "--oversubscribe", "--bind-to", "none", "-np", strconv.Itoa(n)}
		if os.Geteuid() == 0 {
			command = append(command, "--allow-run-as-root")
		}
		// An mpirun that loses its parent leaves its children alone.
		if path, err := exec.LookPath("setpriv"); err == nil {
			command = append(command, path, "--pdeathsig", "TERM")
		}
		p, err := start(command, arguments(s, n, port)...)
		if err != nil {
			return nil, err
		}
		w := &placed{size: n, processes: []*ranktest.Process{p}, launched: true}
		if err := w.ready(ctx, port, n); err != nil {
			return nil, errors.Join(err, w.end())
		}
		return w, nil
	})
}

// processes has a process for each rank, on real sockets, as on hosts of their own: each
// at another address of the loopback device. Each can end alone.
type processes struct{ *shelf }

func newProcesses() processes { return processes{new(shelf)} }

func (processes) name() string                { return "processes" }
func (processes) loses(p *accl.Platform) bool { return p.Stack == "udp" }
func (processes) keeps() bool                 { return true }

func (l processes) open(ctx context.Context, t *testing.T, d *design.Design, s *setup) (*reach, error) {
	unplaced(t, s, 16)
	n := size(s)
	key := strings.Join(arguments(s, n, 0), " ")
	port := 0
	var hosts []string
	for rank := range n {
		hosts = append(hosts, fmt.Sprintf("127.0.1.%d", 1+rank))
	}
	one := func(rank int) (*ranktest.Process, error) {
		return start(nil, append(arguments(s, n, port), "--ranks="+strconv.Itoa(rank), "--hosts="+strings.Join(hosts, ","),
			"--listen="+hosts[rank], "--kernel-host=127.0.0.1")...)
	}
	r, err := l.lend(ctx, d, s, key, func() (w *placed, err error) {
		if port, err = host.FreePorts(host.PortsPerRank * n); err != nil {
			return nil, err
		}
		return startAll(ctx, n, port, one)
	})
	if err != nil {
		return nil, err
	}
	w := l.worlds[key]
	r.kill = func(rank int) error {
		w.processes[rank].Kill()
		return nil
	}
	r.revive = func(rank int) error {
		port = w.clients[rank].Port
		if w.processes[rank], err = one(rank); err != nil {
			return err
		}
		if _, err = w.processes[rank].Ready(ctx, 1); err != nil {
			return err
		}
		if err := r.devices[rank].Close(); err != nil {
			return err
		}
		r.devices[rank], err = w.openRank(ctx, d, rank)
		return err
	}
	return r, nil
}

func startAll(ctx context.Context, n, port int, one func(rank int) (*ranktest.Process, error)) (*placed, error) {
	w := &placed{size: n}
	for rank := range n {
		p, err := one(rank)
		if err != nil {
			return nil, errors.Join(err, w.end())
		}
		w.processes = append(w.processes, p)
	}
	if err := w.ready(ctx, port, 1); err != nil {
		return nil, errors.Join(err, w.end())
	}
	return w, nil
}
