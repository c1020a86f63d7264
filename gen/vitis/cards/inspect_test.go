package cards_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/netip"
	"reflect"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/zclconf/go-cty/cty"
	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/driver/layout"
	"github.com/cclforge/cclforge/driver/network"
	driver "github.com/cclforge/cclforge/driver/xrt"
	"github.com/cclforge/cclforge/driver/xrt/xclbin"
	"github.com/cclforge/cclforge/firmware"
	"github.com/cclforge/cclforge/gen/design"
	"github.com/cclforge/cclforge/gen/designtest"
	"github.com/cclforge/cclforge/gen/driverview"
	"github.com/cclforge/cclforge/gen/vitis/cards"
	"github.com/cclforge/cclforge/verify/emu"
	"github.com/cclforge/cclforge/verify/emu/rv32"
	"github.com/cclforge/cclforge/verify/fakecards/xrt"
	"github.com/cclforge/cclforge/verify/world"
)

// rig is a host with cards that hold a design.
type rig struct {
	t  *testing.T
	d  *design.Design
	h  *xrt.Host
	in cards.Engines
}

func newRig(t *testing.T, platform string, ranks int) *rig {
	t.Helper()
	r := &rig{t: t, d: designtest.Load(t, platform, nil)}
	r.h = xrt.Start(t, r.d, ranks, xrt.HostOptions{})
	r.in = cards.Engines{Library: r.h.Dir(), Designs: func(string) ([]*design.Design,
		error) {
		return []*design.Design{r.d}, nil
	}}
	return r
}

// card is one as scan has found it.
func (r *rig) card(number int) *cards.Found {
	r.t.Helper()
	f, closer, err := xclbin.Open(r.h.Xclbin)
	assert.NilError(r.t, err)
	defer closer()
	about, _, err := f.Describe()
	assert.NilError(r.t, err)
	return &cards.Found{
		Card:   cards.Card{Index: number, BDF: r.h.BDFs()[number], Ready: true, Loaded: f.UUID},
		Design: &cards.Design{File: r.h.Xclbin, Description: about},
	}
}

// inspect looks into a card, and checks that this has left no trace.
func (r *rig) inspect(c *cards.Found) error {
	r.t.Helper()
	before := r.h.Leaks()
	r.h.Forget()
	err := r.in.Inspect(r.t.Context(), c)
	for _, call := range r.h.Calls() {
		switch call.Function {
		case "xrtDeviceLoadXclbin", "xclRegWrite", "xrtBOAlloc", "xrtBOSync":
			r.t.Errorf("the card was changed: %v", call)
		}
	}
	if after := r.h.Leaks(); !slices.Equal(before, after) {
		r.t.Errorf("it holds %v, before it was %v", after, before)
	}
	return err
}

// open opens a card as a program does, until the test ends.
func (r *rig) open(number int) (*driver.Card, *accl.Platform) {
	r.t.Helper()
	lies, err := driverview.Card(r.d)
	assert.NilError(r.t, err)
	p := driverview.Of(r.d)
	c, err := driver.Open(r.t.Context(), &lies, driver.Options{Card: r.h.BDFs()[number], Xclbin: r.h.Xclbin,
		Library: r.h.Dir(), Keep: true})
	assert.NilError(r.t, err)
	r.t.Cleanup(func() {
		assert.NilError(r.t, c.Close())
	})
	return c, &p
}

// configure opens an engine, which stays configured when its card is closed.
func (r *rig) configure(c *driver.Card, p *accl.Platform, number int, ranks []accl.Rank, local int) *accl.Engine {
	r.t.Helper()
	dev, err := c.Engine(r.t.Context(), p, number)
	assert.NilError(r.t, err)
	e, err := accl.Open(r.t.Context(), dev, p, ranks, local, accl.GivenSessions())
	assert.NilError(r.t, err)
	return e
}

func (r *rig) same(what string, got, want any) {
	r.t.Helper()
	if !reflect.DeepEqual(got, want) {
		has, _ := json.MarshalIndent(got, "", "  ")
		wants, _ := json.MarshalIndent(want, "", "  ")
		r.t.Errorf("%s: %s\nwant %s", what, has, wants)
	}
}

func truth(b bool) *bool { return &b }

func number(n int) *int { return &n }

// TestAHaltedEngine: a scan says why and where a control processor has halted.
func TestAHaltedEngine(t *testing.T) {
	built, err := firmware.Prebuilt("accl-2024")
	assert.NilError(t, err)
	symbols, err := rv32.ParseSymbols(built.Symbols)
	assert.NilError(t, err)
	at, known := symbols.Addr("config")
	assert.Assert(t, known, "the firmware has no function config")
	clear(built.Code[at : at+4])
	r := &rig{t: t, d: designtest.Load(t, "u55c_udp", nil)}
	r.h = xrt.Start(t, r.d, 1, xrt.HostOptions{World: world.Options{Engine: emu.Options{Image: built.Code, Halts: true}}})
	r.in = cards.Engines{Library: r.h.Dir(), Designs: func(string) ([]*design.Design, error) {
		return []*design.Design{r.d}, nil
	}}
	p := driverview.Of(r.d)
	l, err := driverview.Card(r.d)
	assert.NilError(t, err)
	c, err := driver.Open(t.Context(), &l, driver.Options{Card: r.h.BDFs()[0], Xclbin: r.h.Xclbin, Library: r.h.Dir()})
	assert.NilError(t, err)
	dev, err := c.Engine(t.Context(), &p, 0)
	assert.NilError(t, err)
	_, err = dev.Start(t.Context(), 0, accl.Call{FunctionCode: 1})
	assert.NilError(t, err)
	for in := (accl.Inspection{}); !in.Halted && t.Context().Err() == nil; {
		in, err = p.Inspect(t.Context(), dev.ReadReg)
		assert.NilError(t, err)
	}
	assert.NilError(t, errors.Join(dev.Close(), c.Close()))
	seen := r.card(0)
	assert.NilError(t, r.inspect(seen))
	want := fmt.Sprintf("halted: illegal instruction at pc 0x%08X, instruction 0x00000000", at)
	e := seen.Engines[0]
	assert.Check(t, e.State == cards.Halted && e.Halted == want, "%+v, want %q", e, want)
	var table strings.Builder
	assert.NilError(t, cards.Table(&table, []cards.Found{*seen}))
	assert.Check(t, strings.Contains(table.String(), "ccl_offload_0 halted: illegal instruction at pc"),
		"%v", table.String())
}

// TestUDP: two cards whose networks have been set up, one of them with an engine that is
// configured; then the cable of the other is taken away.
func TestUDP(t *testing.T) {
	r := newRig(t, "u55c_udp", 2)
	hardware := &cards.Hardware{Stack: "udp", ExternalDMA: true, Arithmetic: true, Compression: true, KernelStreams: true}
	fresh := r.card(0)
	assert.NilError(t, r.inspect(fresh))
	hardware.ID, hardware.Revision = fresh.Engines[0].Hardware.ID, fresh.Engines[0].Hardware.Revision
	r.same("an engine that nobody has used", fresh.Engines,
		[]cards.Engine{{Name: "ccl_offload_0", State: cards.NotConfigured, Configured: truth(false), Hardware: hardware}})

	ranks := []accl.Rank{{IP: netip.MustParseAddr("10.1.2.33"), Port: 5500},
		{IP: netip.MustParseAddr("10.1.2.34"), Port: 5501}}
	var opened [2]*driver.Card
	var platform *accl.Platform
	for i := range opened {
		opened[i], platform = r.open(i)
	}
	var both sync.WaitGroup
	for i, c := range opened {
		both.Go(func() {
			s, err := network.Of(c.Design(), 0, c.Registers)
			if err == nil {
				_, err = s.Setup(t.Context(), network.Config{Ranks: ranks, Local: i, FEC: network.WithoutFEC})
			}
			assert.Check(t, err)
		})
	}
	both.Wait()
	r.configure(opened[1], platform, 0, ranks, 1)
	for _, c := range opened {
		assert.NilError(t, c.Close())
	}
	r.h.Networks[1].Ethernet["cmac"].Count(0x500, 77) // packets sent: to be counted by whoever asks
	r.h.Networks[0].Ethernet["cmac"].Cut(true)
	for i, at := range []uint32{0x410, 0x440, 0x470, 0x518, 0x4E8, 0x4B8} {
		r.h.Networks[1].UDP["poe_0"].Count(at, uint64(i+1))
	}
	for i, want := range []struct {
		engine  cards.Engine
		network cards.Network
	}{
		{
			cards.Engine{Name: "ccl_offload_0", State: cards.NotConfigured, Configured: truth(false), Hardware: hardware},
			cards.Network{Address: "10.1.2.33/24", MAC: "00:0a:35:02:9d:21", Link: &cards.MAC{Name: "cmac", Sending: true,
				Says: []string{"local_fault"}}},
		}, {
			cards.Engine{Name: "ccl_offload_0", State: cards.Configured, Configured: truth(true), Hardware: hardware},
			cards.Network{Address: "10.1.2.34/24", MAC: "00:0a:35:02:9d:22", Link: &cards.MAC{Name: "cmac", Up: true,
				Sending: true, Says: []string{"status", "aligned"}}},
		},
	} {
		n := &want.network
		n.Name, n.Kind, n.Engine, n.State = "poe_0", "udp", "ccl_offload_0", cards.Answers
		n.Gateway, n.Sockets, n.Neighbors = "10.1.2.1", &cards.Entries{Used: 1, Size: 16}, number(1)
		n.Packets = &cards.Packets{}
		if i == 1 {
			n.Packets = &cards.Packets{FromMAC: 1, ARP: 2, ICMP: 3, ToEngine: 4, FromEngine: 5, ToMAC: 6}
		}
		c := r.card(i)
		if err := r.inspect(c); err != nil || len(c.Remarks) > 0 {
			t.Error(err, c.Remarks)
		}
		r.same("engines", c.Engines, []cards.Engine{want.engine})
		r.same("networks", c.Networks, []cards.Network{want.network})
	}
	again, _ := r.open(1)
	s, err := network.Of(again.Design(), 0, again.Registers)
	assert.NilError(t, err)
	st, err := s.Status(t.Context())
	assert.NilError(t, err)
	assert.Check(t, slices.Contains(st.Link.Counters, network.Counter{Name: "stat_tx_total_packets", Value: 77}),
		"the looks have taken what was counted: %v", st.Link.Counters)
}

// TestInUse: a program has one of three engines, which goes on beside the look.
func TestInUse(t *testing.T) {
	r := newRig(t, "u280_axis3x", 3)
	c, p := r.open(0)
	e := r.configure(c, p, 1, r.h.Ranks()[1:2], 0)
	seen := r.card(0)
	if err := r.inspect(seen); err != nil || len(seen.Remarks) > 0 {
		t.Fatal(err, seen.Remarks)
	}
	var states []string
	for _, e := range seen.Engines {
		states = append(states, e.Name+" "+string(e.State))
		known := e.State != cards.InUse
		assert.Check(t, known == (e.Hardware != nil) && known == (e.Configured != nil), "%+v", e)
	}
	if want := []string{"ccl_offload_0 not configured", "ccl_offload_1 in use",
		"ccl_offload_2 not configured"}; !slices.Equal(states, want) {
		t.Errorf("%q, want %q", states, want)
	}
	if n := seen.Networks; len(n) != 3 || n[1].Name != "poe_1" || n[1].Kind != "axis" || n[1].Engine != "ccl_offload_1" ||
		n[1].State != cards.Answers || n[1].Link != nil {
		t.Errorf("%+v", n)
	}
	src, err := accl.Alloc[int32](t.Context(), e, 4)
	assert.NilError(t, err)
	dst, err := accl.Alloc[int32](t.Context(), e, 4)
	assert.NilError(t, err)
	copy(src.Host(), []int32{1, 2, 3, 4})
	_, err = e.Copy(t.Context(), src, dst, 4)
	assert.Check(t, err == nil && slices.Equal(dst.Host(), []int32{1, 2, 3, 4}), "%v, %v", dst.Host(), err)
	r.configure(c, p, 0, r.h.Ranks()[:1], 0) // what was looked at is free again
}

// TestNetworkInUse: the network belongs to another process, the engine to nobody; TCP
// tells less of itself than UDP.
func TestNetworkInUse(t *testing.T) {
	r := newRig(t, "u55c_tcp", 1)
	c, _ := r.open(0)
	regs, err := c.Registers("poe_0")
	assert.NilError(t, err)
	if err := regs.Write(t.Context(), 0x10, 10<<24|1<<16|2<<8|35); err != nil { // its address, by the manual
		t.Fatal(err)
	}
	want := cards.Network{Name: "poe_0", Kind: "tcp", Engine: "ccl_offload_0", State: cards.InUse}
	for range 2 {
		seen := r.card(0)
		if err := r.inspect(seen); err != nil || len(seen.Remarks) > 0 {
			t.Fatal(err, seen.Remarks)
		}
		r.same("networks", seen.Networks, []cards.Network{want})
		e := seen.Engines[0]
		assert.Check(t, e.State == cards.NotConfigured && e.Hardware.Stack == "tcp", "%+v", e)
		assert.NilError(t, c.Close())
		want.State, want.Address = cards.Answers, "10.1.2.35"
	}
}

// TestOldGeneration: engines of accl-2021 do not say whether they are configured.
func TestOldGeneration(t *testing.T) {
	r := newRig(t, "u280_manual", 1)
	seen := r.card(0)
	if err := r.inspect(seen); err != nil || len(seen.Remarks) > 0 {
		t.Fatal(err, seen.Remarks)
	}
	e := seen.Engines[0]
	assert.Check(t, e.State == cards.Answers && e.Configured == nil && e.Hardware != nil, "%+v", e)
}

// gone is a card that has fallen off the bus.
type gone struct{}

func (gone) Read(context.Context, uint32) (uint32, error) { return 0xFFFFFFFF, nil }
func (gone) Write(context.Context, uint32, uint32) error  { return nil }

func TestOtherHardware(t *testing.T) {
	r := newRig(t, "u280_axis3x", 1)
	r.h = xrt.Start(t, r.d, 1, xrt.HostOptions{Registers: func(int) map[string]layout.Registers {
		return map[string]layout.Registers{"ccl_offload_2": gone{}}
	}})
	r.in.Library = r.h.Dir()
	seen := r.card(0)
	assert.NilError(t, r.inspect(seen))
	e := seen.Engines[2]
	assert.Check(t, e.State == cards.Other && e.Configured == nil && e.Hardware.ID == "0xFFFFFFFF", "%+v", e)
	e = seen.Engines[0]
	assert.Check(t, e.State == cards.NotConfigured, "%+v", e)
	if i := slices.IndexFunc(seen.Remarks, func(s string) bool {
		return strings.HasPrefix(s, "ccl_offload_2: ") && strings.Contains(s, "hardware id 0xFFFFFFFF")
	}); i < 0 {
		t.Errorf("%q", seen.Remarks)
	}
}

// TestCallsFail has calls of XRT fail: nothing is kept, and what is wrong is said.
func TestCallsFail(t *testing.T) {
	for _, test := range []struct {
		function string
		nth      int
		err      error // of Inspect
		remark   string
		state    cards.State // of the engine
	}{
		{"xrtDeviceOpenByBDF", 1, driver.ErrNoCard, "", ""},
		{"xrtDeviceOpenByBDF", 2, driver.ErrNoCard, "", ""},
		{"xrtDeviceLoadXclbinUUID", 1, driver.ErrRefused, "", ""},
		{"xrtDeviceGetXclbinUUID", 1, driver.ErrLoaded, "", ""},
		{"xclIPName2Index", 1, nil, "ccl_offload_0: the card has no such kernel", cards.Unknown},
		{"xclOpenContext", 1, nil, "ccl_offload_0: take ccl_offload_0 of card", cards.Unknown},
		{"xclRegRead", 1, nil, "ccl_offload_0: read register", cards.Unknown},
		{"xclRegRead", 2, nil, "ccl_offload_0: read register", cards.Unknown},
		{"xclRegRead", 3, nil, "ccl_offload_0: inspect the engine", cards.Unknown},
		{"xclRegRead", 19, nil, "poe_0: network: cmac", cards.NotConfigured},
	} {
		t.Run(fmt.Sprint(test.function, test.nth), func(t *testing.T) {
			r := newRig(t, "u55c_udp", 1)
			assert.NilError(t, r.h.Fail(test.function, test.nth, syscall.EIO))
			seen := r.card(0)
			err := r.inspect(seen)
			switch {
			case !errors.Is(err, test.err) || test.err == nil && err != nil:
				t.Errorf("%v, want %v", err, test.err)
			case err != nil:
				assert.Check(t, len(seen.Engines) == 0, "%+v", seen.Engines)
			case len(seen.Remarks) != 1 || !strings.HasPrefix(seen.Remarks[0], test.remark) ||
				seen.Engines[0].State != test.state:
				t.Errorf("%+v, remarks %q", seen.Engines, seen.Remarks)
			}
		})
	}
}

func TestCardsThatAreNotLookedInto(t *testing.T) {
	r := newRig(t, "u55c_udp", 1)
	other := designtest.Load(t, "u55c_udp", map[string]cty.Value{"host_memory": cty.True})
	for name, test := range map[string]struct {
		change func(c *cards.Found, in *cards.Engines)
		err    error
		text   string
	}{
		"no file": {func(c *cards.Found, _ *cards.Engines) { c.Design = nil }, nil, ""},
		"not ours": {func(c *cards.Found, _ *cards.Engines) { c.Design.Description = xclbin.Description{} },
			nil, ""},
		"no library": {func(_ *cards.Found, in *cards.Engines) { in.Library = t.TempDir() }, driver.ErrLibrary,
			"install XRT"},
		"another bus": {func(c *cards.Found, _ *cards.Engines) { c.BDF = "0000:ff:00.1" }, driver.ErrNoCard,
			"0000:ff:00.1"},
		"a file that has gone": {func(c *cards.Found, _ *cards.Engines) { c.Design.File = "gone.xclbin" }, driver.ErrFile,
			"gone.xclbin"},
		"unknown platform": {func(_ *cards.Found, in *cards.Engines) {
			in.Designs = func(string) ([]*design.Design, error) { return nil, errors.New("there is none") }
		}, cards.ErrDesign, "platform u55c_udp cannot be read here: there is none"},
		"other variables": {func(_ *cards.Found, in *cards.Engines) {
			in.Designs = func(string) ([]*design.Design, error) { return []*design.Design{other}, nil }
		}, cards.ErrDesign, "with variables, which -vars= gives"},
	} {
		t.Run(name, func(t *testing.T) {
			in := r.in
			c := r.card(0)
			test.change(c, &in)
			err := in.Inspect(t.Context(), c)
			if !errors.Is(err, test.err) || (err == nil) != (test.err == nil) || err != nil &&
				!strings.Contains(err.Error(), test.text) || len(c.Engines) > 0 {
				t.Errorf("%v, %+v", err, c.Engines)
			}
		})
	}
	// One of several sets of variables is the right one.
	r.in.Designs = func(string) ([]*design.Design, error) { return []*design.Design{other, r.d}, nil }
	c := r.card(0)
	err := r.inspect(c)
	assert.Check(t, err == nil && len(c.Engines) == 1, "%v, %+v", err, c.Engines)
}

// TestLimits: a register that does not answer, and a scan that is interrupted.
func TestLimits(t *testing.T) {
	r := newRig(t, "u55c_udp", 1)
	hangs := make(chan struct{})
	r.h = xrt.Start(t, r.d, 1, xrt.HostOptions{Registers: func(int) map[string]layout.Registers {
		return map[string]layout.Registers{"ccl_offload_0": silent(hangs)}
	}})
	t.Cleanup(func() { close(hangs) })
	r.in.Library, r.in.Limit = r.h.Dir(), 100*time.Millisecond
	begin := time.Now()
	err := r.in.Inspect(t.Context(), r.card(0))
	assert.Check(t, errors.Is(err, cards.ErrDesign) && strings.Contains(err.Error(), "does not answer within 100ms"),
		"%v", err)
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(50*time.Millisecond, cancel)
	r.in.Limit = time.Minute
	assert.Check(t, is.ErrorIs(r.in.Inspect(ctx, r.card(0)), context.Canceled))
	took := time.Since(begin)
	assert.Check(t, took <= 10*time.Second, "it took %v", took)
}

// silent are registers that do not answer before a channel is closed.
type silent chan struct{}

func (s silent) Read(context.Context, uint32) (uint32, error) {
	<-s
	return 0, nil
}

func (s silent) Write(context.Context, uint32, uint32) error { return nil }
