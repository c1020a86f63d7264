package rtlsim

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/gen/design"
	"github.com/cclforge/cclforge/gen/designtest"
	"github.com/cclforge/cclforge/verify/emu/memory"
	"github.com/cclforge/cclforge/verify/emu/rv32"
	"github.com/cclforge/cclforge/verify/fabric"
	"github.com/cclforge/cclforge/verify/rtlsim/verilate"
	"github.com/cclforge/cclforge/verify/world/engine"
)

// toy builds the platform of testdata for a design.
func toy(t *testing.T, d *design.Design, b Build) string {
	t.Helper()
	if err := verilate.Available(t.Context()); err != nil {
		t.Skip(err)
	}
	sources, err := verilate.SourcesOf(t.Context(), d, "sim")
	assert.NilError(t, err)
	var some []string
	for _, s := range sources {
		base := filepath.Base(s)
		if base == "cclo_pkg.sv" || strings.HasPrefix(base, "sim_") || strings.HasPrefix(base, "axilite_") ||
			base == "skid_buffer.sv" || base == "fifo.sv" {
			some = append(some, s)
		}
	}
	top, err := filepath.Abs("testdata/platform_top.sv")
	assert.NilError(t, err)
	control, err := controlPort(d, 0)
	assert.NilError(t, err)
	path, err := build(t.Context(), append(some, top), b, map[string]string{"CONTROL": fmt.Sprint(control)})
	assert.NilError(t, err)
	return path
}

// Record is how cards of tests are recorded: by package simtest, which needs this one.
var Record func(t testing.TB, card string) *Recorder

// ToyEngine is toyEngine for tests outside of the package.
var ToyEngine = toyEngine

func toyEngine(t *testing.T, o Options) (*Engine, *design.Design) {
	t.Helper()
	d := designtest.Load(t, "u55c_tcp", nil)
	if o.Record == nil {
		o.Record = Record(t, "toy")
	}
	o.Build.KernelPort = true
	o.Library = toy(t, d, o.Build)
	if o.Image == nil {
		o.Image = []byte{1, 2, 3, 4, 0x73, 0, 0x50, 0x10, 0xFF, 0xFF, 0xFF, 0xFF, 5}
	}
	port, _, err := fabric.NewNet(fabric.TCP, fabric.Options{}).Port(1, 1)
	assert.NilError(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	e, err := New(ctx, d, port, o)
	assert.NilError(t, err)
	t.Cleanup(func() {
		assert.Check(t, e.Close())
	})
	return e, d
}

func limited(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	t.Cleanup(cancel)
	return ctx
}

func TestTheHostReadsAndWritesRegisters(t *testing.T) {
	e, _ := toyEngine(t, Options{Build: Build{Careful: true}})
	d, ctx := e.Device(), limited(t)
	for i, want := range []uint32{0x04030201, 0x10500073, 0xFFFFFFFF, 5} {
		if got, err := d.ReadReg(ctx, e.first+uint32(4*i)); err != nil || got != want && e.first == 0 {
			t.Errorf("word %d of the image is 0x%X (%v), not 0x%X", i, got, err, want)
		}
	}
	var all sync.WaitGroup
	for g := range uint32(8) {
		all.Go(func() {
			off := e.first + 0x100 + 4*g
			for i := range uint32(10) {
				assert.Check(t, d.WriteReg(ctx, off, g<<16+i))
				if got, err := d.ReadReg(ctx, off); err != nil || got != g<<16+i {
					t.Errorf("0x%X reads 0x%X (%v)", off, got, err)
				}
			}
		})
	}
	all.Wait()
	for _, off := range []uint32{e.first + 2, e.end, e.end + 4} {
		if _, err := d.ReadReg(ctx, off); !errors.Is(err, engine.ErrAddress) {
			t.Errorf("0x%X: %v", off, err)
		}
	}
}

func TestClientsGetTheirAnswersInOrder(t *testing.T) {
	var traced []uint32
	e, _ := toyEngine(t, Options{Build: Build{Careful: true}, Seed: 3,
		OnTrace: func(_ int, w uint32) { traced = append(traced, w) }})
	d, ctx := e.Device(), limited(t)
	const clients, each = 20, 8 // more clients than there are ids
	var all sync.WaitGroup
	for client := range clients {
		all.Go(func() {
			var tickets []accl.Ticket
			for i := range each {
				ticket, err := d.Start(ctx, client, accl.Call{Scenario: 1, Count: uint32(i % 3), Tag: uint32(client<<8 + 2*i)})
				if err != nil {
					t.Error(err)
					return
				}
				tickets = append(tickets, ticket)
			}
			for i, ticket := range tickets {
				if code, err := d.Wait(ctx, ticket); err != nil || code != accl.ReturnCode(client<<8+2*i) {
					t.Errorf("call %d of client %d: 0x%X, %v", i, client, uint32(code), err)
				}
				if _, err := d.Wait(ctx, ticket); !errors.Is(err, engine.ErrTicket) {
					t.Errorf("the second time: %v", err)
				}
			}
		})
	}
	all.Wait()
	if err := e.do(func() {
		assert.Check(t, len(traced) == clients*each, "%d words traced", len(traced))
	}); err != nil {
		t.Error(err)
	}
	if s := e.Stats(); s.Calls != clients*each {
		t.Errorf("%d calls", s.Calls)
	}
}

func TestAReturnCodeHasAllItsBits(t *testing.T) {
	e, _ := toyEngine(t, Options{Build: Build{Careful: true}})
	d, ctx := e.Device(), limited(t)
	ticket, err := d.Start(ctx, 0, accl.Call{Scenario: 1, Tag: 1<<28 - 1})
	assert.NilError(t, err)
	if code, err := d.Wait(ctx, ticket); err != nil || code != 1<<31|1<<28-1 {
		t.Errorf("0x%X, %v", uint32(code), err)
	}
}

func TestAnIdleEngineTakesNoCycles(t *testing.T) {
	e, _ := toyEngine(t, Options{Build: Build{Careful: true}})
	before := e.Cycle()
	time.Sleep(50 * time.Millisecond)
	if after := e.Cycle(); after != before {
		t.Errorf("%d cycles while it was idle", after-before)
	}
}

func TestMemoryIsSharedWithTheHardware(t *testing.T) {
	e, _ := toyEngine(t, Options{Build: Build{Careful: true}, MemoryBytes: 1 << 30, Latency: 5})
	d, ctx := e.Device(), limited(t)
	at := uint64(1<<16 - 100)
	m, err := d.Alloc(ctx, accl.MemSpec{Bytes: 300, At: &at})
	assert.NilError(t, err)
	for i := range m.Bytes() {
		m.Bytes()[i] = byte(i)
	}
	assert.NilError(t, m.SyncTo(ctx, 0, 300))
	ticket, err := d.Start(ctx, 0, accl.Call{Count: 0x30201, Addr0: 1 << 16})
	assert.NilError(t, err)
	if _, err := d.Wait(ctx, ticket); err != nil {
		t.Fatal(err)
	}
	want := bytes.Clone(m.Bytes())
	copy(want[100:], []byte{1, 2, 3, 0})
	clear(m.Bytes())
	if err := m.SyncFrom(ctx, 0, 300); err != nil || !bytes.Equal(m.Bytes(), want) {
		t.Errorf("%v\n%v\n%v", err, m.Bytes(), want)
	}
	for _, bad := range [][2]int{{-1, 1}, {0, 301}, {301, 0}} {
		assert.Check(t, m.SyncTo(ctx, bad[0], bad[1]) != nil, "%v is within 300 bytes", bad)
	}
	if _, err := d.Alloc(ctx, accl.MemSpec{Bytes: 1, At: &at}); !errors.Is(err, memory.ErrTaken) {
		t.Error(err)
	}
	if _, err := d.Alloc(ctx, accl.MemSpec{Bytes: 1, Host: true}); !errors.Is(err, memory.ErrNoMemory) {
		t.Error(err)
	}
	assert.Check(t, m.Free())
}

func TestTheHostIsAtTheKernelStreams(t *testing.T) {
	e, _ := toyEngine(t, Options{Build: Build{Careful: true}})
	d, ctx := e.Device(), limited(t)
	data := bytes.Repeat([]byte("stream of beats "), 100) // 25 beats
	assert.NilError(t, d.Push(ctx, 4, data))
	var got []byte
	for len(got) < len(data) {
		tdest, b, err := d.Pull(ctx, 200)
		assert.Assert(t, err == nil && tdest == 5 && len(b) <= 192, "%d bytes for %d: %v", len(b), tdest, err)
		got = append(got, b...)
	}
	assert.Check(t, bytes.Equal(got, data), "other beats have come back")
	if _, _, err := d.Pull(ctx, 63); !errors.Is(err, engine.ErrBeat) {
		t.Error(err)
	}
	looped, _ := toyEngine(t, Options{Build: Build{Careful: true}, Loop: true})
	if err := looped.Device().Push(ctx, 4, data); !looped.Looped() || !errors.Is(err, engine.ErrLoopback) {
		t.Error(err)
	}
}

func TestWhatFailsEndsTheEngineAndItsCalls(t *testing.T) {
	for _, c := range []struct {
		name     string
		scenario uint32
		is       error
		says     string
	}{
		{"a halted processor", 255, rv32.IllegalInstruction, "pc 0x00000008"},
		{"an assertion", 254, ErrHardware, "the scenario is 254"},
	} {
		t.Run(c.name, func(t *testing.T) {
			e, _ := toyEngine(t, Options{Build: Build{Careful: true}})
			d, ctx := e.Device(), limited(t)
			ticket, err := d.Start(ctx, 0, accl.Call{Scenario: c.scenario, Count: 100})
			assert.NilError(t, err)
			if _, err := d.Wait(ctx, ticket); !errors.Is(err, c.is) || !strings.Contains(err.Error(), c.says) {
				t.Errorf("the call ends with %v", err)
			}
			<-e.Done()
			if _, err := d.Start(ctx, 0, accl.Call{}); !errors.Is(err, c.is) {
				t.Errorf("the next call: %v", err)
			}
			if _, err := d.ReadReg(ctx, e.first); !errors.Is(err, c.is) {
				t.Errorf("a register: %v", err)
			}
			if _, _, err := d.Pull(ctx, 64); !errors.Is(err, c.is) {
				t.Errorf("the kernel stream: %v", err)
			}
		})
	}
}

func TestClosingEndsWhatIsInFlight(t *testing.T) {
	e, _ := toyEngine(t, Options{Build: Build{Careful: true}})
	d, ctx := e.Device(), limited(t)
	ticket, err := d.Start(ctx, 0, accl.Call{Count: 1 << 31})
	assert.NilError(t, err)
	short, cancel := context.WithTimeout(ctx, 20*time.Millisecond)
	defer cancel()
	if _, err := d.Wait(short, ticket); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v", err)
	}
	assert.Check(t, d.Close())
	if _, err := d.Wait(ctx, ticket); !errors.Is(err, engine.ErrClosed) {
		t.Errorf("%v", err)
	}
	assert.Check(t, d.Close())
}

func TestWaveformsAreWrittenOfAWindow(t *testing.T) {
	file := filepath.Join(t.TempDir(), "wave.fst")
	e, _ := toyEngine(t, Options{Build: Build{Trace: true}, Trace: &Trace{File: file, From: 10, To: 100}})
	assert.NilError(t, e.Close())
	if info, err := os.Stat(file); err != nil || info.Size() < 500 {
		t.Errorf("%v, %v", info, err)
	}
}
