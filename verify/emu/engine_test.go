package emu

import (
	"context"
	"encoding/binary"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/gen/designtest"
	"github.com/cclforge/cclforge/gen/driverview"
	"github.com/cclforge/cclforge/verify/emu/rv32"
	"github.com/cclforge/cclforge/verify/fabric"
)

// program is firmware for tests, assembled by hand.
type program struct {
	t     testing.TB
	r     *rig // knows the addresses
	words []uint32
}

// base is where x8 points to: all registers are within 2 KiB of it.
const base = 0x20800

func newProgram(t testing.TB, platform string) *program {
	p := &program{t: t, r: newWorld(t, worldOptions{platform: platform, engines: 1}).rigs[0]}
	p.lui(8, base+0x800)
	p.addi(8, 8, -0x800)
	return p
}

func (p *program) lui(rd, v uint32) { p.words = append(p.words, v&^0xFFF|rd<<7|0x37) }
func (p *program) addi(rd, rs uint32, v int32) {
	p.words = append(p.words, uint32(v)<<20|rs<<15|rd<<7|0x13)
}
func (p *program) add(rd, rs1, rs2 uint32)      { p.words = append(p.words, rs2<<20|rs1<<15|rd<<7|0x33) }
func (p *program) offset(m, name string) uint32 { return (p.r.address(m, name) - base) & 0xFFF }
func (p *program) here() int                    { return len(p.words) }
func (p *program) load(rd uint32, m, name string) {
	p.words = append(p.words, p.offset(m, name)<<20|8<<15|2<<12|rd<<7|0x03)
}

func (p *program) store(m, name string, rs uint32) {
	v := p.offset(m, name)
	p.words = append(p.words, v>>5<<25|rs<<20|8<<15|2<<12|v&31<<7|0x23)
}

// beqz branches back.
func (p *program) beqz(rs uint32, to int) {
	v := uint32(4 * (to - p.here()))
	p.words = append(p.words, v>>12&1<<31|v>>5&0x3F<<25|rs<<15|v>>1&15<<8|v>>11&1<<7|0x63)
}

func (p *program) jump(to int) {
	v := uint32(4 * (to - p.here()))
	p.words = append(p.words, v>>20&1<<31|v>>1&0x3FF<<21|v>>11&1<<20|v>>12&0xFF<<12|0x6F)
}

func (p *program) image() []byte {
	b, _ := binary.Append(nil, binary.LittleEndian, p.words)
	return b
}

// sleep waits for an event, a long time.
func (p *program) sleep() {
	p.load(5, "timers", "milliseconds")
	p.lui(6, 1<<30)
	p.add(5, 5, 6)
	p.store("system", "alarm", 5)
	p.load(5, "system", "sleep")
}

// answering is firmware that answers every call with 0.
func answering(t testing.TB) []byte {
	p := newProgram(t, "u55c_tcp")
	loop := p.here()
	p.sleep()
	next := p.here()
	p.load(6, "calls", "take")
	p.beqz(6, loop)
	p.store("calls", "ticket", 6)
	p.store("calls", "answer", 0)
	p.jump(next)
	return p.image()
}

// boot makes an engine with a goroutine of its own.
func boot(t testing.TB, ctx context.Context, net *fabric.Net, rank int, o Options) (*Engine, error) {
	t.Helper()
	port, _, err := net.Port(ip(rank), 5000)
	assert.NilError(t, err)
	e, err := New(ctx, designtest.Load(t, "u55c_tcp", nil), port, o)
	if err == nil {
		t.Cleanup(func() {
			assert.Check(t, e.Close())
		})
	}
	return e, err
}

func TestCalls(t *testing.T) {
	e, err := boot(t, t.Context(), fabric.NewNet(fabric.TCP, fabric.Options{}), 0, Options{Image: answering(t)})
	assert.NilError(t, err)
	d := e.Device()
	var wg sync.WaitGroup
	for client := range 3 {
		wg.Go(func() {
			for range 300 {
				ticket, err := d.Start(t.Context(), client, accl.Call{})
				if err != nil {
					t.Error(err)
					return
				}
				if code, err := d.Wait(t.Context(), ticket); code != 0 || err != nil {
					t.Errorf("%d, %v", code, err)
				}
			}
		})
	}
	wg.Wait()
	s := e.Stats()
	assert.Check(t, s.Calls == 900 && s.Instructions != 0, "%v", s)
	time.Sleep(20 * time.Millisecond)
	if again := e.Stats(); again.Instructions != s.Instructions {
		t.Errorf("an idle engine executed %d instructions", again.Instructions-s.Instructions)
	}
	ticket, err := d.Start(t.Context(), 0, accl.Call{})
	assert.NilError(t, err)
	assert.Check(t, e.Close())
	if _, err := d.Wait(t.Context(), ticket); err != nil && !errors.Is(err, ErrClosed) {
		t.Error(err)
	}
	if _, err := d.Start(t.Context(), 0, accl.Call{}); !errors.Is(err, ErrClosed) {
		t.Errorf("a call to a closed engine: %v", err)
	}
	if _, err := d.ReadReg(t.Context(), 0); !errors.Is(err, ErrClosed) {
		t.Errorf("a register of a closed engine: %v", err)
	}
	if s := e.Stats(); s.Calls != 901 {
		t.Errorf("%d calls", s.Calls)
	}
}

// TestCloseAnswers has firmware that takes calls and never answers.
func TestCloseAnswers(t *testing.T) {
	p := newProgram(t, "u55c_tcp")
	loop := p.here()
	p.sleep()
	p.load(6, "calls", "take")
	p.jump(loop)
	e, err := boot(t, t.Context(), fabric.NewNet(fabric.TCP, fabric.Options{}), 0, Options{Image: p.image()})
	assert.NilError(t, err)
	var tickets []accl.Ticket
	for range 3 {
		ticket, err := e.Device().Start(t.Context(), 0, accl.Call{})
		assert.NilError(t, err)
		tickets = append(tickets, ticket)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	if _, err := e.Device().Wait(ctx, tickets[0]); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("no answer yet: %v", err)
	}
	e.Close()
	for _, ticket := range tickets {
		if _, err := e.Device().Wait(t.Context(), ticket); !errors.Is(err, ErrClosed) {
			t.Error(err)
		}
	}
}

// TestTrap has firmware that fails at the first call.
func TestTrap(t *testing.T) {
	p := newProgram(t, "u55c_tcp")
	p.sleep()
	p.store("calls", "answer", 0) // which nobody has asked for
	e, err := boot(t, t.Context(), fabric.NewNet(fabric.TCP, fabric.Options{}), 0, Options{Image: p.image()})
	assert.NilError(t, err)
	assert.Check(t, e.Err(), "an engine that runs has ended with")
	ticket, err := e.Device().Start(t.Context(), 0, accl.Call{})
	assert.NilError(t, err)
	_, err = e.Device().Wait(t.Context(), ticket)
	<-e.Done()
	var trap *rv32.Trap
	assert.Check(t, errors.As(err, &trap) && trap.PC == uint32(4*(p.here()-1)), "the call ended with %v", err)
	if _, err := e.Device().Start(t.Context(), 0, accl.Call{}); !errors.As(err, &trap) {
		t.Errorf("the next call: %v", err)
	}
	if err := e.Err(); !errors.As(err, &trap) {
		t.Errorf("the engine has ended with %v", err)
	}
	assert.Check(t, e.Stats().Calls == 1, "%v", e.Stats())
	// What the hardware says of its processor is still there.
	d := driverview.Of(e.d)
	in, err := d.Inspect(t.Context(), e.Device().ReadReg)
	if err != nil || !in.Halted || in.Cause != "unmapped_store" || in.PC != trap.PC || in.Instruction != trap.Instr ||
		in.Address != trap.Addr || !in.Started || in.Heartbeat != 1 {
		t.Errorf("inspected: %+v, %v", in, err)
	}
	for _, cause := range e.d.ABI().Enum("trap_cause").Values {
		if name := strings.ReplaceAll(cause.Name, "_", " "); rv32.Cause(cause.Value).String() != name {
			t.Errorf("cause %d is %s, not %s", cause.Value, name, rv32.Cause(cause.Value))
		}
	}
	if err := e.Close(); err != nil || !errors.Is(e.Err(), ErrClosed) {
		t.Errorf("closing it: %v, then %v", err, e.Err())
	}
}

func TestBoot(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	endless := &program{t: t}
	endless.jump(0)
	var trap *rv32.Trap
	net := fabric.NewNet(fabric.TCP, fabric.Options{})
	if _, err := boot(t, t.Context(), net, 0, Options{Image: make([]byte, 4)}); !errors.As(err, &trap) {
		t.Errorf("an illegal instruction: %v", err)
	}
	if _, err := boot(t, t.Context(), net, 1, Options{Image: make([]byte, 1<<20)}); err == nil {
		t.Error("an image that does not fit was loaded")
	}
	if _, err := boot(t, ctx, net, 2, Options{Image: endless.image()}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("firmware that never sleeps: %v", err)
	}
}

func TestMissingNames(t *testing.T) {
	d := *designtest.Load(t, "u55c_tcp", nil)
	p, g := *d.Platform, *d.ABI()
	p.ABI, d.Platform = &g, &p
	g.Constants, g.Registers = nil, nil
	port, _, _ := fabric.NewNet(fabric.TCP, fabric.Options{}).Port(1, 1)
	if _, err := New(t.Context(), &d, port, Options{}); !errors.Is(err, ErrMissing) {
		t.Error(err)
	} else {
		t.Log(err)
	}
}

func BenchmarkNop(b *testing.B) {
	e, err := boot(b, b.Context(), fabric.NewNet(fabric.TCP, fabric.Options{}), 0, Options{Image: answering(b)})
	assert.NilError(b, err)
	d := e.Device()
	for b.Loop() {
		ticket, err := d.Start(b.Context(), 0, accl.Call{})
		assert.NilError(b, err)
		if _, err := d.Wait(b.Context(), ticket); err != nil {
			b.Fatal(err)
		}
	}
}
