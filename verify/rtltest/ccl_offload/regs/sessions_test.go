package regs

import (
	"math/rand/v2"
	"testing"

	"gotest.tools/v3/assert"

	"github.com/cclforge/cclforge/gen/designtest"
	"github.com/cclforge/cclforge/verify/rtltest/block"
)

func TestOnlyTheAnswerToTheLatestConnectCounts(t *testing.T) {
	page := block.Page{Request: "sessions_request", Response: "sessions_response"}
	d := designtest.Load(t, "u280_2022", nil)
	at, low := block.Offsets(d.ABI().RegisterMap("sessions")), map[string]int{}
	for _, f := range d.ABI().Layout("session_status").Fields {
		low[f.Name] = f.Low
	}
	b := set.Start(t, "session_requests", 0)
	r := rand.New(rand.NewPCG(0, 8))
	var requests []uint64 // that wait for an answer
	events, pauses := 0, 1
	step := func() {
		ready := r.IntN(pauses) == 0
		b.Set("open_connection_ready", block.Bit(ready))
		b.Set("listen_port_ready", block.Bit(ready))
		b.Step()
		if ready && b.Is("open_connection_valid") {
			requests = append(requests, b.Get("open_connection_data"))
		}
		if b.Is("event_session") {
			events++
		}
	}
	access := func(write bool, name string, v uint32) uint32 {
		got, err := b.Access(page, step, write, at[name], v)
		assert.NilError(t, err, "%s", name)
		return got
	}
	reply := func(pin string, v uint64) {
		b.Set(pin+"_valid", 1)
		b.Set(pin+"_data", v)
		step()
		b.Set(pin+"_valid", 0)
		step()
		step()
	}
	reply("open_status", 7|1<<16)
	if got := access(false, "connect_status", 0); got != 0 || events != 0 {
		t.Fatalf("an answer without a request: %08X", got)
	}
	assert.Check(t, b.Undefined(page, step, r, d.ABI().RegisterMap("sessions")))
	for range 300 {
		pauses = 1 + r.IntN(20)
		events = 0
		ip, port := r.Uint32(), uint32(0)
		access(true, "ip", ip)
		if got := access(false, "ip", 0); got != ip {
			t.Fatalf("ip is %08X", got)
		}
		for range 1 + r.IntN(3) {
			port = uint32(r.IntN(1 << 16))
			access(true, "connect", port)
			for range r.IntN(60) {
				step()
			}
		}
		if got := access(false, "connect_status", 0); got != 0 {
			t.Fatalf("before its answer a connect has the status %08X", got)
		}
		latest := uint64(ip) | uint64(port)<<32
		for range 200 {
			step()
		}
		if n := len(requests); n == 0 || requests[n-1] != latest {
			t.Fatalf("requests are %X, not %X at last", requests, latest)
		}
		for len(requests) > 0 {
			if got := access(false, "connect_status", 0); got != 0 || events != 0 {
				t.Fatalf("the answer to an earlier connect counts: %08X", got)
			}
			requests = requests[1:]
			session, good := uint64(r.IntN(1<<16)), r.IntN(2) == 0
			reply("open_status", session|block.Bit(good)<<16)
			if len(requests) > 0 {
				continue
			}
			want := uint32(1) << low["ready"]
			if good {
				want |= 1<<low["success"] | uint32(session)<<low["session"]
			}
			if got := access(false, "connect_status", 0); got != want || events != 1 {
				t.Fatalf("the status is %08X after %d events, not %08X", got, events, want)
			}
		}
		access(true, "listen", port)
		if got := access(false, "listen_status", 0); got != 0 {
			t.Fatalf("before its answer a listen has the status %08X", got)
		}
		for range 200 {
			step()
		}
		good := r.IntN(2) == 0
		reply("port_status", block.Bit(good)*uint64(1+r.IntN(255)))
		if got := access(false, "listen_status", 0); got != 1<<low["ready"]|uint32(block.Bit(good))<<low["success"] {
			t.Fatalf("listen has the status %08X, good: %t", got, good)
		}
		if r.IntN(4) == 0 { // a reset forgets requests that nobody has taken
			pauses = 1 << 30
			access(true, "connect", port)
			access(true, "connect", port)
			b.Reset()
			pauses = 1
			for range 9 {
				step()
			}
			assert.Check(t, len(requests) == 0, "after a reset requests are %X", requests)
			requests = nil
		}
	}
}
