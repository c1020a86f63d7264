// Package external_dma_test checks the data movers and the simulated memory
// against plain byte arrays.
package external_dma_test

import (
	"errors"
	"math/bits"
	"path/filepath"
	"testing"

	"github.com/ebitengine/purego"
	"github.com/zclconf/go-cty/cty"

	"github.com/cclforge/cclforge/gen/abi"
	"github.com/cclforge/cclforge/gen/design"
	"github.com/cclforge/cclforge/gen/designtest"
	"github.com/cclforge/cclforge/verify/rtlsim/verilate"
)

const lineBytes = 64

// Channels of the bench that have a pace, and kinds of errors of its memory, as
// in its shell.
const (
	readCommand = iota
	readStatus
	readData
	writeCommand
	writeStatus
	writeData
	channels
)

const (
	memoryWorks = iota
	memorySlaveError
	memoryDecodeError
	memorySilent
)

// variant is a data mover with its parameters.
type variant struct {
	name   string
	ports  int // memories
	burst  int // lines of a write burst at most
	params map[string]string
}

// Small queues are full all the time.
var variants = []variant{
	{"one port", 1, 16, map[string]string{"PORTS": "1"}},
	{"two ports with small queues", 2, 64, map[string]string{
		"PORTS": "2", "READ_BURST_BEATS": "16", "WRITE_BURST_BEATS": "64", "READ_LINES": "32", "WRITE_LINES": "128",
		"OUTSTANDING": "4",
	}},
}

// library is the C API of the shell.
type library struct {
	create  func(seed uint64) uintptr
	free    func(bench uintptr)
	pace    func(bench uintptr, channel, idle uint32)
	command func(bench uintptr, write uint32, words *uint32, dest uint32)
	beat    func(bench uintptr, data *byte, keep uint64, last uint32)
	run     func(bench uintptr, cycles, reads, writes uint64) uint64
	status  func(bench uintptr, write uint32, value *uint32) uint32
	take    func(bench uintptr, data *byte, keep *uint64, last *uint32, room uint64) uint64
	times   func(bench uintptr, times *uint64)
	left    func(bench uintptr) uint64
	failure func(bench uintptr) string
	set     func(bench uintptr, address, value, strobes uint32) uint32
	get     func(bench uintptr, address uint32, value *uint32) uint32

	memorySeed    func(bench uintptr, seed uint64)
	memoryRead    func(bench uintptr, space int32, address uint64, out *byte, n uint64) int32
	memoryWrite   func(bench uintptr, space int32, address uint64, in *byte, n uint64) int32
	memoryClear   func(bench uintptr, space int32)
	memoryLimit   func(bench uintptr, space int32, limit uint64)
	memoryLatency func(bench uintptr, space int32, cycles, jitter uint32)
	memoryStall   func(bench uintptr, space int32, perMille, longest uint32)
	memoryError   func(bench uintptr, space int32, from, to uint64, kind uint32)
	memoryLate    func(bench uintptr, late int32)
	memoryCounts  func(bench uintptr, counts *uint64)
}

// bench is a Verilated data mover with its memories.
type bench struct {
	library
	handle          uintptr
	ports, burst    int
	command, status *abi.Layout
}

// platformOf is a platform whose package has the formats.
func platformOf(t testing.TB) *design.Design { return designtest.Load(t, "u55c_tcp", nil) }

// load builds a variant.
func load(t testing.TB, v variant) library {
	t.Helper()
	if err := verilate.Available(t.Context()); err != nil {
		t.Skip(err)
	}
	sources, err := verilate.SourcesOf(t.Context(), platformOf(t), "external_dma", "external_dma_1port")
	if err != nil {
		t.Fatal(err)
	}
	host := designtest.Load(t, "u55c_tcp", map[string]cty.Value{"host_memory": cty.True})
	both, err := verilate.SourcesOf(t.Context(), host, "external_dma_2port")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range both {
		if filepath.Base(name) == "external_dma_2port.sv" {
			sources = append(sources, name)
		}
	}
	for _, name := range []string{
		"../../../templates/rtl/sim/sim_axi_read.sv", "../../../templates/rtl/sim/sim_axi_write.sv",
		"../../../templates/rtl/sim/sim_axi_checker.sv", "../../../templates/rtl/sim/sim_axi_memory.sv",
		"testdata/external_dma_bench.sv",
	} {
		sources = append(sources, absolute(t, name))
	}
	path, err := verilate.Build{
		Top: "external_dma_bench", Sources: sources, Params: v.params, Careful: true, Optimize: "-O1",
		Shell:  []string{absolute(t, "testdata/bench.cpp"), absolute(t, "../../rtlsim/shell/memory.cpp")},
		CFlags: []string{"-I" + absolute(t, "../../rtlsim/shell")},
	}.Library(t.Context())
	if errors.Is(err, verilate.ErrTools) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	lib, err := purego.Dlopen(path, purego.RTLD_NOW|purego.RTLD_LOCAL)
	if err != nil {
		t.Fatal(err)
	}
	var l library
	for name, function := range map[string]any{
		"bench_new": &l.create, "bench_free": &l.free, "bench_pace": &l.pace, "bench_command": &l.command,
		"bench_beat": &l.beat, "bench_run": &l.run, "bench_status": &l.status, "bench_take": &l.take,
		"bench_times": &l.times, "bench_left": &l.left, "bench_error": &l.failure,
		"bench_register_write": &l.set, "bench_register_read": &l.get,
		"sim_memory_seed": &l.memorySeed, "sim_memory_read": &l.memoryRead, "sim_memory_write": &l.memoryWrite,
		"sim_memory_clear": &l.memoryClear, "sim_memory_limit": &l.memoryLimit, "sim_memory_latency": &l.memoryLatency,
		"sim_memory_stall": &l.memoryStall, "sim_memory_error": &l.memoryError, "sim_memory_late": &l.memoryLate,
		"sim_memory_counts": &l.memoryCounts,
	} {
		purego.RegisterLibFunc(function, lib, name)
	}
	return l
}

func absolute(t testing.TB, name string) string {
	t.Helper()
	path, err := filepath.Abs(name)
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// newBench is a bench after reset.
func newBench(t testing.TB, l library, v variant, seed uint64) *bench {
	t.Helper()
	generation := platformOf(t).ABI()
	b := &bench{library: l, ports: v.ports, burst: v.burst, command: generation.Layout("dma_command"),
		status: generation.Layout("dma_status")}
	b.handle = l.create(seed)
	t.Cleanup(func() { l.free(b.handle) })
	l.memorySeed(b.handle, seed)
	return b
}

// command is what a data mover is told.
type command struct {
	bytes        int
	address      uint64
	memory       int
	tag          uint32
	end          bool // EOF
	constant     bool // the address does not advance
	streamOffset uint32
}

// refused says whether the command cannot be carried out: by an internal error,
// or because there is no such memory.
func (c command) refused(ports int) (internal, nowhere bool) {
	return c.bytes == 0 || c.constant || c.streamOffset != 0, c.memory >= ports
}

// issue puts a command into the queue.
func (b *bench) issue(write bool, c command) {
	var words [4]uint32
	for name, value := range map[string]uint64{
		"bytes": uint64(c.bytes), "incrementing": flag(!c.constant), "dsa": uint64(c.streamOffset), "eof": flag(c.end),
		"address": c.address, "tag": uint64(c.tag),
	} {
		f := field(b.command, name)
		for i := range f.Bits() {
			if value>>i&1 != 0 {
				words[(f.Low+i)/32] |= 1 << ((f.Low + i) % 32)
			}
		}
	}
	b.library.command(b.handle, uint32(flag(write)), &words[0], uint32(c.memory))
}

func flag(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

func field(l *abi.Layout, name string) abi.Field {
	for _, f := range l.Fields {
		if f.Name == name {
			return f
		}
	}
	panic("there is no field " + name)
}

// report is a status.
type report struct {
	tag                                uint32
	internal, decode, slave, okay, end bool
	bytes                              int
}

func (b *bench) statuses(write bool) []report {
	var all []report
	var value uint32
	for b.library.status(b.handle, uint32(flag(write)), &value) != 0 {
		get := func(name string) uint32 {
			f := field(b.status, name)
			return value >> f.Low & (1<<f.Bits() - 1)
		}
		r := report{
			tag: get("tag"), internal: get("internal_error") != 0, decode: get("decode_error") != 0,
			slave: get("slave_error") != 0, okay: get("okay") != 0,
		}
		if write {
			r.bytes, r.end = int(get("bytes_received")), get("end_of_packet") != 0
		}
		all = append(all, r)
	}
	return all
}

// beat is one of a stream.
type beat struct {
	data [lineBytes]byte
	keep uint64
	last bool
}

func (b *bench) send(x beat) { b.beat(b.handle, &x.data[0], x.keep, uint32(flag(x.last))) }

// taken are the beats that were read.
func (b *bench) taken() []beat {
	const room = 256
	var data [room * lineBytes]byte
	var keep [room]uint64
	var last [room]uint32
	var all []beat
	for {
		n := b.take(b.handle, &data[0], &keep[0], &last[0], room)
		if n == 0 {
			return all
		}
		for i := range n {
			x := beat{keep: keep[i], last: last[i] != 0}
			copy(x.data[:], data[i*lineBytes:])
			all = append(all, x)
		}
	}
}

// finish runs until there were so many statuses and all is quiet.
func (b *bench) finish(t testing.TB, cycles uint64, reads, writes int) {
	t.Helper()
	if n := b.run(b.handle, cycles, uint64(reads), uint64(writes)); n >= cycles {
		t.Errorf("%d cycles were not enough: %d of %d read and %d of %d write statuses are missing",
			cycles, reads-len(b.statuses(false)), reads, writes-len(b.statuses(true)), writes)
	}
	const quiet = 300
	if n := b.run(b.handle, quiet, ^uint64(0), ^uint64(0)); n != quiet && b.failure(b.handle) == "" {
		t.Errorf("the bench stopped after %d cycles", n)
	}
	if text := b.failure(b.handle); text != "" {
		t.Fatal(text)
	}
}

// kept is the TKEEP of n bytes.
func kept(n int) uint64 {
	if n >= lineBytes {
		return ^uint64(0)
	}
	return 1<<n - 1
}

// bytesOf is how many bytes a beat that ends a packet has.
func bytesOf(x beat) int {
	if !x.last {
		return lineBytes
	}
	return bits.OnesCount64(x.keep)
}
