package accl_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"github.com/cclforge/cclforge/driver/accl"
)

// Config functions by number, as the interface contract has them.
const (
	fnReset = iota
	fnEnable
	fnTimeout
	fn3 // open_port, or set_max_eager_msg_size
	fn4 // open_con, or set_max_rendezvous_msg_size
	fnStack
	fnSegment
)

// TestExchangeMemory writes down what the contract says the host writes for
// rank 1 of 3, and compares word by word.
func TestExchangeMemory(t *testing.T) {
	for _, c := range []struct {
		platform string
		// rx buffer table: place of the count, of the size if there is one, of the
		// first record, words of a record, and where in it addrl, addrh and max_len are.
		count, size, records, words int
		addr, maxLen                int
		ready                       uint32 // config_ready
		limit                       uint32
		scratch                     []uint32 // places of addresses
		segment                     uint32
	}{
		{"u280_manual", 0x800, -1, 0x804, 9, 0, 2, 0, 0xFF8, nil, 4096},
		{"u280_2022", 0x0, -1, 0x4, 8, 1, 3, 0x1FF4, 0x1FF4, nil, 4096},
		{"u55c_tcp", 0x0, 0x4, 0x8, 7, 1, -1, 0x1FF4, 0x1FC4, []uint32{0x1FD8, 0x1FE0, 0x1FE8}, 4096},
		{"u55c_udp", 0x0, 0x4, 0x8, 7, 1, -1, 0x1FF4, 0x1FC4, []uint32{0x1FD8, 0x1FE0, 0x1FE8}, 4032},
		{"u55c_rdma", 0x0, 0x4, 0x8, 7, 1, -1, 0x1FF4, 0x1FC4, []uint32{0x1FD8, 0x1FE0, 0x1FE8}, 4096},
	} {
		t.Run(c.platform, func(t *testing.T) {
			p := platformOf(t, c.platform)
			d := newDevice(p)
			// What an earlier host left behind must not matter.
			for at := p.Exchange.Base; at < c.limit; at += 4 {
				d.regs[at] = 0xDEADBEEF
			}
			if c.ready != 0 {
				d.regs[c.ready] = 0
			}
			hardware := d.regs[d.word("hardware_id")]
			ranks := accl.LocalRanks(3)
			ranks[2].Session, ranks[2].MaxSegmentBytes = 77, 512
			if _, err := accl.Open(within(t), d, p, ranks, 1); err != nil {
				t.Fatal(err)
			}
			want := map[uint32]uint32{d.word("hardware_id"): hardware}
			if c.ready != 0 {
				want[c.ready] = 1
			}
			const first = 0x1_0000_1000 // where the device's memory begins
			at := uint32(c.records)
			for i := range uint32(16) {
				for w := range c.words {
					want[at+4*uint32(w)] = 0
				}
				want[at+4*uint32(c.addr)] = uint32(first + 4096*uint64(i)&0xFFFFFFFF)
				want[at+4*uint32(c.addr)+4] = 1
				if c.maxLen >= 0 {
					want[at+4*uint32(c.maxLen)] = 4096
				}
				at += 4 * uint32(c.words)
			}
			want[uint32(c.count)] = 16
			if c.size >= 0 {
				want[uint32(c.size)] = 4096
			}
			for i, place := range c.scratch {
				address := first + 16*4096 + uint64(i)*32<<20
				want[place], want[place+4] = uint32(address), uint32(address>>32)
			}
			// Communicator: size, local rank, and for each rank ip, port, two sequence
			// numbers, session, segment size.
			words := []uint32{3, 1}
			for i, r := range ranks {
				segment := c.segment
				if i == 2 {
					segment = 512
				}
				words = append(words, 127<<24|1, uint32(5500+i), 0, 0, r.Session, segment)
			}
			for i, w := range words {
				want[at+4*uint32(i)] = w
			}
			// The platform keeps room for 32 ranks.
			at += 8 + 32*24
			assert.Check(t, is.Equal(p.Exchange.ConfigOffsets[0], at), "kernels expect configurations at 0x")
			for _, config := range [][]uint32{
				{2, 2, 0, 0, 0, 2, 0, 4, 9}, {4, 2, 0, 0, 1, 2, 1, 4, 9}, {4, 4, 0, 0, 0, 2, 0, 0, 5},
				{8, 8, 0, 0, 0, 2, 0, 1, 6}, {4, 4, 0, 0, 0, 2, 0, 2, 7}, {8, 8, 0, 0, 0, 2, 0, 3, 8},
			} {
				for i, w := range config {
					want[at+4*uint32(i)] = w
				}
				at += 4 * uint32(len(config))
			}
			got := map[uint32]uint32{}
			for at, v := range d.regs {
				if v != 0xDEADBEEF {
					got[at] = v
				}
			}
			assert.Check(t, is.DeepEqual(hexed(want), hexed(got)), "-contract +driver")
			if i := slices.Index(d.writes, uint32(c.count)); i < 0 ||
				slices.Max(slices.Concat(d.writes[:i], []uint32{0})) < uint32(c.records) ||
				slices.Contains(d.writes[i+1:], uint32(c.records)) {
				t.Errorf("the count is not written after the records")
			}
			assert.Check(t, c.ready == 0 || d.writes[len(d.writes)-1] == c.ready, "config_ready is not written last")
		})
	}
}

// hexed makes differences readable.
func hexed(m map[uint32]uint32) map[string]string {
	out := map[string]string{}
	for at, v := range m {
		out[fmt.Sprintf("0x%04X", at)] = fmt.Sprintf("0x%08X", v)
	}
	return out
}

// TestConfigCalls lists the config calls of Open for each generation.
func TestConfigCalls(t *testing.T) {
	type call struct{ function, count, comm uint32 }
	for _, c := range []struct {
		platform string
		options  []accl.OpenOption
		want     []call
	}{
		{"u280_manual", nil, []call{{fnReset, 0, 0}, {fnEnable, 0, 0}, {fnTimeout, 1e6, 0}, {fnSegment, 4096, 0},
			{fnStack, 1, 0}, {fn3, 0, 0xA44}, {fn4, 0, 0xA44}}},
		{"u280_2022", nil, []call{{fnEnable, 0, 0}, {fnTimeout, 1e6, 0}, {fnSegment, 4096, 0}, {fnStack, 1, 0},
			{fn3, 0, 0x204}, {fn4, 0, 0x204}}},
		{"u280_2022", []accl.OpenOption{accl.ResetFirst(), accl.GivenSessions(), accl.WithMaxSegment(1024),
			accl.WithTimeout(500)},
			[]call{{fnReset, 0, 0}, {fnEnable, 0, 0}, {fnTimeout, 500, 0}, {fnSegment, 1024, 0}, {fnStack, 1, 0}}},
		{"u55c_tcp", nil, []call{{fnReset, 0, 0}, {fnEnable, 0, 0}, {fnTimeout, 1e6, 0}, {fn3, 4096, 0}, {fn4, 32 << 20, 0}}},
		{"u55c_udp", []accl.OpenOption{accl.WithMaxEager(8192), accl.WithMaxRendezvous(1 << 20)},
			[]call{{fnReset, 0, 0}, {fnEnable, 0, 0}, {fnTimeout, 1e6, 0}, {fn3, 8192, 0}, {fn4, 1 << 20, 0}}},
	} {
		t.Run(c.platform, func(t *testing.T) {
			p := platformOf(t, c.platform)
			d := newDevice(p)
			if _, err := accl.Open(within(t), d, p, accl.LocalRanks(3), 1,
				append(c.options, accl.WithClient(3))...); err != nil {
				t.Fatal(err)
			}
			var got []call
			for _, made := range d.taken() {
				got = append(got, call{made.FunctionCode, made.Count, made.Comm})
				plain := made.Call
				plain.FunctionCode, plain.Count, plain.Comm = 0, 0, 0
				assert.Check(t, plain == (accl.Call{Tag: 0xFFFFFFFF}) && made.client == 3, "%+v", made)
			}
			assert.Check(t, is.DeepEqual(c.want, got, cmp.AllowUnexported(call{})), "-want +")
		})
	}
}

// TestStepsOfTheGuide configures an engine in the four steps of the user's
// guide.
func TestStepsOfTheGuide(t *testing.T) {
	for _, name := range platformNames {
		t.Run(name, func(t *testing.T) {
			p, ctx := platformOf(t, name), within(t)
			d := newDevice(p)
			e, err := accl.New(d, p)
			assert.NilError(t, err)
			assert.Check(t, is.Equal(len(d.writes)+len(d.calls)+len(d.memory), 0), "New touches the device")
			if _, err := e.Nop(ctx); !errors.Is(err, accl.ErrNotConfigured) {
				t.Errorf("a call before: %v", err)
			}
			if _, err := e.ConfigureCommunicator(ctx, accl.LocalRanks(3), 1); !errors.Is(err, accl.ErrNotConfigured) {
				t.Errorf("a communicator before rx buffers: %v", err)
			}
			assert.Check(t, is.ErrorIs(e.OpenPort(ctx), accl.ErrNotConfigured), "a port before a communicator")
			assert.NilError(t, e.SetupRxBuffers(ctx, 4, 8192))
			assert.Check(t, is.ErrorIs(e.SetupRxBuffers(ctx, 4, 8192), accl.ErrConfigured), "rx buffers twice")
			world, err := e.ConfigureCommunicator(ctx, accl.LocalRanks(3), 1)
			assert.NilError(t, err)
			if world != e.World() || world.Rank() != 1 || world.Size() != 3 || e.Rank() != 1 || e.Size() != 3 {
				t.Errorf("rank %d of %d", world.Rank(), world.Size())
			}
			assert.NilError(t, e.OpenPort(ctx))
			assert.NilError(t, e.OpenCon(ctx))
			if err := e.Enable(ctx); err != nil { // nothing left to do
				t.Fatal(err)
			}
			if _, err := e.Nop(ctx); err != nil {
				t.Error(err)
			}
			rx := p.Exchange.Tables[0]
			if got := d.regs[rx.At]; got != 4 {
				t.Errorf("%d rx buffers", got)
			}
			if err := e.Close(ctx); err != nil || d.allocated() != 0 {
				t.Errorf("%v, %d pieces of memory left", err, d.allocated())
			}
			assert.Check(t, is.ErrorIs(e.SetupRxBuffers(ctx, 0, 0), accl.ErrClosed), "after Close")
		})
	}
}

func TestOpenRefuses(t *testing.T) {
	none := func(*accl.Platform, *device) {}
	for _, c := range []struct {
		name, platform string
		change         func(p *accl.Platform, d *device)
		options        []accl.OpenOption
		ranks, local   int
		want           error
		says           string
	}{
		{"hardware", "u55c_tcp", func(p *accl.Platform, d *device) { d.regs[0x1FF8] ^= 1<<0 | 1<<1 | 1<<3 }, nil, 3, 1,
			accl.ErrHardware, "stack is rdma, not tcp; arithmetic is 0, not 1"},
		{"another interface", "u55c_tcp", func(p *accl.Platform, d *device) { d.regs[0x1FF8] = 0 }, nil, 3, 1,
			accl.ErrHardware, "no engine with the interface accl-2024"},
		{"in use", "u280_2022", func(p *accl.Platform, d *device) { d.regs[0x1FF4] = 1 }, nil, 3, 1, accl.ErrConfigured,
			"ResetFirst"},
		{"another stack", "u55c_tcp", none, []accl.OpenOption{accl.WithProtocol("udp")}, 3, 1, accl.ErrUnsupported, `"tcp"`},
		{"thresholds of another generation", "u280_2022", none, []accl.OpenOption{accl.WithMaxEager(8192)}, 3, 1,
			accl.ErrUnsupported, "eager only"},
		{"eager below rx buffer", "u55c_tcp", none, []accl.OpenOption{accl.WithMaxEager(64)}, 3, 1, accl.ErrArgument,
			"64 bytes eagerly"},
		{"rendezvous not above eager", "u55c_tcp", none, []accl.OpenOption{accl.WithMaxRendezvous(4096)}, 3, 1,
			accl.ErrArgument, "by rendezvous"},
		{"rx buffer of odd size", "u55c_tcp", none, []accl.OpenOption{accl.WithRxBuffers(4, 100)}, 3, 1, accl.ErrArgument,
			"multiple of 64"},
		{"segments above rx buffers", "u55c_tcp", none, []accl.OpenOption{accl.WithMaxSegment(8192)}, 3, 1, accl.ErrArgument,
			"segments"},
		{"tuning word", "u55c_tcp", none, []accl.OpenOption{accl.WithTuning("speed", 9)}, 3, 1, accl.ErrArgument, `"speed"`},
		{"tuning of another generation", "u280_2022", none, []accl.OpenOption{accl.WithTuning("gather_fan_in", 9)}, 3, 1,
			accl.ErrArgument, "accl-2022"},
		{"local rank", "u55c_tcp", none, nil, 3, 3, accl.ErrRank, "3 is none of 3"},
		{"no ranks", "u55c_tcp", none, nil, 0, 0, accl.ErrRank, ""},
		{"too many ranks", "u280_manual", none, nil, 60, 1, accl.ErrExchangeFull, "51 ranks would fit"},
		{"too many rx buffers", "u55c_tcp", none, []accl.OpenOption{accl.WithRxBuffers(400, 64)}, 3,
			1, accl.ErrExchangeFull, ""},
		{"broken platform", "u55c_tcp", func(p *accl.Platform, d *device) {
			p.ConfigFunctions = slices.Clone(p.ConfigFunctions[1:])
			p.Exchange.Tables = p.Exchange.Tables[:2]
		}, nil, 3, 1, nil, `no config function "reset_periph"`},
		{"unknown configuration word", "u55c_tcp", func(p *accl.Platform, d *device) {
			p.Exchange.Tables = slices.Clone(p.Exchange.Tables)
			p.Exchange.Tables[2].Header = append(slices.Clone(p.Exchange.Tables[2].Header), "mystery")
		}, nil, 3, 1, nil, `"mystery"`},
		{"dead device", "u55c_tcp", func(p *accl.Platform, d *device) { d.refuse = errTaken }, nil, 3, 1, errTaken, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := platformOf(t, c.platform)
			d := newDevice(p)
			c.change(p, d)
			_, err := accl.Open(within(t), d, p, accl.LocalRanks(c.ranks), c.local, c.options...)
			assert.Check(t, err != nil && (c.want == nil || errors.Is(err, c.want)) && strings.Contains(err.Error(), c.says),
				"%v, want %v that says %q", err, c.want, c.says)
			assert.Check(t, d.allocated() == 0, "%d pieces of memory left", d.allocated())
			if c.want != nil && d.platform.Features.ConfigReady && d.refuse == nil && c.name != "in use" &&
				d.regs[d.word("config_ready")] != 0 {
				t.Error("the engine is left configured")
			}
		})
	}
}

func TestRanks(t *testing.T) {
	for _, c := range []struct {
		name  string
		ranks []accl.Rank
	}{
		{"no address", []accl.Rank{{Port: 1}}},
		{"IPv6", []accl.Rank{{IP: netip.MustParseAddr("::1"), Port: 1}}},
		{"twice", []accl.Rank{{IP: netip.MustParseAddr("10.0.0.1"), Port: 1},
			{IP: netip.MustParseAddr("::ffff:10.0.0.1"), Port: 1}}},
	} {
		p := platformOf(t, "u55c_tcp")
		if _, err := accl.Open(within(t), newDevice(p), p, c.ranks, 0); !errors.Is(err, accl.ErrRank) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

// TestAnyHardware opens what it is told not to look at.
func TestAnyHardware(t *testing.T) {
	p := platformOf(t, "u55c_tcp")
	d := newDevice(p)
	d.regs[0x1FF8] = 0
	if _, err := accl.Open(within(t), d, p, accl.LocalRanks(2), 0, accl.AnyHardware()); err != nil {
		t.Error(err)
	}
}

// TestMaxRanks fills the exchange memory to the last rank that fits.
func TestMaxRanks(t *testing.T) {
	for _, name := range platformNames {
		p := platformOf(t, name)
		small := []accl.OpenOption{accl.GivenSessions()}
		if p.Features.Rendezvous {
			small = append(small, accl.WithMaxRendezvous(8192))
		}
		// By hand: the limit, less tables of 16 rx buffers and 6 configurations of 9
		// words, less the header, by 24 bytes a rank.
		most := map[string]int{
			"u280_manual": (0xFF8 - 0x804 - 16*36 - 6*36 - 8) / 24,
			"u280_2022":   (0x1F64 - 0x4 - 16*32 - 6*36 - 8) / 24,
		}[name]
		if most == 0 {
			most = (0x1F64 - 0x8 - 16*28 - 6*36 - 8) / 24
		}
		if _, err := accl.Open(within(t), newDevice(p), p, accl.LocalRanks(most), 0, small...); err != nil {
			t.Errorf("%s: %d ranks: %v", name, most, err)
		}
		_, err := accl.Open(within(t), newDevice(p), p, accl.LocalRanks(most+1), 0, small...)
		if !errors.Is(err, accl.ErrExchangeFull) ||
			!strings.Contains(err.Error(), fmt.Sprintf("; %d ranks would fit", most)) {
			t.Errorf("%s: %d ranks: %v", name, most+1, err)
		}
	}
}

func TestArithmeticOption(t *testing.T) {
	p := platformOf(t, "u55c_tcp")
	d := newDevice(p)
	e, err := accl.Open(within(t), d, p, accl.LocalRanks(2), 0, accl.WithArithmetic(accl.ArithConfig{
		Uncompressed: accl.TypeFloat32, Compressed: accl.TypeFloat16, UncompressedBytes: 11, CompressedBytes: 12,
		RatioLog:        13,
		CompressorTDEST: 14, DecompressorTDEST: 15, ArithmeticIsCompressed: true, FunctionTDEST: []int{16, 17, 18},
	}))
	assert.NilError(t, err)
	at := uint32(8 + 16*28 + 8 + 32*24)
	for i, want := range []uint32{11, 12, 13, 14, 15, 3, 1, 16, 17, 18} {
		if got := d.regs[at+4*uint32(i)]; got != want {
			t.Errorf("word %d is %d, want %d", i, got, want)
		}
	}
	b := alloc[int32](t, e, d, 1)
	if _, err := e.Copy(within(t), b, b, 1); !errors.Is(err, accl.ErrType) {
		t.Errorf("a type without configuration: %v", err)
	}
}

// TestTypesWithoutFunctions: what the engine cannot reduce it can still move.
func TestTypesWithoutFunctions(t *testing.T) {
	p := platformOf(t, "u55c_tcp")
	p.Types = append(slices.Clone(p.Types), accl.Type{Name: "bfloat16", Bytes: 2}, accl.Type{Name: "block", Bytes: 16})
	d := newDevice(p)
	ctx := within(t)
	e, err := accl.Open(ctx, d, p, accl.LocalRanks(2), 0)
	assert.NilError(t, err)
	d.taken()
	b := alloc[accl.BFloat16](t, e, d, 4)
	if _, err := e.Copy(ctx, b, b, 4); err != nil {
		t.Error(err)
	}
	at := d.taken()[0].ArithCfg
	if want := []uint32{2, 2, 0, 0, 0, 0, 0}; at != 0x5A8 || d.regs[at] != want[0] || d.regs[at+20] != 0 {
		t.Errorf("configuration at 0x%X: %d bytes, %d functions", at, d.regs[at], d.regs[at+20])
	}
	if _, err := e.AllReduce(ctx, b, b, 4, accl.Sum); !errors.Is(err, accl.ErrFunc) {
		t.Errorf("a sum of it: %v", err)
	}
	blocks, err := accl.AllocAs[[16]byte](ctx, e, "block", 3)
	assert.NilError(t, err)
	if _, err := e.AllGather(ctx, blocks.Slice(0, 1), blocks.Slice(1, 3), 1); err != nil {
		t.Error(err)
	}
}

// TestSetters changes limits while the engine runs.
func TestSetters(t *testing.T) {
	ctx := within(t)
	e, d := opened(t, "u55c_tcp", accl.WithMaxRendezvous(1<<20))
	for _, err := range []error{e.SetTimeout(ctx, 7), e.SetMaxEager(ctx, 8192), e.SetMaxRendezvous(ctx, 1<<20)} {
		assert.Check(t, err)
	}
	want := []accl.Call{{FunctionCode: 2, Count: 7, Tag: math.MaxUint32},
		{FunctionCode: 3, Count: 8192, Tag: math.MaxUint32}, {FunctionCode: 4, Count: 1 << 20, Tag: math.MaxUint32}}
	for i, made := range d.taken() {
		if made.Call != want[i] {
			t.Errorf("%+v, want %+v", made.Call, want[i])
		}
	}
	assert.Check(t, is.ErrorIs(e.SetMaxRendezvous(ctx, 1<<20+1), accl.ErrArgument), "beyond the scratch buffers")
	assert.Check(t, is.ErrorIs(e.SetMaxSegment(ctx, 64), accl.ErrUnsupported), "segment size")
	assert.NilError(t, e.Close(context.Background()))
	assert.Check(t, is.ErrorIs(e.SetTimeout(ctx, 7), accl.ErrClosed), "after Close")
}

func TestHardwareID(t *testing.T) {
	e, _ := opened(t, "u280_manual")
	id, err := e.HardwareID(within(t))
	assert.NilError(t, err)
	want := accl.HardwareID{Word: 0xABCDEF3D, Stack: "tcp", InternalDMA: true, Arithmetic: true, Compression: true,
		KernelStreams: true, Revision: 0xABCDEF}
	assert.Check(t, id == want, "%+v", id)
	if got, want := id.String(),
		"0xABCDEF3D: tcp, internal DMA, arithmetic, compression, kernel streams, revision abcdef"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
