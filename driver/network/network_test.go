package network_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/zclconf/go-cty/cty"
	"gotest.tools/v3/assert"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/driver/layout"
	"github.com/cclforge/cclforge/driver/network"
	"github.com/cclforge/cclforge/gen/designtest"
	"github.com/cclforge/cclforge/gen/driverview"
	"github.com/cclforge/cclforge/verify/fakecards/kernels"
)

var designs sync.Map // by platform and variables

// design is how a shipped platform lies on its card.
func design(t testing.TB, name string, vars map[string]cty.Value) *layout.Design {
	t.Helper()
	key := fmt.Sprint(name, vars)
	if d, ok := designs.Load(key); ok {
		return d.(*layout.Design)
	}
	d, err := driverview.Card(designtest.Load(t, name, vars))
	assert.NilError(t, err)
	designs.Store(key, &d)
	return &d
}

// instances opens registers by name.
type instances map[string]layout.Registers

var errNoInstance = errors.New("no such instance")

func (in instances) open(name string) (layout.Registers, error) {
	if r, ok := in[name]; ok {
		return counted{r}, nil
	}
	return nil, errNoInstance
}

// accesses counts those to all registers.
var accesses atomic.Int64

type counted struct{ layout.Registers }

func (c counted) Read(ctx context.Context, offset uint32) (uint32, error) {
	accesses.Add(1)
	return c.Registers.Read(ctx, offset)
}

func (c counted) Write(ctx context.Context, offset, value uint32) error {
	accesses.Add(1)
	return c.Registers.Write(ctx, offset, value)
}

func stack(t testing.TB, d *layout.Design, in instances) *network.Stack {
	t.Helper()
	s, err := network.Of(d, 0, in.open)
	assert.NilError(t, err)
	return s
}

// members are n ranks in one network.
func members(n int) []accl.Rank {
	ranks := make([]accl.Rank, n)
	for i := range ranks {
		ranks[i] = accl.Rank{IP: netip.AddrFrom4([4]byte{10, 1, 212, byte(21 + i)}), Port: uint16(5500 + i)}
	}
	return ranks
}

// together runs a function for each rank, in any order, some of them later than others.
func together(n int, seed uint64, spread time.Duration, run func(rank int)) {
	r := rand.New(rand.NewPCG(seed, 1))
	var group sync.WaitGroup
	for _, i := range r.Perm(n) {
		wait := time.Duration(r.Int64N(int64(spread)))
		group.Go(func() {
			time.Sleep(wait)
			run(i)
		})
	}
	group.Wait()
}

// all lists the errors of the package in what may be joined.
func all(err error) []*network.Error {
	if e, is := err.(*network.Error); is {
		return []*network.Error{e}
	}
	var out []*network.Error
	if several, is := err.(interface{ Unwrap() []error }); is {
		for _, e := range several.Unwrap() {
			out = append(out, all(e)...)
		}
	}
	return out
}

// fault is an error that is expected.
type fault struct {
	kind error
	rank int
	text string // a part of it
}

func (f fault) check(t *testing.T, ranks []accl.Rank, e *network.Error) {
	t.Helper()
	assert.Check(t, e.Kind == f.kind && errors.Is(e, f.kind) && e.Rank == f.rank && strings.Contains(e.Error(), f.text),
		"%v (kind %v, rank %d), want %v of rank %d with %q", e, e.Kind, e.Rank, f.kind, f.rank, f.text)
	if f.rank >= 0 && f.rank < len(ranks) && ranks[f.rank].IP.IsValid() &&
		!strings.Contains(e.Error(), fmt.Sprintf("rank %d at %v:", f.rank, ranks[f.rank])) {
		t.Errorf("%v does not name rank %d with its address and port", e, f.rank)
	}
}

func checkFaults(t *testing.T, ranks []accl.Rank, err error, want []fault) {
	t.Helper()
	got := all(err)
	assert.Assert(t, len(got) == len(want), "%d errors, want %d:\n%v", len(got), len(want), err)
	for i, f := range want {
		f.check(t, ranks, got[i])
	}
}

// within fails if something takes too long.
func within(t *testing.T, limit time.Duration, f func()) {
	t.Helper()
	begin := time.Now()
	f()
	took := time.Since(begin)
	assert.Check(t, took <= limit, "it took %v, more than %v", took, limit)
}

func ctx(t testing.TB) context.Context {
	c, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	t.Cleanup(cancel)
	return c
}

// Platforms whose networks need nothing, or nothing that is done here.
func TestOtherNetworks(t *testing.T) {
	ranks := members(3)
	s := stack(t, design(t, "u55c_axis3x", nil), nil)
	assert.Check(t, s.Kind() == network.KindCard && s.Banks() == nil, "the kind is %s", s.Kind())
	got, err := s.Setup(ctx(t), network.Config{Ranks: ranks})
	assert.Check(t, err == nil && len(got) == 3 && got[2] == ranks[2], "%v, %v", got, err)
	s = stack(t, design(t, "u55c_rdma", nil), nil)
	_, err = s.Setup(ctx(t), network.Config{Ranks: ranks})
	if s.Kind() != network.KindRDMA || !errors.Is(err, network.ErrUnsupported) ||
		!strings.Contains(err.Error(), "Coyote") {
		t.Errorf("%s: %v", s.Kind(), err)
	}
	err = s.OpenPort(ctx(t), 5500)
	assert.Check(t, errors.Is(err, network.ErrUnsupported), "%v", err)
	_, err = s.OpenConnection(ctx(t), 1<<24, 5500)
	assert.Check(t, errors.Is(err, network.ErrUnsupported), "%v", err)
}

func TestDesignsWithoutWhatIsNeeded(t *testing.T) {
	full := design(t, "u55c_udp", nil)
	w := kernels.NewWire(false)
	c := w.UDP(true)
	in := instances{"poe_0": c.Registers(), "cmac": c.Ethernet}

	none := *full
	none.Instances = nil
	_, err := network.Of(&none, 0, in.open)
	assert.Check(t, errors.Is(err, network.ErrDesign), "%v", err)
	_, err = network.Of(full, 1, in.open)
	assert.Check(t, errors.Is(err, network.ErrDesign) && strings.Contains(err.Error(), "engine 1"), "%v", err)
	old := *full
	old.Kernels = nil
	for _, k := range full.Kernels {
		if k.Name == "cmac_0" {
			var registers []layout.Register
			for _, r := range k.Registers {
				if r.Name != "conf_rx" {
					registers = append(registers, r)
				}
			}
			k.Registers = registers
		}
		old.Kernels = append(old.Kernels, k)
	}
	_, err = network.Of(&old, 0, in.open)
	assert.Check(t, errors.Is(err, network.ErrDesign) && strings.Contains(err.Error(), "conf_rx.enable"), "%v", err)
	if _, err := network.Of(full, 0, instances{"poe_0": c.Registers()}.open); !errors.Is(err, network.ErrAccess) ||
		!errors.Is(err, errNoInstance) || !strings.Contains(err.Error(), "cmac") {
		t.Error(err)
	}
	tcp := *design(t, "u55c_tcp", nil)
	tcp.Kernels = slices.Clone(tcp.Kernels)
	for i, k := range tcp.Kernels {
		if k.Name == "network_krnl" {
			tcp.Kernels[i].Facts = slices.DeleteFunc(slices.Clone(k.Facts),
				func(f layout.Value) bool { return f.Name == "buffer_bytes" })
		}
	}
	stack := instances{"poe_0": w.TCP().Registers()}
	_, err = network.Of(&tcp, 0, stack.open)
	assert.Check(t, errors.Is(err, network.ErrDesign) && strings.Contains(err.Error(), "without its buffer_bytes"),
		"%v", err)
}

var errBus = errors.New("the bus is gone")

// broken fails after so many accesses.
type broken struct {
	layout.Registers
	left *atomic.Int64
}

func (b broken) Read(ctx context.Context, offset uint32) (uint32, error) {
	if b.left.Add(-1) < 0 {
		return 0, errBus
	}
	return b.Registers.Read(ctx, offset)
}

func (b broken) Write(ctx context.Context, offset, value uint32) error {
	if b.left.Add(-1) < 0 {
		return errBus
	}
	return b.Registers.Write(ctx, offset, value)
}

// Wherever the way to the card breaks, the error says so, at once.
func TestTheWayToTheCardBreaks(t *testing.T) {
	for _, kind := range []string{"udp", "tcp"} {
		t.Run(kind, func(t *testing.T) {
			ended := false
			for n := int64(0); !ended; n += 1 + n/12 {
				if n > 2000 {
					t.Fatal("it never ends")
				}
				var left atomic.Int64
				left.Store(n)
				w := kernels.NewWire(false)
				in := instances{}
				c := network.Config{Ranks: members(2), Timeout: 10 * time.Second}
				if kind == "udp" {
					own := w.UDP(true)
					w.Host(c.Ranks[1].IP, kernels.MAC{2, 0, 0, 0, 0, 9})
					in["poe_0"], in["cmac"] = broken{own.Registers(), &left}, broken{own.Ethernet, &left}
				} else {
					own := w.TCP()
					in["poe_0"] = broken{own.Registers(), &left}
					in["session_handler_0"] = broken{kernels.NewHandler(listens{}, time.Second), &left}
					c.Local, c.Receive = 1, bufferBytes // so that it connects
				}
				_, err := stack(t, design(t, "u55c_"+kind, nil), in).Setup(ctx(t), c)
				ended = err == nil
				if err != nil && (!errors.Is(err, network.ErrAccess) || !errors.Is(err, errBus)) {
					t.Fatalf("after %d accesses: %v", n, err)
				}
			}
		})
	}
}

// listens is a stack on which all goes well.
type listens struct{}

func (listens) OpenPort(context.Context, uint16) error { return nil }

func (listens) OpenConnection(context.Context, uint32, uint16) (uint32, error) { return 7, nil }
