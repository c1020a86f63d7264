package server_test

import (
	"fmt"
	"net"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/go-zeromq/zmq4"
	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"github.com/cclforge/cclforge/driver/sim"
	"github.com/cclforge/cclforge/gen/designtest"
	"github.com/cclforge/cclforge/verify/server"
	"github.com/cclforge/cclforge/verify/server/host"
	"github.com/cclforge/cclforge/verify/world"
)

// Ports that are in use are named, and which socket of which rank wants them;
// nothing is left bound.
func TestPortsInUse(t *testing.T) {
	d := designtest.Load(t, "u55c_tcp", nil)
	w, err := world.New(t.Context(), d, 1, world.Options{})
	assert.NilError(t, err)
	defer w.Close()
	for what, port := range map[string]int{"command": 2, "kernel output": 3*2 + 2} {
		base, err := host.FreePorts(12)
		assert.NilError(t, err)
		l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", base+port))
		assert.NilError(t, err)
		o := server.Options{Endpoints: sim.Endpoints{Port: base, Ranks: 3}}
		_, err = server.New(w.Engine(0), d, 2, o)
		assert.ErrorIs(t, err, syscall.EADDRINUSE, "%s", what)
		for _, text := range []string{what, "rank 2", fmt.Sprint(base + port)} {
			assert.Check(t, is.Contains(err.Error(), text), "%v: it does not name", err)
		}
		l.Close()
		s, err := server.New(w.Engine(0), d, 2, o)
		assert.NilError(t, err, "%s: with the port free again", what)
		assert.NilError(t, s.Close())
		assert.Check(t, s.Close(), "closing again")
	}
	for _, o := range []server.Options{
		{Endpoints: sim.Endpoints{Port: 65530, Ranks: 4}},
		{Endpoints: sim.Endpoints{Port: 20000, Ranks: 1}},
		{Listen: "no such host", Endpoints: sim.Endpoints{Port: 20000, Ranks: 4}},
	} {
		if s, err := server.New(w.Engine(0), d, 2, o); err == nil {
			t.Errorf("%+v: no error", o)
			s.Close()
		}
	}
}

// Servers listen on the loopback address unless they are told otherwise.
func TestListensOnLoopback(t *testing.T) {
	s := start(t, "u55c_tcp", nil, options{ranks: 1})
	addresses, err := net.InterfaceAddrs()
	assert.NilError(t, err)
	for _, a := range addresses {
		ip, _, err := net.ParseCIDR(a.String())
		if err != nil || ip.IsLoopback() || ip.To4() == nil {
			continue
		}
		for _, port := range []int{s.base, s.base + 2} {
			if c, err := net.DialTimeout("tcp", net.JoinHostPort(ip.String(), fmt.Sprint(port)), time.Second); err == nil {
				t.Errorf("%v: it listens there", c.RemoteAddr())
				c.Close()
			}
		}
	}
}

// Close ends clients in every state, and nothing of the server is left.
func TestCloseEndsEverything(t *testing.T) {
	s := startDesign(t, design2022(t, "u280_2022"), options{ranks: 2})
	clients := s.all(t, false)
	together(t, "configure", clients, (*client).tables2022)
	c := clients[0]
	var waiting sync.WaitGroup
	recv := call{scenario: opRecv, count: 1, comm: c.comm, peer: 1, tag: tagAny, arith: c.float}
	for range 2 {
		other := s.client(t, 0, false)
		waiting.Go(func() {
			a, err := other.request(recv.message())
			if err == nil && (*a.Status >= 0 || !strings.Contains(a.Error, "closing")) {
				t.Errorf("a call that had not ended was answered: %v", a)
			}
		})
	}
	named := dial(t, s.command(0), zmq4.NewDealer)
	for i := range 600 { // more than may be open
		assert.NilError(t, named.SendMulti(zmq4.NewMsgFrom([]byte(fmt.Sprint(i)), nil, []byte(text(recv.message())))))
	}
	idle := dial(t, s.kernelOut(0), zmq4.NewSub)
	assert.NilError(t, idle.SetOption(zmq4.OptionSubscribe, ""))
	silent, err := net.Dial("tcp", strings.TrimPrefix(s.command(0), "tcp://"))
	assert.NilError(t, err)
	defer silent.Close()
	waitFor(t, "the calls", func() bool { return s.servers[0].Health().CallsOpen == 2+512 })
	begin := time.Now()
	assert.NilError(t, s.stop())
	took := time.Since(begin)
	assert.Check(t, took <= 10*time.Second, "it took %v", took)
	waiting.Wait()
	var left string
	waitFor(t, "the end of all goroutines", func() bool {
		left = goroutines("verify/server.", "driver/sim/zmq.")
		return left == "" || time.Since(begin) > 10*time.Second
	})
	assert.Check(t, is.Equal(left, ""), "still there")
	_, err = net.Dial("tcp", strings.TrimPrefix(s.command(0), "tcp://"))
	assert.Check(t, err != nil, "it still listens")
}

// goroutines are the stacks that have one of the texts.
func goroutines(texts ...string) string {
	stacks := make([]byte, 4<<20)
	var found []string
	for _, stack := range strings.Split(string(stacks[:runtime.Stack(stacks, true)]), "\n\n") {
		for _, text := range texts {
			if strings.Contains(stack, text) {
				found = append(found, stack)
				break
			}
		}
	}
	return strings.Join(found, "\n\n")
}

// The engine dies while clients wait: they are told so, and the server goes on
// telling.
func TestEngineIsClosed(t *testing.T) {
	s := start(t, "u55c_tcp", nil, options{ranks: 1})
	c := s.client(t, 0, true)
	c.begin(call{scenario: opNop})
	assert.NilError(t, c.err)
	assert.NilError(t, s.World.Close())
	for range 3 {
		for i, m := range []message{{"type": 0, "addr": 0}, {"type": 1, "addr": 0, "wdata": 1},
			call{scenario: opNop}.with(0)} {
			if a, err := c.request(m); err != nil || *a.Status != []int{6, 6, -6}[i] || !strings.Contains(a.Error, "closed") {
				t.Errorf("%v: %v, %v", m, a, err)
			}
		}
	}
}

func (c call) with(ctrl int) message {
	m := c.message()
	m["ctrl_id"] = ctrl
	return m
}

func TestHealth(t *testing.T) {
	s := start(t, "u55c_tcp", nil, options{ranks: 1})
	c := s.client(t, 0, true)
	c.allocate(4096, false)
	c.store(0, make([]byte, 100), false)
	c.load(0, 50, false)
	c.read(0)
	c.begin(call{scenario: opNop})
	assert.NilError(t, c.err)
	_, err := c.ask([]byte("nonsense"))
	assert.NilError(t, err)
	h := s.servers[0].Health()
	want := server.Requests{MMIORead: 1, MemoryRead: 1, MemoryWrite: 1, MemoryAllocate: 1, Call: 1}
	if h.Clients != 1 || h.CallsOpen != 1 || h.Refused != 1 || h.BytesIn != 100 || h.BytesOut != 50 ||
		h.Requests != want || h.Failure != "" {
		t.Errorf("%+v", h)
	}
}
