package kernels

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	_ "embed"

	"github.com/zclconf/go-cty/cty"
	"gotest.tools/v3/assert"

	"github.com/cclforge/cclforge/gen/abi"
	"github.com/cclforge/cclforge/gen/design"
	"github.com/cclforge/cclforge/gen/designtest"
	"github.com/cclforge/cclforge/verify/rtlsim/verilate"
	"github.com/cclforge/cclforge/verify/rtltest/block"
	"github.com/cclforge/cclforge/verify/rtltest/ieee"
	"github.com/cclforge/cclforge/verify/rtltest/streams"
)

//go:embed shell/vadd_put.cpp
var shell []byte

var le = binary.LittleEndian

const (
	tag  = 9       // of the put
	base = 1 << 36 // of memory
	one  = 0x3F800000
)

type putOptions struct { // as in the shell
	seed, base, pauses, take                  uint64
	answer, control, start, done, idle, ready uint32
	maxCycles, reset                          uint64
}

type putWrite struct{ offset, value uint32 }

type putResult struct {
	call                                         [16]uint32
	words, sent, received, answered, ended, busy uint64
}

// bench is the Verilated kernel of a platform.
type putBench struct {
	d      *design.Design
	kernel *design.Kernel
	handle uintptr
	run    func(handle uintptr, o *putOptions, writes *putWrite, count uint64, memory *byte, size uint64, in *streams.Beat,
		inCount uint64, out *streams.Beat, room uint64, r *putResult) int64
}

func loadPut(t *testing.T, platform string) (*design.Design, *design.Kernel) {
	t.Helper()
	d := designtest.Load(t, platform, map[string]cty.Value{"user_kernel": cty.StringVal("vadd_put")})
	for _, in := range d.Instances {
		if in.Kernel.ID == "vadd_put" {
			return d, in.Kernel
		}
	}
	t.Fatalf("%s has no vadd_put", platform)
	return nil, nil
}

func newPutBench(t *testing.T, platform string) *putBench {
	t.Helper()
	if err := verilate.Available(t.Context()); err != nil {
		t.Skip(err)
	}
	b := &putBench{}
	b.d, b.kernel = loadPut(t, platform)
	sources, err := verilate.SourcesOf(t.Context(), b.d, "external_dma", "vadd_put")
	assert.NilError(t, err)
	sources, err = block.Needed(sources, "vadd_put")
	assert.NilError(t, err)
	shells, err := verilate.Place(map[string][]byte{"vadd_put/rhythm.h": streams.Rhythm, "vadd_put/shell.cpp": shell})
	assert.NilError(t, err)
	var create func(seed uint64) uintptr
	var free func(handle uintptr)
	assert.NilError(t, verilate.Build{Top: "vadd_put", Sources: sources, Shell: shells[1:], Careful: true}.Bind(
		t.Context(), "bench_", map[string]any{"new": &create, "delete": &free, "run": &b.run}))
	b.handle = create(0)
	t.Cleanup(func() { free(b.handle) })
	return b
}

// bit is the mask of a bit of the control register.
func (b *putBench) bit(name string) uint32 {
	bits := b.d.ABI().BitSet("hostctrl_control").Bits
	return 1 << bits[slices.IndexFunc(bits, func(x abi.Bit) bool { return x.Name == name })].At
}

// control is the offset of the control register.
func (b *putBench) control() uint32 {
	registers := b.d.ABI().RegisterMap("hostctrl").Registers
	return registers[slices.IndexFunc(registers, func(x abi.Register) bool { return x.Name == "control" })].At
}

// argument is what a host writes to set one.
func (b *putBench) argument(name string, value uint64) (writes []putWrite) {
	a := b.kernel.Arguments[slices.IndexFunc(b.kernel.Arguments, func(a design.Argument) bool { return a.Name == name })]
	for i := range a.Width / 32 {
		writes = append(writes, putWrite{a.At + uint32(4*i), uint32(value >> (32 * i))})
	}
	return writes
}

// call is the words of the put, by their names.
func (b *putBench) call(count, destination, comm, config uint32) (words []uint32) {
	flags := uint32(0)
	for _, bit := range b.d.ABI().BitSet("stream_flags").Bits {
		if bit.Name == "op0" || bit.Name == "res" {
			flags |= 1 << bit.At
		}
	}
	operations := b.d.ABI().Enum("operation").Values
	send := operations[slices.IndexFunc(operations, func(v abi.EnumValue) bool { return v.Name == "send" })].Value
	values := map[string]uint32{
		"scenario": send, "count": count, "comm": comm, "root_src_dst": destination, "tag": tag, "arithcfg": config,
		"stream_flags": flags,
	}
	for _, w := range b.d.ABI().Record("call").Words {
		words = append(words, values[w.Name])
		delete(values, w.Name)
	}
	if len(values) != 0 {
		panic(fmt.Sprintf("a call has no words %v", values))
	}
	return words
}

// job is one use of the kernel.
type putJob struct {
	seed     uint64
	count    int
	src, dst int // offsets in memory
	pauses   int
	failing  bool // the engine takes half of the data and answers with an error
	again    bool // without a reset before it
}

var putFailures = map[int64]string{
	-1: "an access outside of memory", -2: "a burst across 4 KiB",
	-3: "something changed before it was taken, or was under way at the end",
	-4: "the cycles were used up", -5: "too many words or beats", -6: "TLAST at the wrong place",
	-7: "a burst of the wrong size or type",
}

func (b *putBench) do(j putJob) error {
	r := rand.New(rand.NewPCG(j.seed, 0))
	elements := max(j.count, 0)
	bytes, beats := 4*elements, (4*elements+63)/64
	size := max(j.src, j.dst) + bytes + 128
	size -= size % 64
	memory := make([]byte, size)
	for i := 0; i < size; i += 4 {
		v := r.Uint32()
		if v%4 == 0 { // near 1, where sums round and cancel
			v = uint32(one)&^(r.Uint32()>>(r.IntN(24)+8))<<r.IntN(2) ^ v<<31
		}
		le.PutUint32(memory[i:], v)
	}
	in := make([]streams.Beat, beats+3) // what comes after its own stays there
	for i := range in {
		for at := 0; at < 64; at += 8 {
			le.PutUint64(in[i].Data[at:], r.Uint64())
		}
		in[i].Keep, in[i].Last, in[i].TDEST = streams.Full, uint8(r.IntN(4)/3), tag
	}
	destination, comm, config := r.Uint32(), r.Uint32(), r.Uint32()
	var writes []putWrite
	for _, w := range [][]putWrite{
		b.argument("src", base+uint64(j.src)), b.argument("dst", base+uint64(j.dst)),
		b.argument("count", uint64(uint32(j.count))),
		b.argument("destination", uint64(destination)), b.argument("comm_adr", uint64(comm)),
		b.argument("dpcfg_adr", uint64(config)),
	} {
		writes = append(writes, w...)
	}
	o := putOptions{
		seed: j.seed, base: base, pauses: uint64(j.pauses), take: uint64(beats),
		control: b.control(), start: b.bit("start"), done: b.bit("done"), idle: b.bit("idle"), ready: b.bit("ready"),
		maxCycles: uint64(100*beats + 20_000),
	}
	if !j.again {
		o.reset = 1
	}
	if j.failing {
		o.take, o.answer = uint64(beats/2), 1<<11
	}
	got, out, res := slices.Clone(memory), make([]streams.Beat, beats+1), putResult{}
	given := in
	if j.failing {
		given = in[:beats/3]
	}
	first := &in[0]
	code := b.run(b.handle, &o, &writes[0], uint64(len(writes)), &got[0], uint64(size), first, uint64(len(given)),
		&out[0], uint64(beats), &res)
	if code != 0 {
		return errors.New(putFailures[code])
	}
	if res.busy != 0 {
		return fmt.Errorf("the control register is idle while the kernel runs, or not idle and ready at its end: %d",
			res.busy)
	}
	if elements == 0 {
		if res.words+res.sent+res.received != 0 || !slices.Equal(got, memory) {
			return errors.New("it does something with nothing")
		}
		return nil
	}
	if want := b.call(uint32(j.count), destination, comm, config); !slices.Equal(res.call[:res.words], want) {
		return fmt.Errorf("the call is %x, not %x", res.call[:res.words], want)
	}
	if res.answered >= res.ended {
		return fmt.Errorf("answered in cycle %d, ended in cycle %d", res.answered, res.ended)
	}
	if !j.failing && (res.sent != uint64(beats) || res.received != uint64(beats)) {
		return fmt.Errorf("%d beats were put and %d taken, not %d", res.sent, res.received, beats)
	}
	for i := range int(res.sent) * 16 {
		if i >= elements {
			break
		}
		a, sum := le.Uint32(memory[j.src+4*i:]), le.Uint32(out[i/16].Data[i%16*4:])
		if want := ieee.Float32.Sum(uint64(a), one); uint64(sum) != want {
			return fmt.Errorf("element %d: %x + 1 is put as %x, not %x", i, a, sum, want)
		}
	}
	if last := out[beats-1]; !j.failing && (last.Last != 1 || last.Keep != streams.Full>>(64*beats-bytes)) {
		return fmt.Errorf("the last beat has TLAST %d and TKEEP %x", last.Last, last.Keep)
	}
	want := slices.Clone(memory)
	for i := range bytes {
		want[j.dst+i] = 0
		if i/64 < int(res.received) {
			want[j.dst+i] = in[i/64].Data[i%64]
		}
	}
	for i := range want {
		if got[i] != want[i] {
			return fmt.Errorf("byte %d of memory, %d of dst, is %x, not %x", i, i-j.dst, got[i], want[i])
		}
	}
	return nil
}

func TestElementsArePutPlusOneAndReceivedOnesWritten(t *testing.T) {
	b := newPutBench(t, "u55c_tcp")
	first := block.ExtraSeed()
	for run := range uint64(120) {
		seed := run // 0 among them
		if run >= 60 {
			seed += first
		}
		r := rand.New(rand.NewPCG(seed, 1))
		j := putJob{seed: seed, count: 1 + r.IntN([]int{40, 200, 5000}[r.IntN(3)]), pauses: []int{0, 0, 60, 200}[r.IntN(4)],
			again: run%60 != 0}
		j.src = 64 * r.IntN(100)
		j.dst = j.src + 4*j.count + 64 + 64*r.IntN(100) // apart: both are under way together
		if r.IntN(2) == 0 {
			j.src, j.dst = j.src+4*r.IntN(16), j.dst+4*r.IntN(16)
		}
		if r.IntN(2) == 0 {
			j.src, j.dst = j.dst, j.src
		}
		assert.NilError(t, b.do(j), "seed %d, %+v", seed, j)
	}
}

// The calls of another generation lint, too.
func TestTheKernelOfAnotherGenerationHasNoWarnings(t *testing.T) {
	d, _ := loadPut(t, "u280_2022")
	sources, err := verilate.SourcesOf(t.Context(), d, "external_dma", "vadd_put")
	assert.NilError(t, err)
	if err := verilate.Lint(t.Context(), "vadd_put", nil, sources...); errors.Is(err, verilate.ErrTools) {
		t.Skip(err)
	} else if err != nil {
		t.Error(err)
	}
}

func TestATransferLargerThanACommandOfTheDataMoverIsWhole(t *testing.T) {
	b := newPutBench(t, "u55c_tcp")
	count := 1<<20 + 1<<18 + 3 // commands are of 4 MiB
	assert.Check(t, b.do(putJob{seed: 1, count: count, src: 64, dst: 4*count + 256}))
}

func TestWithoutElementsNothingHappens(t *testing.T) {
	b := newPutBench(t, "u55c_tcp")
	for _, count := range []int{0, -1, -1 << 31} {
		assert.Check(t, b.do(putJob{count: count, src: 64, dst: 128}), "%d elements", count)
	}
}

func TestAFailedCallEndsTheKernel(t *testing.T) {
	b := newPutBench(t, "u55c_tcp")
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 2))
		count := 1 + r.IntN(3000)
		if err := b.do(putJob{seed: seed, count: count, src: 4, dst: 4*count + 132, pauses: 60 * r.IntN(3),
			failing: true}); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if err := b.do(putJob{seed: seed, count: 100, src: 64, dst: 1024}); err != nil { // and after it
			t.Fatalf("seed %d, after it: %v", seed, err)
		}
	}
}
