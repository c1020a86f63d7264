package network_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cclforge/cclforge/driver/layout"
	"github.com/cclforge/cclforge/driver/network"
)

func TestUDPState(t *testing.T) {
	r := newRig(t, false)
	d := design(t, "u55c_udp", nil)
	_, err := stack(t, d, instances{"poe_0": r.own.Registers(), "cmac": r.own.Ethernet}).Setup(ctx(t), r.c)
	check(t, err)
	s := stack(t, d, instances{"poe_0": readers{r.own.Registers()}, "cmac": readers{r.own.Ethernet}})
	st, err := s.State(ctx(t))
	check(t, err)
	if st.Kind != "udp" || st.Instance != "poe_0" || st.IP != r.c.Ranks[0].IP || st.MAC != "00:0a:35:02:9d:15" ||
		st.MaskBits != 24 ||
		st.Gateway.String() != "10.1.212.1" || st.SocketTable != 16 {
		t.Errorf("%+v", st)
	}
	if got := fmt.Sprint(st.Sockets); got != "[{1 10.1.212.22:5501 5500} {2 10.1.212.23:5502 5500}]" {
		t.Errorf("sockets %s", got)
	}
	if got := fmt.Sprint(st.Neighbors); got != "[{10.1.212.22 00:0a:35:02:9d:16} {10.1.212.23 00:0a:35:02:9d:17}]" {
		t.Errorf("neighbours %s", got)
	}
	if l := st.Link; l == nil || !l.Up || l.FEC || !l.Sending || strings.Join(l.Says, " ") != "status aligned" ||
		l.Instance != "cmac" {
		t.Errorf("link %+v", l)
	}
	r.own.Ethernet.Cut(true)
	if st, err = s.State(ctx(t)); err != nil || st.Link.Up || strings.Join(st.Link.Says, " ") != "local_fault" {
		t.Errorf("%+v, %v", st.Link, err)
	}
}

// readers are registers that are not written: a state is had without.
type readers struct{ layout.Registers }

func (r readers) Write(_ context.Context, offset, _ uint32) error {
	return fmt.Errorf("0x%X is written", offset)
}

func TestFind(t *testing.T) {
	for _, test := range []struct {
		platform string
		engine   int
		want     string
	}{
		{"u55c_udp", 0, "udp poe_0"}, {"u55c_tcp", 0, "tcp poe_0"}, {"u55c_axis3x", 2, "axis poe_2"},
		{"u55c_rdma", 0, "rdma poe_0"}, {"u55c_udp", 1, ""},
	} {
		kind, instance, err := network.Find(design(t, test.platform, nil), test.engine)
		if got := kind + " " + instance; (err == nil) != (test.want != "") || err == nil && got != test.want || err != nil &&
			!errors.Is(err, network.ErrDesign) {
			t.Errorf("%s %d: %q, %v", test.platform, test.engine, got, err)
		}
	}
}

// Set-ups of one stack come one after the other; its status can be read beside them.
func TestUDPSideBySide(t *testing.T) {
	r := newRig(t, false)
	s := stack(t, design(t, "u55c_udp", nil), instances{"poe_0": r.own.Registers(), "cmac": r.own.Ethernet})
	var group sync.WaitGroup
	group.Go(func() {
		for range 20 {
			if _, err := s.State(ctx(t)); err != nil {
				t.Error(err)
			}
		}
	})
	c := r.c
	c.Timeout = 10 * time.Second
	for range 2 {
		group.Go(func() {
			if _, err := s.Setup(ctx(t), c); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	// One that waits for another ends with its own limit.
	r.others[1].Silence(-1)
	first, cancel := context.WithCancel(ctx(t))
	defer cancel()
	asked := make(chan struct{})
	c.Progress = func(s network.Step) {
		if s == network.StepARP {
			close(asked)
		}
	}
	group.Go(func() {
		if _, err := s.Setup(first, c); !errors.Is(err, network.ErrSilent) {
			t.Error(err)
		}
	})
	<-asked
	c.Progress, c.Timeout = nil, 50*time.Millisecond
	_, err := s.Setup(ctx(t), c)
	checkFaults(t, c.Ranks, err, []fault{{network.ErrBusy, 0, "it is being set up"}})
	cancel()
	group.Wait()
}

// Whoever looks at the state of a MAC takes what it has kept of the past: who waits for a
// steady link hears of it all the same.
func TestStateWhileALinkIsAwaited(t *testing.T) {
	r := newRig(t, false)
	r.c.Timeout = 500 * time.Millisecond
	s := stack(t, design(t, "u55c_udp", nil), instances{"poe_0": r.own.Registers(), "cmac": r.own.Ethernet})
	over, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		for {
			r.own.Ethernet.Cut(true)
			r.own.Ethernet.Cut(false)
			if _, err := s.State(t.Context()); err != nil {
				t.Error(err)
			}
			select {
			case <-over:
				return
			case <-time.After(5 * time.Millisecond):
			}
		}
	}()
	_, err := s.Setup(ctx(t), r.c)
	close(over)
	<-ended
	checkFaults(t, r.c.Ranks, err, []fault{{network.ErrLink, 0, "the link is not up after"}})
	r.c.Timeout = 5 * time.Second
	if _, err := s.Setup(ctx(t), r.c); err != nil {
		t.Error(err)
	}
}
