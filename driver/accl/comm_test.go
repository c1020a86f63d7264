package accl_test

import (
	"context"
	"errors"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"github.com/cclforge/cclforge/driver/accl"
)

func TestSplit(t *testing.T) {
	ctx := within(t)
	x, d := newBench(t, "u280_2022")
	world := x.e.World()
	d.setReg(world.Address()+8+0*24+16, 70) // the sessions that the engine has opened
	d.setReg(world.Address()+8+2*24+16, 72)
	d.setReg(world.Address()+8+2*24+8, 99) // a sequence number
	sub, err := x.e.Split(ctx, []int{2, 1})
	assert.NilError(t, err)
	assert.Check(t, sub.Rank() == 1 && sub.Size() == 2 && sub.Engine() == x.e, "rank %d of %d", sub.Rank(), sub.Size())
	if got := sub.Ranks(); got[0].Port != 5502 || got[1].Port != 5501 {
		t.Errorf("ranks %v", got)
	}
	// It stands behind the configurations: 6 of 9 words.
	_, config := addresses("u280_2022")
	if want := config['h'] + 6*36; sub.Address() != want {
		t.Errorf("at 0x%X, want 0x%X", sub.Address(), want)
	}
	want := []uint32{2, 1, 127<<24 | 1, 5502, 0, 0, 72, 4096, 127<<24 | 1, 5501, 0, 0, 1, 4096}
	for i, w := range want {
		if got := d.reg(sub.Address() + 4*uint32(i)); got != w {
			t.Errorf("word %d is %d, want %d", i, got, w)
		}
	}
	if _, err := sub.Bcast(ctx, x.a, 1, 1); err != nil {
		t.Fatal(err)
	}
	if calls := d.taken(); calls[0].Comm != sub.Address() || calls[0].RootSrcDst != 1 {
		t.Errorf("%+v", calls[0])
	}
	if _, err := sub.Bcast(ctx, x.a, 1, 2); !errors.Is(err, accl.ErrRank) {
		t.Errorf("a root outside: %v", err)
	}
	d.reply = func(placed) accl.ReturnCode { return 1 }
	_, err = sub.Reduce(ctx, x.a, x.b, 1, 1, accl.Sum)
	var failure *accl.CallError
	assert.Check(t, errors.As(err, &failure) && failure.Comm == 1 && failure.Rank == 1, "%v", err)
	d.reply = nil

	for name, again := range map[string][]int{"same ranks": {2, 1}, "all": {0, 1, 2}} {
		c, err := x.e.Split(ctx, again)
		assert.Check(t, err == nil && (c == sub || c == world), "%s in the same order: another communicator, %v", name, err)
	}
	if c, err := x.e.Split(ctx, []int{1, 2}); err != nil || c == sub {
		t.Errorf("another order: the same communicator, %v", err)
	}
	if c, err := sub.Split(ctx, []int{1}); err != nil || c.Size() != 1 || c.Rank() != 0 {
		t.Errorf("split of a split: %v", err)
	}
	none, err := x.e.Split(ctx, []int{0, 2})
	assert.Check(t, none == nil && err == nil, "not a member: %v, %v", none, err)
	assert.Check(t, none.Rank() == -1 && none.Size() == 0 && none.Ranks() == nil,
		"rank %d of %d", none.Rank(), none.Size())
	for name, err := range map[string]error{
		"operation": errorOf(none.Barrier(ctx)),
		"split":     errorOf(none.Split(ctx, []int{0})),
		"dump":      errorOf(none.Dump(ctx)),
		"OpenPort":  none.OpenPort(ctx),
		"OpenCon":   none.OpenCon(ctx),
	} {
		assert.Check(t, is.ErrorIs(err, accl.ErrNotMember), "%s of no member", name)
	}
	for _, indices := range [][]int{{1, 3}, {-1, 1}, {1, 1}, {}} {
		if _, err := x.e.Split(ctx, indices); !errors.Is(err, accl.ErrRank) {
			t.Errorf("%v: %v", indices, err)
		}
	}
	assert.NilError(t, x.e.Close(ctx))
	if _, err := x.e.Split(ctx, []int{1}); !errors.Is(err, accl.ErrClosed) {
		t.Errorf("after Close: %v", err)
	}
}

func errorOf[T any](_ T, err error) error { return err }

// TestCommunicators: any ranks, until the exchange memory is full.
func TestCommunicators(t *testing.T) {
	ctx := within(t)
	x, d := newBench(t, "u55c_udp")
	ranks := append(accl.LocalRanks(2), accl.Rank{IP: netip.MustParseAddr("10.1.2.3"), Port: 9, Session: 5})
	c, err := x.e.Communicator(ctx, ranks, 1)
	assert.NilError(t, err)
	assert.Check(t, is.Equal(d.reg(c.Address()+8+2*24), uint32(0x0A010203)), "address 0x")
	if none, err := x.e.Communicator(ctx, ranks, -1); none != nil || err != nil {
		t.Errorf("not a member: %v", err)
	}
	if _, err := x.e.Communicator(ctx, ranks, 3); !errors.Is(err, accl.ErrRank) {
		t.Errorf("%v", err)
	}
	for i := range 1000 {
		ranks[2].Port = uint16(1000 + i)
		if _, err = x.e.Communicator(ctx, ranks, 1); err != nil {
			break
		}
	}
	assert.Check(t, errors.Is(err, accl.ErrExchangeFull) && strings.Contains(err.Error(), "80 bytes"), "%v", err)
	assert.Check(t, is.Equal(d.reg(0x1FC4), uint32(0)), "the words behind the tables were overwritten")
	ranks[2].Port = 1000
	if again, err := x.e.Communicator(ctx, ranks, 1); err != nil || again == nil {
		t.Errorf("one that there is: %v", err)
	}
}

// TestReservedRoom: a platform keeps room for its communicators.
func TestReservedRoom(t *testing.T) {
	p := platformOf(t, "u55c_tcp")
	p.Exchange.Communicators, p.Exchange.Ranks = 3, 8
	d := newDevice(p)
	e, err := accl.Open(within(t), d, p, accl.LocalRanks(4), 0)
	assert.NilError(t, err)
	first, each := uint32(8+16*28), uint32(8+8*24)
	sub, err := e.Split(within(t), []int{0, 3})
	assert.NilError(t, err)
	assert.Check(t, e.World().Address() == first && sub.Address() == first+each,
		"at 0x%X and 0x%X", e.World().Address(), sub.Address())
	if got := d.regs[first+3*each]; got != 2 {
		t.Errorf("a configuration of %d bytes", got)
	}
}

// opener is a device whose host opens sessions.
type opener struct {
	*device
	ports   []uint16
	opens   []string
	refused int // so many times
}

func (o *opener) OpenPort(ctx context.Context, port uint16) error {
	o.ports = append(o.ports, port)
	return nil
}

var errRefused = errors.New("nobody listens")

func (o *opener) OpenConnection(ctx context.Context, ip uint32, port uint16) (uint32, error) {
	if o.refused > 0 {
		o.refused--
		return 0, errRefused
	}
	o.opens = append(o.opens,
		accl.Rank{IP: netip.AddrFrom4([4]byte{byte(ip >> 24), byte(ip >> 16), byte(ip >> 8), byte(ip)}), Port: port}.String())
	return uint32(port) + 1000, nil
}

// TestSessions: where the host opens sessions, it does so before the engine is
// told that all is ready.
func TestSessions(t *testing.T) {
	ctx := within(t)
	p := platformOf(t, "u55c_tcp")
	d := &opener{device: newDevice(p), refused: 3}
	e, err := accl.Open(ctx, d, p, accl.LocalRanks(3), 1)
	assert.NilError(t, err)
	if !slices.Equal(d.ports, []uint16{5501}) || !slices.Equal(d.opens, []string{"127.0.0.1:5500", "127.0.0.1:5502"}) {
		t.Errorf("ports %d, connections to %s", d.ports, d.opens)
	}
	world := e.World().Address()
	for i, want := range []uint32{6500, 1, 6502} {
		if got := d.reg(world + 8 + uint32(i)*24 + 16); got != want {
			t.Errorf("session of rank %d is %d, want %d", i, got, want)
		}
	}
	assert.Check(t, is.Equal(d.writes[len(d.writes)-1], uint32(0x1FF4)), "sessions are written after config_ready")
	sub, err := e.Split(ctx, []int{1, 2})
	assert.NilError(t, err)
	if got := d.reg(sub.Address() + 8 + 24 + 16); got != 6502 || len(d.opens) != 2 {
		t.Errorf("session %d in the new communicator, %d connections", got, len(d.opens))
	}
	// Ranks that are new are connected to on demand.
	far, err := e.Communicator(ctx, []accl.Rank{e.World().Ranks()[1], {IP: netip.MustParseAddr("10.0.0.9"), Port: 7}}, 0)
	assert.NilError(t, err)
	assert.NilError(t, far.OpenCon(ctx))
	if got := d.reg(far.Address() + 8 + 24 + 16); got != 1007 || d.opens[2] != "10.0.0.9:7" {
		t.Errorf("session %d, connections to %s", got, d.opens)
	}
	// A reset keeps them.
	assert.NilError(t, e.Reset(ctx))
	if got := d.reg(world + 8 + 16); got != 6500 || len(d.opens) != 3 {
		t.Errorf("session %d after a reset, %d connections", got, len(d.opens))
	}

	given := &opener{device: newDevice(p)}
	ranks := accl.LocalRanks(2)
	ranks[1].Session = 31
	if e, err = accl.Open(ctx, given, p, ranks, 0, accl.GivenSessions()); err != nil {
		t.Fatal(err)
	}
	if got := given.reg(e.World().Address() + 8 + 24 + 16); got != 31 || given.ports != nil || given.opens != nil {
		t.Errorf("session %d, ports %d, connections to %s", got, given.ports, given.opens)
	}

	p.Limits.RemoteTimeoutMilliseconds = 30
	deaf := &opener{device: newDevice(p), refused: 1 << 30}
	if _, err := accl.Open(ctx, deaf, p, ranks, 0); !errors.Is(err, errRefused) ||
		!strings.Contains(err.Error(), "connect to rank 1, 127.0.0.1:5501") {
		t.Errorf("%v", err)
	}
}

// TestSessionsOfEngine: engines that open sessions are asked until others
// listen, and again after a reset.
func TestSessionsOfEngine(t *testing.T) {
	ctx := within(t)
	p := platformOf(t, "u280_2022")
	d := newDevice(p)
	tries := 0
	d.reply = func(placed) accl.ReturnCode {
		if tries++; tries < 4 {
			return 1 << 17
		}
		return 0
	}
	e, err := accl.Open(ctx, d, p, accl.LocalRanks(2), 0)
	assert.Assert(t, err == nil && tries == 4, "%v after %d attempts", err, tries)
	d.reply = nil
	d.taken()
	assert.NilError(t, e.Reset(ctx))
	var got []uint32
	for _, c := range d.taken() {
		got = append(got, c.FunctionCode)
	}
	if want := []uint32{fnReset, fnEnable, fnTimeout, fnSegment, fnStack, fn3, fn4}; !slices.Equal(got, want) {
		t.Errorf("config functions %d, want %d", got, want)
	}
	assert.Check(t, is.Equal(d.reg(0x1FF4), uint32(1)), "not ready after a reset")
}

// TestReset compares the exchange memory before and after.
func TestReset(t *testing.T) {
	for _, name := range platformNames {
		t.Run(name, func(t *testing.T) {
			ctx := within(t)
			x, d := newBench(t, name, accl.WithRxBuffers(5, 8192))
			if _, err := x.e.Split(ctx, []int{2, 1}); err != nil {
				t.Fatal(err)
			}
			before := map[uint32]uint32{}
			for at, v := range d.regs {
				before[at] = v
				if at != d.word("hardware_id") {
					d.regs[at] = 0xDEADBEEF
				}
			}
			release := d.held()
			r, err := x.e.Nop(ctx, accl.Async())
			assert.NilError(t, err)
			assert.NilError(t, x.e.Reset(ctx))
			assert.Check(t, is.DeepEqual(hexed(before), hexed(d.regs)), "-before +after")
			release()
			assert.NilError(t, r.Wait(ctx))
			if _, err := x.e.AllReduce(ctx, x.a, x.b, 10, accl.Sum); err != nil {
				t.Errorf("a call after the reset: %v", err)
			}
		})
	}
}

// TestResetBeforeCall: a call that is placed behind a reset finds an engine without a configuration.
func TestResetBeforeCall(t *testing.T) {
	ctx := within(t)
	x, d := newBench(t, "u55c_tcp")
	begun, done := make(chan struct{}), make(chan error, 1)
	d.placing = func(c accl.Call) {
		if c.Scenario != 0 {
			go func() { done <- x.e.Reset(ctx) }()
			<-begun
		} else if c.FunctionCode == fnReset {
			close(begun)
		}
	}
	const refused = accl.ReturnCode(1 << 8)
	d.reply = func(p placed) accl.ReturnCode { return refused * accl.ReturnCode(min(p.Scenario, 1)) }
	_, err := x.e.Copy(ctx, x.a, x.b, 1)
	assert.Check(t, errors.Is(err, accl.ErrNotConfigured) && errors.Is(err, refused), "%v", err)
	assert.NilError(t, <-done)
}

func TestClose(t *testing.T) {
	ctx := within(t)
	x, d := newBench(t, "u55c_tcp")
	buffers := d.allocated() - 16 - 3 // those of the engine
	assert.NilError(t, x.e.Close(ctx))
	if got := d.allocated(); got != buffers {
		t.Errorf("%d pieces of memory are left, want %d", got, buffers)
	}
	if calls := d.taken(); len(calls) != 1 || calls[0].Scenario != 0 || calls[0].FunctionCode != fnReset {
		t.Errorf("%+v", calls)
	}
	if err := x.e.Close(ctx); err != nil || len(d.taken()) != 0 {
		t.Errorf("a second Close: %v", err)
	}
	for name, err := range map[string]error{
		"call": errorOf(x.e.Nop(ctx)), "asynchronous call": errorOf(x.e.Copy(ctx, x.a, x.b, 1, accl.Async())),
		"Reset":    x.e.Reset(ctx),
		"OpenPort": x.e.OpenPort(ctx), "OpenCon": x.e.OpenCon(ctx), "Enable": x.e.Enable(ctx),
		"Communicator": errorOf(x.e.Communicator(ctx, accl.LocalRanks(1), 0)),
	} {
		assert.Check(t, is.ErrorIs(err, accl.ErrClosed), "%s after Close", name)
	}
	assert.NilError(t, errors.Join(x.a.Free(), x.host.Free()))
}

func TestOpenAll(t *testing.T) {
	ctx := within(t)
	p := platformOf(t, "u55c_udp")
	var devices []accl.Device
	for range 3 {
		devices = append(devices, newDevice(p))
	}
	engines, err := accl.OpenAll(ctx, devices, p, accl.LocalRanks(3))
	assert.NilError(t, err)
	for i, e := range engines {
		if e.Rank() != i || e.Size() != 3 {
			t.Errorf("rank %d of %d", e.Rank(), e.Size())
		}
	}
	bad := newDevice(p)
	bad.refuse = errTaken
	fresh := newDevice(p)
	if _, err := accl.OpenAll(ctx, []accl.Device{fresh, bad}, p, accl.LocalRanks(2)); !errors.Is(err, errTaken) {
		t.Errorf("%v", err)
	}
	assert.Check(t, fresh.allocated() == 0, "%d pieces of memory left", fresh.allocated())
}

func TestDumps(t *testing.T) {
	ctx := within(t)
	x, d := newBench(t, "u280_2022", accl.WithRxBuffers(2, 64))
	world := x.e.World().Address()
	d.setReg(world+8+2*24+8, 7)
	d.setReg(world+8+2*24+12, 9)
	comms, err := x.e.DumpCommunicators(ctx)
	if err != nil || len(comms) != 1 {
		t.Fatal(comms, err)
	}
	want := "Communicator 0 at 0x44, rank 1 of 3:\n" +
		"  rank 0: 127.0.0.1:5500 session 0, segments of 64 bytes, next in 0, next out 0\n" +
		"  rank 1: 127.0.0.1:5501 session 1, segments of 64 bytes, next in 0, next out 0\n" +
		"  rank 2: 127.0.0.1:5502 session 2, segments of 64 bytes, next in 7, next out 9\n"
	assert.Check(t, is.Equal(comms[0].String(), want))

	record := uint32(4 + 32)
	d.setReg(4+4*5, 40)                                                 // length
	for i, v := range map[int]uint32{0: 2, 4: 0xAB, 5: 3, 6: 2, 7: 5} { // status, tag, length, source, sequence number
		d.setReg(record+4*uint32(i), v)
	}
	copy(d.memory[0x1_0000_2000].mem, []byte{1, 2, 3, 4})
	rx, err := x.e.DumpRxBuffers(ctx, true)
	if err != nil || len(rx) != 2 {
		t.Fatal(rx, err)
	}
	for i, want := range []string{
		"rx buffer 0: 0x100001000 idle, 40 of 64 bytes, tag 0x0, sequence number 0, source 0, data 00 00 00 00 00 00 00 " +
			"00 00 00 00 00 00 00 00 00 ...",
		"rx buffer 1: 0x100002000 reserved, 3 of 64 bytes, tag 0xAB, sequence number 5, source 2, data 01 02 03",
	} {
		assert.Check(t, is.Equal(rx[i].String(), want))
	}

	dump, err := x.e.DumpExchangeMemory(ctx)
	if err != nil || len(dump.Words) != 0x800 {
		t.Fatal(len(dump.Words), err)
	}
	text := dump.String()
	for _, want := range []string{"0x0000: 00000002 00000000 00001000 00000001\n",
		"0x1FF0: 00000000 00000001 ABCDEFB9 00000000\n"} {
		assert.Check(t, is.Contains(text, want), "no line")
	}
	assert.Check(t, !strings.Contains(text, "00000000 00000000 00000000 00000000"), "lines of zeros")
}
