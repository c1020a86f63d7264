package server_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-zeromq/zmq4"
	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"github.com/cclforge/cclforge/gen/designtest"
)

func waitFor(t *testing.T, what string, done func() bool) {
	t.Helper()
	for end := time.Now().Add(10 * time.Second); !done(); {
		assert.Assert(t, time.Now().Before(end), "%s: not within 10 s", what)
		time.Sleep(time.Millisecond)
	}
}

// Calls of a controller whose completions nobody takes are bounded.
func TestCallsAreBounded(t *testing.T) {
	s := start(t, "u55c_tcp", nil, options{ranks: 1})
	c := s.client(t, 0, true)
	const bound = 4096
	for range bound {
		c.begin(call{scenario: opNop})
	}
	assert.NilError(t, c.err)
	m := call{scenario: opNop}.message()
	m["ctrl_id"] = 0
	a, err := c.request(m)
	assert.Check(t, err == nil && *a.Status < 0 && strings.Contains(a.Error, "4096"), "one call more: %v, %v", a, err)
	m["ctrl_id"] = 1
	a, err = c.request(m)
	assert.Check(t, err == nil && *a.Status == 0, "a call of another controller: %v, %v", a, err)
	got := s.servers[0].Health().CallsOpen
	assert.Check(t, got == bound+1, "%d calls are open", got)
	assert.Check(t, is.Equal(c.finish(), uint32(0)), "return code")
	c.do(call{scenario: opNop}) // there is room for one
	assert.Check(t, c.err)
}

// A reset ends the calls before it, also its own client's, and all are answered.
func TestResetAnswersCalls(t *testing.T) {
	s := start(t, "u55c_tcp", nil, options{ranks: 2})
	clients := s.all(t, true)
	together(t, "configure", clients, (*client).configure2024)
	c := clients[0]
	for range 3 {
		c.begin(call{scenario: opRecv, count: 10, comm: c.comm, peer: 1, tag: 3, arith: c.float})
	}
	begin := time.Now()
	for range 10 { // they are not answered before something has ended, but not late
		a, err := c.request(message{"type": 6, "ctrl_id": 0})
		assert.Check(t, err == nil && *a.Status == 1, "call wait: %v, %v", a, err)
	}
	took := time.Since(begin)
	assert.Check(t, took <= 5*time.Second, "ten call waits took %v", took)
	c.begin(call{scenario: opConfig, function: resetPeriph})
	for i, want := range []uint32{1 << 31, 1 << 31, 1 << 31, 0} {
		if code := c.finish(); code != want || c.err != nil {
			t.Errorf("call %d: return code %#x, and not %#x: %v", i, code, want, c.err)
		}
	}
}

// Two clients that wait for calls of one controller get each completion once, in
// order.
func TestCompletionsGoToOneOfSeveralClients(t *testing.T) {
	s := start(t, "u55c_tcp", nil, options{ranks: 1})
	first := s.client(t, 0, true)
	const n = 200
	for i := range n {
		k := call{scenario: opNop}
		if i%2 != 0 {
			k = call{scenario: 99} // fails with COLLECTIVE_NOT_IMPLEMENTED
		}
		first.begin(k)
	}
	assert.NilError(t, first.err)
	var wg sync.WaitGroup
	var mu sync.Mutex
	codes := map[uint32]int{}
	for range 3 {
		c := s.client(t, 0, true)
		wg.Go(func() {
			for {
				a, err := c.request(message{"type": 6, "ctrl_id": 0})
				if err != nil {
					t.Error(err)
					return
				}
				if *a.Status < 0 {
					return // nothing is left
				}
				if *a.Status == 0 {
					mu.Lock()
					codes[*a.RetCode]++
					mu.Unlock()
				}
			}
		})
	}
	wg.Wait()
	assert.Check(t, codes[0] == n/2 && codes[1<<14] == n/2 && len(codes) == 2, "completions by return code: %v", codes)
}

// Each client reads its own return code, whatever other controllers do, and whoever
// has none reads the last one.
func TestEachClientReadsItsReturnCode(t *testing.T) {
	s := start(t, "u55c_tcp", nil, options{ranks: 1})
	a, b, c := s.client(t, 0, true), s.client(t, 0, true), s.client(t, 0, true)
	b.ctrl = 1
	a.begin(call{scenario: 99})
	b.begin(call{scenario: opNop})
	code := a.finish()
	assert.Check(t, code == 1<<14, "return code %#x, and the operation is unknown", code)
	code = b.finish()
	assert.Check(t, code == 0, "return code %#x of a nop", code)
	for _, reader := range []struct {
		c    *client
		want uint32
	}{{a, 1 << 14}, {b, 0}, {c, 0}} {
		if got := reader.c.read(0x1FFC); got != reader.want || reader.c.err != nil {
			t.Errorf("return code %#x, and not %#x: %v", got, reader.want, reader.c.err)
		}
	}
	// A driver that reads the word over another connection than that of its calls.
	a.begin(call{scenario: 99})
	a.begin(call{scenario: opNop})
	b.do(call{scenario: opNop}) // these two have ended then, too
	for _, want := range []uint32{1 << 14, 0} {
		if code := a.finish(); code != want || c.read(0x1FFC) != want {
			t.Errorf("return code %#x, over the other connection %#x, and not %#x", code, c.read(0x1FFC), want)
		}
	}
	assert.Check(t, is.Equal(a.code(call{scenario: 99}), uint32(1<<14)), "return code")
	// Another connection of the same driver has taken a later completion.
	c.do(call{scenario: opNop})
	got := a.read(0x1FFC)
	assert.Check(t, got == 0, "return code %#x after another call", got)
	assert.Check(t, is.Equal(a.code(call{scenario: 99}), uint32(1<<14)), "return code")
	a.write(0x1FFC, 77)
	got = a.read(0x1FFC)
	assert.Check(t, got == 77, "the word is %d, and 77 was written", got)
}

// A client whose envelopes tell its requests apart gets answers as calls end; one
// whose envelopes do not gets them in order.
func TestBlockingCallsOfOneConnection(t *testing.T) {
	s := startDesign(t, design2022(t, "u280_2022"), options{ranks: 2})
	clients := s.all(t, false)
	together(t, "configure", clients, (*client).tables2022)
	c := clients[0]
	out := c.allocate(64, false)
	in := clients[1].floats(elements(1, 10), false)
	send := func() {
		clients[1].do(call{scenario: opSend, count: 10, comm: c.comm, tag: tagAny, arith: c.float, op0: in})
		assert.NilError(t, clients[1].err)
	}
	recv := text(call{scenario: opRecv, count: 10, comm: c.comm, peer: 1, tag: tagAny, arith: c.float, res: out}.message())
	nop := text(call{scenario: opNop}.message())
	const read = `{"type": 0, "addr": 0}`

	named := dial(t, s.command(0), zmq4.NewDealer)
	ask := func(p *peer, frames ...string) {
		t.Helper()
		var m zmq4.Msg
		for _, f := range frames {
			m.Frames = append(m.Frames, []byte(f))
		}
		assert.NilError(t, p.SendMulti(m))
	}
	expect := func(p *peer, envelope ...string) {
		t.Helper()
		frames, err := p.receive()
		assert.Assert(t, err == nil && len(frames) == len(envelope)+1 && string(frames[0]) == envelope[0],
			"%q: %q, %v", envelope, frames, err)
		a, err := parse(frames[len(frames)-1])
		assert.Assert(t, err == nil && *a.Status == 0, "%q: %v, %v", envelope, a, err)
	}
	ask(named, "1", "", recv)
	ask(named, "2", "", nop)
	expect(named, "2", "")
	ask(named, "3", "", read)
	expect(named, "3", "")
	send()
	expect(named, "1", "")

	plain := dial(t, s.command(0), zmq4.NewDealer)
	ask(plain, "", recv)
	ask(plain, "", read)
	waitFor(t, "the call", func() bool { return s.servers[0].Health().CallsOpen == 1 })
	send()
	frames, err := plain.receive()
	assert.Check(t, err == nil && len(frames) == 2 && strings.Contains(string(frames[1]), "retcode"),
		"the first reply is %q, and not that of the call: %v", frames, err)
	if frames, err = plain.receive(); err != nil || len(frames) != 2 || !strings.Contains(string(frames[1]), "rdata") {
		t.Errorf("the second reply is %q, and not that of the MMIO read: %v", frames, err)
	}

	// Many at a time, each started before what follows it is read.
	const many = 100
	for i := range many {
		ask(named, fmt.Sprint(i), "", recv)
	}
	ask(named, "last", "", read)
	expect(named, "last", "")
	for i := range many {
		send()
		expect(named, fmt.Sprint(i), "")
	}
}

// TestClientsOfAnotherGeneration plays each kind of client on each kind of
// platform. Those that do not fit are told so at their first call.
func TestClientsOfAnotherGeneration(t *testing.T) {
	polled, blocking := call{scenario: opNop}.message(), call{scenario: opNop}.message()
	polled["ctrl_id"] = 0
	for _, test := range []struct {
		platform, generation string
		polled, blocking     bool
	}{
		{"u55c_tcp", "accl-2024", true, false},
		{"u280_2022", "accl-2022", false, true},
		{"u280_manual", "accl-2021", true, true},
	} {
		s := startDesign(t, designtest.Load(t, test.platform, nil), options{ranks: 1})
		p := dial(t, s.command(0), zmq4.NewReq)
		for _, request := range []struct {
			m     message
			taken bool
		}{{polled, test.polled}, {blocking, test.blocking}, {message{"type": 6, "ctrl_id": 0}, test.polled}} {
			a, err := p.request(request.m)
			assert.NilError(t, err)
			assert.Check(t, is.Equal(request.taken, (*a.Status >= 0)), "%s: %v: %v", test.platform, request.m, a)
			if !request.taken && (*a.Status != -3 || !strings.Contains(a.Error, test.generation) ||
				!strings.Contains(a.Error, test.platform) || !strings.Contains(a.Error, "clients of accl-20")) {
				t.Errorf("%s: %v: %v", test.platform, request.m, a)
			}
		}
		c := (client{peer: p})
		assert.Check(t, c.read(0x800) == 0 && c.err == nil, "%s: %v", test.platform, c.err)
	}
}
