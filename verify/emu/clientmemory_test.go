package emu

import (
	"bytes"
	"errors"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/cclforge/cclforge/gen/abi"
)

func TestMemoryIsThereWhereClientsOrTheEngineHaveBeen(t *testing.T) {
	r := newWorld(t, worldOptions{engines: 1, buffers: 1}).rigs[0]
	m, err := r.Memory(false)
	if err != nil {
		t.Fatal(err)
	}
	can := func(addr, bytes uint64, want bool) {
		t.Helper()
		err := m.Read(make([]byte, bytes), addr)
		if (err == nil) != want || err != nil && !errors.Is(err, ErrNoMemory) {
			t.Errorf("reading %d bytes at 0x%X: %v", bytes, addr, err)
		}
	}
	can(0x1000, 1, false)
	can(0x1000, 0, true)
	if err := m.Reserve(0x1000, 100); err != nil {
		t.Fatal(err)
	}
	can(0x1000, 100, true)
	can(0x1000, 101, false)
	can(0xFFF, 2, false)
	if err := m.Write([]byte("beyond"), 0x1064); err != nil {
		t.Fatal(err)
	}
	can(0x1000, 106, true)
	got := make([]byte, 8)
	if err := m.Read(got, 0x1062); err != nil || string(got) != "\x00\x00beyond" {
		t.Errorf("%q, %v", got, err)
	}
	// The engine sees what clients write, and they what it writes.
	if err := m.Write(random(1, 5000), 1<<39); err != nil {
		t.Fatal(err)
	}
	if got := r.read(1<<39, 5000); !bytes.Equal(got, random(1, 5000)) {
		t.Error("the engine reads something else")
	}
	can(0x7000_0000, 64, false)
	if err := copyIn(r.space(false), 0x7000_0FC0, random(2, 64)); err != nil {
		t.Fatal(err)
	}
	can(0x7000_0FC0, 64, true)
	can(0x7000_0FC0, 65, false)
	if err := m.Reserve(0x7000_1000, 1); err != nil {
		t.Fatal(err)
	}
	can(0x7000_0FC0, 65, true) // partly the engine's, partly a client's
	for _, far := range []uint64{1 << 40, 1<<64 - 1} {
		can(far, 2, false)
		if err := m.Write([]byte{1}, far); !errors.Is(err, ErrFull) {
			t.Errorf("writing at 0x%X: %v", far, err)
		}
		if err := m.Reserve(far, 1<<63); !errors.Is(err, ErrFull) {
			t.Errorf("reserving at 0x%X: %v", far, err)
		}
	}
}

func TestMemoryTakesNoMoreRoomThanAllowed(t *testing.T) {
	r := newWorld(t, worldOptions{engines: 1, engine: Options{ResidentBytes: 3 * pageBytes}}).rigs[0]
	m, err := r.Memory(false)
	if err != nil {
		t.Fatal(err)
	}
	for i := range uint64(3) {
		if err := m.Write([]byte{byte(i + 1)}, i*tableBytes); err != nil {
			t.Fatal(err)
		}
	}
	if err := m.Write([]byte{1}, 1<<38); !errors.Is(err, ErrFull) {
		t.Errorf("a fourth page: %v", err)
	}
	if err := copyIn(r.space(false), 1<<38, []byte{1}); !errors.Is(err, ErrNoMemory) {
		t.Errorf("the engine writes to a fourth page: %v", err)
	}
	if err := m.Write([]byte{9}, tableBytes+5); err != nil {
		t.Errorf("a page that is there: %v", err)
	}
	if n := r.device.pages.Load(); n != 3 {
		t.Errorf("%d pages", n)
	}
}

func TestHostMemoryOfClients(t *testing.T) {
	host := map[string]cty.Value{"host_memory": cty.True}
	shared := newWorld(t, worldOptions{engines: 1, vars: host, engine: Options{SharedHost: true}}).rigs[0]
	m, err := shared.Memory(true)
	if err != nil {
		t.Fatal(err)
	}
	if err := m.Write([]byte("host"), 0); err != nil {
		t.Fatal(err)
	}
	got := make([]byte, 4)
	if err := copyOut(got, shared.space(true), 0); err != nil || string(got) != "host" {
		t.Errorf("the engine reads %q, %v", got, err)
	}
	if err := m.Read(got, 4); !errors.Is(err, ErrNoMemory) {
		t.Errorf("what was not written: %v", err)
	}
	for name, o := range map[string]worldOptions{
		"without host memory": {engines: 1, engine: Options{SharedHost: true}},
		"with its own":        {engines: 1, vars: host},
	} {
		if _, err := newWorld(t, o).rigs[0].Memory(true); !errors.Is(err, ErrNoMemory) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestPortsLearnWhereSessionsLead(t *testing.T) {
	for _, platform := range []string{"u55c_tcp", "u280_2022", "u280_manual"} {
		r := newWorld(t, worldOptions{platform: platform, engines: 1}).rigs[0]
		port := &told{Port: r.port}
		r.Engine.port = port
		r.routes = newRoutes(r.exchange, &r.n.comm.routeWords, port)
		g := r.d.ABI()
		h := host{t, g, g.Memory(abi.Exchange), &r.n.comm.routeWords, r.exchange.Set}
		h.communicator(h.behind(3), 3)
		r.set("network", "control", 1)
		port.expect(t, platform+" before there is a table of rx buffers")
		h.buffers(3)
		r.set("network", "control", 1)
		r.set("network", "control", 1)
		port.expect(t, platform, three...)
	}
}

func TestFraming(t *testing.T) {
	for platform, types := range map[string][]int{"u55c_tcp": {100, 100, 0, 0}, "u280_2022": {100}} {
		r := newWorld(t, worldOptions{platform: platform, engines: 1}).rigs[0]
		framing, err := Framing(r.d)
		if err != nil {
			t.Fatal(err)
		}
		for code, want := range types {
			var h header
			h[0], h[22] = 100, byte(code) // count and msg_type, as the contract has them
			if got := framing(&h); got != want {
				t.Errorf("%s: %d bytes follow a header of type %d, not %d", platform, got, code, want)
			}
		}
	}
}
