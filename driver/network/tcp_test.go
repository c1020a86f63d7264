package network_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/driver/network"
	"github.com/cclforge/cclforge/verify/fakecards/kernels"
)

// bufferBytes are those of the buffers of the TCP stack.
const bufferBytes = 64 << 20

// node is a card on TCP.
type node struct {
	*kernels.TCP
	handler *kernels.Handler
	s       *network.Stack
}

func newNode(t *testing.T, w *kernels.Wire) *node {
	n := &node{TCP: w.TCP()}
	n.handler = kernels.NewHandler(n.TCP, 5*time.Second)
	n.s = stack(t, design(t, "u55c_tcp", nil), instances{"poe_0": n.Registers(), "session_handler_0": n.handler})
	return n
}

func tcpConfig(n, local int) network.Config {
	return network.Config{Ranks: members(n), Local: local, Send: 0x18_0000_0000 + uint64(local)<<32,
		Receive: 0x18_0800_0000 + uint64(local)<<32, Timeout: 20 * time.Second}
}

// connection finds the sessions of a connection on the wire.
func connection(w *kernels.Wire, from, to accl.Rank) (out []kernels.Connection) {
	for _, c := range w.Connections() {
		if c.From == from.IP && c.To == to.IP {
			out = append(out, c)
		}
	}
	return out
}

// Ranks come up side by side, in any order. With connections each way there is one for
// each rank to each other one, and each rank is told the session that it has opened.
func TestTCPEachWay(t *testing.T) {
	for seed := range uint64(12) {
		const n = 4
		w := kernels.NewWire(false)
		nodes := make([]*node, n)
		for i := range nodes {
			nodes[i] = newNode(t, w)
			nodes[i].Takes(time.Duration(seed%4) * 7 * time.Millisecond)
		}
		got := make([][]accl.Rank, n)
		errs := make([]error, n)
		within(t, 15*time.Second, func() {
			together(n, seed, 80*time.Millisecond, func(i int) {
				c := tcpConfig(n, i)
				c.Connections = network.EachWay
				got[i], errs[i] = nodes[i].s.Setup(ctx(t), c)
			})
		})
		assert.NilError(t, errors.Join(errs...), "seed %d", seed)
		ranks := members(n)
		if all := w.Connections(); len(all) != n*(n-1) {
			t.Errorf("seed %d: %d connections: %v", seed, len(all), all)
		}
		for i := range n {
			times, ip, board, send, receive := nodes[i].Started()
			c := tcpConfig(n, i)
			assert.Check(t, times == 1 && ip == ranks[i].IP && board == uint32(i) && send == c.Send && receive == c.Receive,
				"rank %d was started %d times, with %v, %d, 0x%X, 0x%X", i, times, ip, board, send, receive)
			ports := 0
			for _, a := range nodes[i].handler.Asked() {
				if a.Operation == 1 {
					if ports++; a.Port != ranks[i].Port {
						t.Errorf("rank %d listens on %d", i, a.Port)
					}
				}
			}
			assert.Check(t, ports == 1, "rank %d has opened %d ports", i, ports)
			for j := range n {
				if j == i {
					continue
				}
				if c := connection(w, ranks[i], ranks[j]); len(c) != 1 || got[i][j].Session != c[0].FromSession {
					t.Errorf("seed %d: rank %d has session %d to rank %d; on the wire are %v", seed, i, got[i][j].Session, j, c)
				}
			}
		}
	}
}

// There is one connection for each pair of ranks, and both ends know it by the number that
// their stack gives it, whatever the order in which they come up.
func TestTCPOncePerPair(t *testing.T) {
	for seed := range uint64(12) {
		n := 2 + int(seed%5)
		w := kernels.NewWire(false)
		nodes := make([]*node, n)
		for i := range nodes {
			nodes[i] = newNode(t, w)
		}
		got := make([][]accl.Rank, n)
		errs := make([]error, n)
		together(n, seed, 100*time.Millisecond, func(i int) {
			got[i], errs[i] = nodes[i].s.Setup(ctx(t), tcpConfig(n, i))
		})
		assert.NilError(t, errors.Join(errs...), "seed %d", seed)
		ranks := members(n)
		if all := w.Connections(); len(all) != n*(n-1)/2 {
			t.Errorf("seed %d: %d connections: %v", seed, len(all), all)
		}
		for i := range n {
			for j := range i {
				c := connection(w, ranks[i], ranks[j])
				if len(c) != 1 || got[i][j].Session != c[0].FromSession || got[j][i].Session != c[0].ToSession {
					t.Errorf("seed %d: ranks %d and %d use sessions %d and %d; on the wire are %v", seed, i, j, got[i][j].Session,
						got[j][i].Session, c)
				}
			}
		}
	}
}

// The highest of three ranks connects to the next one first, and to the other only then.
func TestTCPWithoutTheOthers(t *testing.T) {
	for _, test := range []struct {
		name  string
		there []int // ranks that listen
		want  []fault
		on    int // connections
	}{
		{"both", []int{0, 1}, nil, 2},
		{"not the next one", []int{0}, []fault{{network.ErrConnect, 1, "nobody listens there, or nobody answers"}}, 0},
		{"not the first", []int{1}, []fault{{network.ErrConnect, 0, "session_handler_0"}}, 1},
		{"neither", nil, []fault{{network.ErrConnect, 1, "attempts"}}, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			w := kernels.NewWire(false)
			c := tcpConfig(3, 2)
			for _, i := range test.there {
				alone := network.Config{Ranks: c.Ranks[i : i+1], Receive: bufferBytes, Board: &i}
				_, err := newNode(t, w).s.Setup(ctx(t), alone)
				assert.NilError(t, err)
			}
			c.Timeout = 3 * time.Second // for more than one attempt on a busy machine
			var err error
			within(t, 20*time.Second, func() { _, err = newNode(t, w).s.Setup(ctx(t), c) })
			checkFaults(t, c.Ranks, err, test.want)
			if all := w.Connections(); len(all) != test.on {
				t.Errorf("connections are %v", all)
			}
		})
	}
}

// The buffers lie where the stack's memory ports lead.
func TestTCPBanks(t *testing.T) {
	own := newNode(t, kernels.NewWire(false))
	want := "[{m00_axi HBM 6 6} {m01_axi HBM 6 6}]" // the first bank behind those of the engine
	assert.Check(t, is.Equal(fmt.Sprint(own.s.Banks()), want))
	n := own.s.BufferBytes()
	assert.Check(t, n == bufferBytes, "buffers have %d bytes", n)
}

func TestTCPFaults(t *testing.T) {
	five := 5
	for _, test := range []struct {
		name    string
		prepare func(t *testing.T, w *kernels.Wire, own *node, c *network.Config)
		want    []fault
		check   func(t *testing.T, own *node)
	}{
		{"all is well", func(*testing.T, *kernels.Wire, *node, *network.Config) {}, nil, nil},
		{"a rank that does not listen", func(t *testing.T, w *kernels.Wire, _ *node, c *network.Config) {
			c.Ranks[2].Port = 6000
		}, []fault{{network.ErrConnect, 2, "nobody listens there, or nobody answers"}}, nil},
		{"a rank that is not there", func(_ *testing.T, _ *kernels.Wire, _ *node, c *network.Config) {
			c.Ranks[1].IP = members(9)[8].IP
		}, []fault{{network.ErrConnect, 1, "session_handler_0"}}, nil},
		{"nobody there", func(_ *testing.T, _ *kernels.Wire, _ *node, c *network.Config) {
			c.Ranks[1].IP, c.Ranks[2].Port = members(9)[8].IP, 6000
		}, []fault{{network.ErrConnect, 1, "deadline exceeded"}, {network.ErrConnect, 2, "attempts"}}, nil},
		{"a port that is open already", func(t *testing.T, _ *kernels.Wire, own *node, c *network.Config) {
			write(t, own.Registers(), 0, 1)
			time.Sleep(20 * time.Millisecond)
			assert.NilError(t, own.TCP.OpenPort(t.Context(), c.Ranks[0].Port))
		}, []fault{{network.ErrPort, 0, "the stack does not listen on port 5500; perhaps it has been told to"}}, nil},
		{"a port that is open already, as is known", func(t *testing.T, _ *kernels.Wire, own *node, c *network.Config) {
			write(t, own.Registers(), 0, 1)
			time.Sleep(20 * time.Millisecond)
			assert.NilError(t, own.TCP.OpenPort(t.Context(), c.Ranks[0].Port))
			c.Listening = true
		}, nil, nil},
		{"a stack that does not end its start", func(_ *testing.T, _ *kernels.Wire, own *node,
			_ *network.Config) {
			own.Takes(time.Hour)
		},
			[]fault{{network.ErrBusy, 0, "poe_0: rank 0 at 10.1.212.21:5500: it was started and does not end, after"}}, nil},
		{"a stack that runs from before", func(t *testing.T, _ *kernels.Wire, own *node, _ *network.Config) {
			own.Takes(time.Hour)
			write(t, own.Registers(), 0, 1)
		}, []fault{{network.ErrBusy, 0, "it has been running from before"}}, nil},
		{"a session handler that does not end", func(_ *testing.T, _ *kernels.Wire, own *node,
			_ *network.Config) {
			own.handler.Hang()
		},
			[]fault{{network.ErrBusy, 0, "session_handler_0: rank 0"}}, nil},
		{"a number of the board", func(_ *testing.T, _ *kernels.Wire, _ *node, c *network.Config) { c.Board = &five }, nil,
			func(t *testing.T, own *node) {
				_, _, board, _, _ := own.Started()
				assert.Check(t, board == 5, "it is number %d", board)
			}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			w := kernels.NewWire(false)
			own := newNode(t, w)
			for i := 1; i < 3; i++ { // the others listen, and connect to nobody
				c := tcpConfig(3, i)
				peer := newNode(t, w)
				if _, err := peer.s.Setup(ctx(t), network.Config{Ranks: c.Ranks[i : i+1], Send: c.Send, Receive: c.Receive,
					Board: &i}); err != nil {
					t.Fatal(err)
				}
			}
			c := tcpConfig(3, 0)
			c.Connections = network.EachWay // so that it connects to both
			c.Timeout = 400 * time.Millisecond
			test.prepare(t, w, own, &c)
			var err error
			within(t, 5*time.Second, func() { _, err = own.s.Setup(ctx(t), c) })
			checkFaults(t, c.Ranks, err, test.want)
			if test.check != nil {
				test.check(t, own)
			}
		})
	}
}
