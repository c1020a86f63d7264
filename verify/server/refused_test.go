package server_test

import (
	"errors"
	"fmt"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-zeromq/zmq4"
	"gotest.tools/v3/assert"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/driver/sim"
	"github.com/cclforge/cclforge/driver/sim/zmq"
	"github.com/cclforge/cclforge/gen/designtest"
	"github.com/cclforge/cclforge/gen/driverview"
	"github.com/cclforge/cclforge/verify/server"
)

// A client whose first word is none of this interface is told which interface it is;
// others may read that word as any other.
func TestFirstWordOfAnotherGeneration(t *testing.T) {
	const idOf2021, readyOf2022, idSince2022 = 0xFF8, 0x1FF4, 0x1FF8
	for _, test := range []struct {
		platform   string
		first      uint32
		interfaces []string // that the answer names; none if it is a word like others
	}{
		{"u55c_tcp", idOf2021, []string{"accl-2024", "accl-2021"}},
		{"u280_2022", idOf2021, []string{"accl-2022", "accl-2021"}},
		{"u280_manual", idSince2022, []string{"accl-2021", "accl-2022 or accl-2024"}},
		{"u280_manual", readyOf2022, []string{"accl-2021", "accl-2022 or accl-2024"}},
		{"u55c_tcp", readyOf2022, nil},
		{"u55c_tcp", idSince2022, nil},
		{"u280_2022", readyOf2022, nil},
		{"u280_manual", idOf2021, nil},
	} {
		s := startDesign(t, designtest.Load(t, test.platform, nil), options{ranks: 1})
		c := s.client(t, 0, true)
		a, err := c.request(message{"type": 0, "addr": test.first})
		assert.NilError(t, err)
		if refused := len(test.interfaces) > 0; refused != (*a.Status == 1) || !refused && *a.Status != 0 {
			t.Errorf("%s, 0x%X: %v", test.platform, test.first, a)
		}
		for _, name := range test.interfaces {
			assert.Check(t, strings.Contains(a.Error, name) && strings.Contains(a.Error, test.platform),
				"%s, 0x%X: %v: it does not name %s", test.platform, test.first, a, name)
		}
		if test.first != idOf2021 {
			continue
		}
		if c.read(test.first); c.err != nil {
			t.Errorf("%s: reading it again: %v", test.platform, c.err)
		}
		if other := s.client(t, 0, true); other.read(test.first) == 1 || other.err != nil {
			t.Errorf("%s: a second client: %v", test.platform, other.err)
		}
	}
}

// Our own driver shows what it is told.
func TestDriverOfAnotherGeneration(t *testing.T) {
	for client, server := range map[string]string{"u280_manual": "u55c_tcp", "u55c_tcp": "u280_manual"} {
		s := startDesign(t, designtest.Load(t, server, nil), options{ranks: 1})
		p := driverview.Of(designtest.Load(t, client, nil))
		d, err := sim.Open(t.Context(), &p, sim.Options{Endpoints: sim.Endpoints{Port: s.base, Ranks: 1}})
		assert.NilError(t, err)
		_, err = accl.Open(t.Context(), d, &p, accl.LocalRanks(1), 0)
		if err == nil || !strings.Contains(err.Error(), "this is the platform "+server) ||
			strings.Contains(err.Error(), "0x00000000") {
			t.Errorf("%s on %s: %v", client, server, err)
		}
		assert.NilError(t, d.Close())
	}
}

// Each client that is refused is a line of the log, with the reason; others are none.
func TestRefusedClientsAreLogged(t *testing.T) {
	var mu sync.Mutex
	var lines []string
	logged := func() []string {
		mu.Lock()
		defer mu.Unlock()
		return append([]string(nil), lines...)
	}
	const most = 3
	s := start(t, "u55c_tcp", nil, options{ranks: 1, limits: zmq.Limits{Connections: most},
		log: func(format string, args ...any) {
			mu.Lock()
			defer mu.Unlock()
			lines = append(lines, fmt.Sprintf(format, args...))
		}})
	address := strings.TrimPrefix(s.command(0), "tcp://")
	idle := func() {
		waitFor(t, "the end of all connections", func() bool { return s.servers[0].Health().Clients == 0 })
	}
	ask := func(requests ...string) func() {
		return func() {
			p := dial(t, s.command(0), zmq4.NewReq)
			for _, r := range requests {
				_, err := p.ask([]byte(r))
				assert.Check(t, err)
			}
			p.hangUp()
		}
	}
	for _, test := range []struct {
		name string
		do   func()
		why  string // "" for no line
	}{
		{"a good one", ask(`{"type": 0, "addr": 8184}`, nop(0)), ""},
		{"one that reads what was never allocated", ask(`{"type": 2, "addr": 0, "len": 4}`), ""},
		{"one of another generation, twice", ask(strings.Replace(nop(0), `"ctrl_id": 0,`, "", 1),
			strings.Replace(nop(0), `"ctrl_id": 0,`, "", 1)),
			"this is the platform u55c_tcp with the interface accl-2024, whose calls have a ctrl_id"},
		{"one that begins with another word", ask(`{"type": 0, "addr": 4088}`), "is a client of accl-2021"},
		{"one that needs host memory", ask(`{"type": 4, "addr": 0, "len": 4, "host": true}`), "does not reach host memory"},
		{"one that makes no sense", ask("nonsense"), "not JSON"},
		{"a socket of another kind", func() {
			p := dialless(zmq4.NewSub)
			defer p.hangUp()
			_ = p.Dial(s.command(0)) // that it is refused is not certain to be seen here
		}, `"SUB"`},
		{"no ZeroMQ at all", func() {
			c, err := net.Dial("tcp", address)
			assert.NilError(t, err)
			defer c.Close()
			_, err = c.Write([]byte(strings.Repeat("GET / HTTP/1.1\r\n", 10)))
			assert.NilError(t, err)
			_ = c.SetReadDeadline(time.Now().Add(patience))
			for b := make([]byte, 100); err == nil; {
				_, err = c.Read(b)
			}
		}, "ZeroMQ handshake"},
		{"one that only looks", func() {
			c, err := net.Dial("tcp", address)
			assert.NilError(t, err)
			c.Close()
		}, ""},
		{"one too many", func() {
			var all []*client
			for range most {
				c := s.client(t, 0, true)
				if c.read(0); c.err != nil {
					t.Fatal(c.err)
				}
				all = append(all, c)
			}
			c, err := net.Dial("tcp", address)
			assert.NilError(t, err)
			defer c.Close()
			waitFor(t, "the line", func() bool { return strings.Contains(strings.Join(logged(), "\n"), "too many") })
			for _, c := range all {
				c.hangUp()
			}
		}, "too many peers are connected: the limit is 3"},
	} {
		mu.Lock()
		lines = nil
		mu.Unlock()
		test.do()
		idle()
		if test.why != "" {
			waitFor(t, "a line about "+test.name, func() bool { return len(logged()) > 0 })
		}
		got := logged()
		switch {
		case test.why == "" && len(got) > 0:
			t.Errorf("%s: %q", test.name, got)
		case test.why != "" && test.name != "a socket of another kind" && len(got) != 1:
			t.Errorf("%s: %d lines: %q", test.name, len(got), got)
		case test.why != "" && (!strings.Contains(got[0], test.why) || !strings.HasPrefix(got[0], "client 127.0.0.1:")):
			t.Errorf("%s: %q, and not %q", test.name, got[0], test.why)
		}
	}
}

// Whatever the reason is, it is one line, and many clients are few lines.
func TestRefusalsAreLines(t *testing.T) {
	var lines []string
	refused := server.LogRefused(func(format string, args ...any) { lines = append(lines, fmt.Sprintf(format, args...)) })
	for range 1000 {
		refused(&net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 7}, errors.New("a\x1b[31m\nb"))
	}
	want := "client 127.0.0.1:7 is refused: a\uFFFD[31m\uFFFDb"
	assert.Check(t, lines[0] == want && len(lines) == 16+5, "%d lines: %q", len(lines), lines[0])
	server.LogRefused(nil)(nil, nil)
}
