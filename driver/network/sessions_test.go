package network_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/driver/layout"
	"github.com/cclforge/cclforge/driver/network"
	"github.com/cclforge/cclforge/verify/fakecards/kernels"
)

// What the session handler still does when the time is over counts later: nothing is
// opened twice.
func TestTCPGoesOnWhereItWasGivenUp(t *testing.T) {
	w := kernels.NewWire(false)
	own, peer := newNode(t, w), newNode(t, w)
	only := tcpConfig(2, 1)
	if _, err := peer.s.Setup(ctx(t), network.Config{Ranks: only.Ranks[1:], Send: only.Send,
		Receive: only.Receive}); err != nil {
		t.Fatal(err)
	}
	c := tcpConfig(2, 0)
	c.Connections = network.EachWay // so that it has both to do
	c.Timeout = 200 * time.Millisecond
	for attempt, operation := range []uint32{1, 2} { // first the port, then the connection
		peer.Answers(time.Duration(attempt) * 400 * time.Millisecond)
		end := func() {}
		if operation == 1 {
			end = own.handler.Hang()
		}
		_, err := own.s.Setup(ctx(t), c)
		got := all(err)
		if len(got) == 0 || !errors.Is(err, network.ErrBusy) {
			t.Fatalf("attempt %d: %v", attempt, err)
		}
		if operation == 2 && (got[0].Kind != network.ErrConnect || got[0].Rank != 1) {
			t.Errorf("%v does not name rank 1", err)
		}
		end()
	}
	peer.Answers(0)
	c.Timeout = 10 * time.Second
	got, err := own.s.Setup(ctx(t), c)
	assert.NilError(t, err)
	var operations []uint32
	for _, a := range own.handler.Asked() {
		operations = append(operations, a.Operation)
	}
	assert.Check(t, slices.Equal(operations, []uint32{1, 2}), "the session handler was asked for %v", operations)
	links := w.Connections()
	assert.Check(t, len(links) == 1 && links[0].FromSession == got[1].Session,
		"connections %v, session %d", links, got[1].Session)
	// Once more: all of it is there.
	again, err := own.s.Setup(ctx(t), c)
	assert.Check(t, err == nil && again[1].Session == got[1].Session && len(w.Connections()) == 1,
		"%v, %v, connections %v", again, err, w.Connections())
	st, err := own.s.Status(ctx(t))
	want := fmt.Sprintf("[{10.1.212.22:5501 %d}]", got[1].Session)
	assert.Check(t, err == nil && fmt.Sprint(st.Sessions) == want && st.IP == c.Ranks[0].IP && st.Link == nil,
		"%+v, %v", st, err)
	err = own.s.CloseConnections(ctx(t))
	assert.Check(t, err == nil && len(w.Connections()) == 0, "%v, connections %v", err, w.Connections())
	_, err = own.s.Setup(ctx(t), c)
	assert.Check(t, err == nil && len(w.Connections()) == 1, "after closing: %v, connections %v", err, w.Connections())
}

// once fails the first time that a register is read.
type once struct {
	layout.Registers
	at     uint32
	failed bool
}

func (o *once) Read(ctx context.Context, offset uint32) (uint32, error) {
	if offset == o.at && !o.failed {
		o.failed = true
		return 0, errBus
	}
	return o.Registers.Read(ctx, offset)
}

// An answer of the session handler that could not be read counts when it can be.
func TestAnswersThatCannotBeRead(t *testing.T) {
	const session, code = 0x28, 0x30
	for name, test := range map[string]struct{ opening, closing uint32 }{
		"the code of an opening":  {code, 0},
		"the session":             {session, 0},
		"the code of the closing": {0, code},
	} {
		t.Run(name, func(t *testing.T) {
			w := kernels.NewWire(false)
			own, peer := w.TCP(), newNode(t, w)
			only := tcpConfig(2, 1)
			if _, err := peer.s.Setup(ctx(t), network.Config{Ranks: only.Ranks[1:], Send: only.Send,
				Receive: only.Receive}); err != nil {
				t.Fatal(err)
			}
			handler := kernels.NewHandler(own, time.Second)
			fails := &once{Registers: handler, at: ^uint32(0)}
			s := stack(t, design(t, "u55c_tcp", nil), instances{"poe_0": own.Registers(), "session_handler_0": fails})
			c := tcpConfig(2, 0)
			if _, err := s.Setup(ctx(t), network.Config{Ranks: c.Ranks[:1], Send: c.Send, Receive: c.Receive, Listening: true,
				Connections: network.EachWay}); err != nil {
				t.Fatal(err)
			}
			again := func(at uint32, do func() error) {
				t.Helper()
				fails.at, fails.failed = ^uint32(0), false
				if at != 0 {
					fails.at = at
					assert.ErrorIs(t, do(), errBus)
				}
				assert.NilError(t, do())
			}
			again(test.opening, func() error {
				_, err := s.OpenConnection(ctx(t), 10<<24|1<<16|212<<8|22, 5501)
				return err
			})
			links := w.Connections()
			assert.Check(t, len(links) == 1, "connections %v", links)
			again(test.closing, func() error { return s.CloseConnections(ctx(t)) })
			if links := w.Connections(); len(links) != 0 || len(handler.Asked()) != 2 {
				t.Errorf("connections %v, the session handler was asked for %v", links, handler.Asked())
			}
		})
	}
}

// The stack opens sessions for drivers, too.
func TestSessionOpener(t *testing.T) {
	w := kernels.NewWire(false)
	a, b := newNode(t, w), newNode(t, w)
	for i, n := range []*node{a, b} {
		c := tcpConfig(2, i)
		if _, err := n.s.Setup(ctx(t), network.Config{Ranks: c.Ranks[i : i+1], Send: c.Send, Receive: c.Receive,
			Listening: true, Connections: network.EachWay}); err != nil {
			t.Fatal(err)
		}
	}
	var opener accl.SessionOpener = a.s
	ip := uint32(10<<24 | 1<<16 | 212<<8 | 22)
	_, err := opener.OpenConnection(ctx(t), ip, 5501)
	assert.Check(t, errors.Is(err, network.ErrConnect), "before it listens: %v", err)
	assert.NilError(t, b.s.OpenPort(ctx(t), 5501))
	session, err := opener.OpenConnection(ctx(t), ip, 5501)
	if c := w.Connections(); err != nil || len(c) != 1 || c[0].FromSession != session || session != 1 { // 0 was refused
		t.Errorf("session %d, %v, connections %v", session, err, c)
	}
	assert.Check(t, is.ErrorIs(a.s.OpenPort(ctx(t), 40000), network.ErrPort), "a port above the limit")
	c, cancel := context.WithCancel(t.Context())
	cancel()
	begin := time.Now()
	_, err = opener.OpenConnection(c, ip, 5599)
	if !errors.Is(err, context.Canceled) || time.Since(begin) > 10*time.Second {
		t.Errorf("%v after %v", err, time.Since(begin))
	}
}

// Where the engine opens sessions itself, the stack is only started.
func TestEngineSessions(t *testing.T) {
	own := kernels.NewWire(false).TCP()
	s := stack(t, design(t, "u280_2022", nil), instances{"poe_0": own.Registers()})
	c := tcpConfig(3, 1)
	got, err := s.Setup(ctx(t), c)
	if times, ip, _, _, _ := own.Started(); err != nil || times != 1 || ip != c.Ranks[1].IP || len(got) != 3 {
		t.Errorf("%v, %v, started %d times at %v", got, err, times, ip)
	}
}
