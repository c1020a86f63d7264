package kernels

import (
	"math/rand/v2"
	"testing"

	"gotest.tools/v3/assert"

	"github.com/cclforge/cclforge/gen/designtest"
	"github.com/cclforge/cclforge/verify/rtltest/block"
)

// stack is the TCP stack: it answers each request after a while, or never.
type stack struct {
	b       *block.Bench
	r       *rand.Rand
	takes   bool
	silent  bool
	listens []uint64
	opens   []uint64
	closes  []uint64
	good    bool
	session uint64
	port    []uint64 // answers that are on their way
	open    []uint64
}

func (s *stack) step() {
	b := s.b
	ready := s.takes && s.r.IntN(3) == 0
	for _, p := range []string{"listen_port", "open_connection", "close_connection"} {
		b.Set(p+"_tready", block.Bit(ready))
	}
	for p, pending := range map[string]*[]uint64{"port_status": &s.port, "open_status": &s.open} {
		b.Set(p+"_tvalid", 0)
		if len(*pending) > 0 && !s.silent {
			b.Set(p+"_tvalid", 1)
			b.Set(p+"_tdata", (*pending)[0])
			*pending = (*pending)[1:] // it is always taken
		}
	}
	b.Step()
	if !ready {
		return
	}
	success := uint64(0)
	if s.good {
		success = uint64(1 + s.r.IntN(255))
	}
	if b.Is("listen_port_tvalid") {
		s.listens = append(s.listens, b.Get("listen_port_tdata"))
		s.port = append(s.port, success)
	}
	if b.Is("open_connection_tvalid") {
		s.opens = append(s.opens, b.Get("open_connection_tdata"))
		s.open = append(s.open, s.session|success<<16)
	}
	if b.Is("close_connection_tvalid") {
		s.closes = append(s.closes, b.Get("close_connection_tdata"))
	}
}

func TestTheHostOpensAndClosesSessions(t *testing.T) {
	d := designtest.Load(t, "u55c_tcp", nil)
	at := map[string]uint32{}
	for _, i := range d.Instances {
		if i.Kernel.ID == "tcp_session_handler" {
			for _, a := range i.Kernel.Arguments {
				at[a.Name] = a.At
			}
		}
	}
	operation := d.ABI().Enum("session_operation")
	control := block.Masks(d.ABI().BitSet("hostctrl_control"))
	for _, seed := range []uint64{0, 1, block.ExtraSeed()} {
		t.Logf("seed %d", seed)
		b := kernelOf(t, "tcp_session_handler", seed)
		r := rand.New(rand.NewPCG(seed, 7))
		s := &stack{b: b, r: r}
		host := &block.AXILite{Bench: b, To: axiControl, From: axiControl, Step: s.step, Random: r.IntN}
		get := func(at uint32) uint32 {
			v, err := host.Read(at)
			assert.NilError(t, err)
			return v
		}
		put := func(name string, v uint32) {
			assert.NilError(t, host.Write(at[name], v, 0xF))
		}
		last := uint32(0)
		for range 120 {
			s.takes, s.silent, s.good, s.session = r.IntN(8) > 0, r.IntN(8) == 0, r.IntN(3) > 0, uint64(r.IntN(1<<16))
			ip, port, session := r.Uint32(), uint32(r.IntN(1<<16)), uint32(r.IntN(1<<16))
			put("ip", ip)
			put("port_nr", port)
			put("session_id_in", session)
			name := []string{"open_port", "open_connection", "close", ""}[r.IntN(4)]
			number := uint32(77)
			if name != "" {
				number = operation.Value(name).Value
			}
			put("operation", number)
			listens, opens, closes := len(s.listens), len(s.opens), len(s.closes)
			assert.NilError(t, host.Write(0, control["start"], 0xF))
			begin := b.Cycle
			for get(0)&control["done"] == 0 {
				if b.Cycle-begin > 1000 {
					t.Fatalf("%s does not end", name)
				}
			}
			code := get(at["return_code"])
			want := false
			switch {
			case name == "" || !s.takes:
			case name == "close":
				want = true
			default:
				want = s.good && !s.silent
			}
			if (code != 0) != want {
				t.Fatalf("%s (takes %t, silent %t, good %t) returns %d", name, s.takes, s.silent, s.good, code)
			}
			if want && name == "open_connection" {
				last = uint32(s.session)
			}
			if got := get(at["session_id"]); got != last {
				t.Fatalf("%s: the session is %d, not %d", name, got, last)
			}
			if s.takes {
				switch name {
				case "open_port":
					if n := len(s.listens); n == listens || s.listens[n-1] != uint64(port) {
						t.Fatalf("listens on %v, not on %d", s.listens[listens:], port)
					}
				case "open_connection":
					if n := len(s.opens); n == opens || s.opens[n-1] != uint64(ip)|uint64(port)<<32 {
						t.Fatalf("connects to %X, not to %08X:%X", s.opens[opens:], ip, port)
					}
				case "close":
					if n := len(s.closes); n == closes || s.closes[n-1] != uint64(session) {
						t.Fatalf("closes %v, not %d", s.closes[closes:], session)
					}
				}
			}
			// What came too late is of no interest to whoever asks next.
			s.takes, s.silent = r.IntN(2) == 0, false
			for range r.IntN(60) {
				s.step()
			}
			s.takes = true
		}
	}
}
