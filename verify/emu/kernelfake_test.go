package emu

import (
	"context"
	"encoding/binary"
	"iter"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

	"github.com/zclconf/go-cty/cty"
	"gotest.tools/v3/assert"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/firmware"
	"github.com/cclforge/cclforge/gen/design"
	"github.com/cclforge/cclforge/gen/designtest"
	"github.com/cclforge/cclforge/gen/driverview"
	"github.com/cclforge/cclforge/gen/platform"
	"github.com/cclforge/cclforge/verify/fabric"
	"github.com/cclforge/cclforge/verify/hls"
	"github.com/cclforge/cclforge/verify/internal/ranktest"
)

// fake is a kernel in Go, with the ports of vadd_put: a coroutine that gives the
// control back when it waits.
type fake struct {
	ports  []*design.Port
	queues [][]hls.Beat
	moved  []uint64
	calls  uint64
	given  []uint64
	state  hls.State
	yield  func(hls.State) bool
	resume func() (hls.State, bool)
	stop   func()
	closed bool
	runs   atomic.Int64
}

// stopped ends the coroutine.
type stopped struct{}

// newFake runs a program: for each call of the host, or again and again.
func newFake(in *design.Instance, program func(k *fake)) *fake {
	k := &fake{}
	for _, p := range in.Ports {
		if p.Protocol == design.AXIS {
			k.ports = append(k.ports, p)
		}
	}
	k.queues, k.moved = make([][]hls.Beat, len(k.ports)), make([]uint64, len(k.ports))
	k.resume, k.stop = iter.Pull(func(yield func(hls.State) bool) {
		defer func() {
			if _, is := recover().(stopped); !is && !k.closed {
				panic("a fake kernel has failed")
			}
		}()
		k.yield = yield
		for {
			for in.Kernel.Control != "ap_ctrl_none" && k.given == nil {
				k.wait(hls.State{Doing: hls.Idle, Port: -1})
			}
			program(k)
			k.calls++
			k.given = nil
		}
	})
	return k
}

func (k *fake) wait(s hls.State) {
	s.Calls = k.calls
	if s.Port >= 0 {
		s.Stream, s.Moved = k.ports[s.Port].Name, k.moved[s.Port]
	}
	if !k.yield(s) {
		panic(stopped{})
	}
}

func (k *fake) port(name string) int {
	for i, p := range k.ports {
		if p.Name == name {
			return i
		}
	}
	panic("no port " + name)
}

func (k *fake) read(name string) hls.Beat {
	i := k.port(name)
	for len(k.queues[i]) == 0 {
		k.wait(hls.State{Doing: hls.Reads, Port: i})
	}
	b := k.queues[i][0]
	k.queues[i] = k.queues[i][1:]
	k.moved[i]++
	return b
}

func (k *fake) write(name string, b hls.Beat) {
	i := k.port(name)
	for len(k.queues[i]) == kernelDepth {
		k.wait(hls.State{Doing: hls.Writes, Port: i})
	}
	k.queues[i] = append(k.queues[i], b)
	k.moved[i]++
}

// send sends words of a call.
func (k *fake) send(words ...uint32) {
	for _, v := range words {
		var b hls.Beat
		binary.LittleEndian.PutUint32(b.Data[:], v)
		k.write("cmd_to_cclo", b)
	}
}

func (k *fake) answer() uint32 {
	b := k.read("sts_from_cclo")
	return binary.LittleEndian.Uint32(b.Data[:])
}

// memory is what a pointer that the host has given points to.
func (k *fake) memory(argument, n int) []uint32 {
	p := *(*unsafe.Pointer)(unsafe.Pointer(&k.given[argument]))
	return unsafe.Slice((*uint32)(p), n)
}

func (k *fake) Put(port int, beats []hls.Beat) int {
	n := min(len(beats), k.Count(port))
	k.queues[port] = append(k.queues[port], beats[:n]...)
	return n
}

func (k *fake) Get(port int, beats []hls.Beat) int {
	n := copy(beats, k.queues[port])
	k.queues[port] = k.queues[port][n:]
	return n
}

func (k *fake) Count(port int) int {
	if k.ports[port].Output {
		return len(k.queues[port])
	}
	return kernelDepth - len(k.queues[port])
}

func (k *fake) Moved(port int) uint64 { return k.moved[port] }

func (k *fake) Start(arguments []uint64) error {
	k.given = arguments
	return nil
}

func (k *fake) Run() hls.State {
	k.runs.Add(1)
	k.state, _ = k.resume()
	return k.state
}

func (k *fake) Close() error {
	k.closed = true
	k.stop()
	return nil
}

// ranks are engines with firmware and a kernel in Go beside each.
type ranks struct {
	t       testing.TB
	emu     []*Engine
	engines []*accl.Engine
	record  func(*accl.Call) []uint32
}

type ranksOptions struct {
	ranks   int
	control string // of the kernel, "" for its own
	engine  Options
	open    []accl.OpenOption
}

// withKernels starts ranks whose kernels run a program.
func withKernels(t testing.TB, o ranksOptions, program func(rank int, k *fake)) *ranks {
	t.Helper()
	d := designtest.Load(t, "u55c_tcp", map[string]cty.Value{"user_kernel": cty.StringVal("vadd_put")})
	for _, in := range d.Instances {
		if in.Role == "user" {
			in.Kernel.Source = platform.SourceHLS
			if o.control != "" {
				in.Kernel.Control = o.control
			}
		}
	}
	image, err := firmware.Prebuilt(d.ABI().Name)
	assert.NilError(t, err)
	net, all := fabric.NewNet(fabric.TCP, fabric.Options{}), accl.LocalRanks(max(o.ranks, 1))
	out := &ranks{t: t}
	out.record, err = CallRecord(d.ABI())
	assert.NilError(t, err)
	devices := make([]accl.Device, len(all))
	for rank, at := range all {
		ip := at.IP.As4()
		port, _, err := net.Port(binary.BigEndian.Uint32(ip[:]), at.Port)
		assert.NilError(t, err)
		eo := o.engine
		eo.Image = image.Code
		eo.open = func(_ context.Context, _ *design.Design, in *design.Instance) (component, error) {
			return newFake(in, func(k *fake) { program(rank, k) }), nil
		}
		e, err := New(t.Context(), d, port, eo)
		assert.NilError(t, err)
		t.Cleanup(func() {
			assert.Check(t, e.Close())
		})
		out.emu, devices[rank] = append(out.emu, e), e.Device()
	}
	p := driverview.Of(d)
	out.engines, err = accl.OpenAll(within(t), devices, &p, all, o.open...)
	assert.NilError(t, err)
	return out
}

func within(t testing.TB) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	t.Cleanup(cancel)
	return ctx
}

// each does something on all ranks at once.
func (r *ranks) each(do func(rank int, e *accl.Engine) error) {
	r.t.Helper()
	ranktest.All(r.t, len(r.engines), func(rank int) error { return do(rank, r.engines[rank]) })
}

// call is a call of a kernel, as words.
func (r *ranks) call(c accl.Call) []uint32 { return r.record(&c) }

// ints allocates memory with numbers.
func ints(t testing.TB, e *accl.Engine, values ...int32) *accl.Buffer[int32] {
	t.Helper()
	b, err := accl.Alloc[int32](within(t), e, len(values))
	assert.NilError(t, err)
	copy(b.Host(), values)
	assert.NilError(t, b.SyncToDevice(within(t)))
	return b
}
