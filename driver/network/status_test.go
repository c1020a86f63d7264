package network_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"github.com/cclforge/cclforge/driver/layout"
	"github.com/cclforge/cclforge/driver/network"
)

func TestUDPStatus(t *testing.T) {
	r := newRig(t, false)
	s := stack(t, design(t, "u55c_udp", nil), instances{"poe_0": r.own.Registers(), "cmac": r.own.Ethernet})
	_, err := s.Setup(ctx(t), r.c)
	assert.NilError(t, err)
	r.own.Ethernet.Count(0x500, 1<<40+5) // packets sent
	r.own.Ethernet.Count(0x6D0, 3)       // stomped
	st, err := s.Status(ctx(t))
	assert.NilError(t, err)
	if st.Kind != "udp" || st.Instance != "poe_0" || st.IP != r.c.Ranks[0].IP || st.MAC != "00:0a:35:02:9d:15" ||
		st.MaskBits != 24 ||
		st.Gateway.String() != "10.1.212.1" || st.SocketTable != 16 {
		t.Errorf("%+v", st)
	}
	assert.Check(t, is.Equal(fmt.Sprint(st.Sockets), "[{1 10.1.212.22:5501 5500} {2 10.1.212.23:5502 5500}]"))
	got := fmt.Sprint(st.Neighbors)
	assert.Check(t, got == "[{10.1.212.22 00:0a:35:02:9d:16} {10.1.212.23 00:0a:35:02:9d:17}]", "neighbours %s", got)
	if l := st.Link; l == nil || !l.Up || l.FEC || !l.Sending || strings.Join(l.Says, " ") != "status aligned" ||
		l.Instance != "cmac" {
		t.Errorf("link %+v", l)
	}
	counters := func(st network.Status) map[string]uint64 {
		out := map[string]uint64{}
		for _, c := range append(st.Link.Counters, st.Counters...) {
			out[c.Name] = c.Value
		}
		return out
	}
	if c := counters(st); c["stat_tx_total_packets"] != 1<<40+5 || c["stat_rx_stomped_fcs"] != 3 || len(c) != 50+36 {
		t.Errorf("%d counters: %v", len(c), c)
	}
	// The MAC counts from one reading to the next.
	if st, err = s.Status(ctx(t)); err != nil || counters(st)["stat_tx_total_packets"] != 0 {
		t.Errorf("%v, %v", counters(st), err)
	}
	r.own.Ethernet.Cut(true)
	if st, err = s.Status(ctx(t)); err != nil || st.Link.Up || strings.Join(st.Link.Says, " ") != "local_fault" {
		t.Errorf("%+v, %v", st.Link, err)
	}
}

// readers are registers that are not written.
type readers struct{ layout.Registers }

func (r readers) Write(_ context.Context, offset, _ uint32) error {
	return fmt.Errorf("0x%X is written", offset)
}

// A state is had without writing, and without taking what was counted.
func TestState(t *testing.T) {
	r := newRig(t, false)
	d := design(t, "u55c_udp", nil)
	if _, err := stack(t, d, instances{"poe_0": r.own.Registers(), "cmac": r.own.Ethernet}).Setup(ctx(t),
		r.c); err != nil {
		t.Fatal(err)
	}
	r.own.Ethernet.Count(0x500, 5)
	s := stack(t, d, instances{"poe_0": readers{r.own.Registers()}, "cmac": readers{r.own.Ethernet}})
	got, err := s.State(ctx(t))
	assert.NilError(t, err)
	_, err = s.Status(ctx(t))
	assert.Check(t, err != nil, "a status writes nothing")
	want, err := stack(t, d, instances{"poe_0": r.own.Registers(), "cmac": r.own.Ethernet}).Status(ctx(t))
	if err != nil || !slices.Contains(want.Link.Counters, network.Counter{Name: "stat_tx_total_packets", Value: 5}) {
		t.Errorf("%v, %v", want.Link.Counters, err)
	}
	want.Link.Counters = nil
	assert.Check(t, reflect.DeepEqual(got, want) && got.Link.Up && len(got.Sockets) == 2,
		"the state is %+v, and the status %+v", got, want)
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
			_, err := s.Status(ctx(t))
			assert.Check(t, err)
		}
	})
	c := r.c
	c.Timeout = 10 * time.Second
	for range 2 {
		group.Go(func() {
			_, err := s.Setup(ctx(t), c)
			assert.Check(t, err)
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
		_, err := s.Setup(first, c)
		assert.Check(t, errors.Is(err, network.ErrSilent), "%v", err)
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
			_, err := s.State(t.Context())
			assert.Check(t, err)
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
	_, err = s.Setup(ctx(t), r.c)
	assert.Check(t, err)
}
