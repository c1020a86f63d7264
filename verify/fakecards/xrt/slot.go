package xrt

import (
	"bytes"
	"cmp"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/cclforge/cclforge/driver/layout"
	"github.com/cclforge/cclforge/driver/xrt/xclbin"
	"github.com/cclforge/cclforge/gen/design"
	"github.com/cclforge/cclforge/verify/emu/memory"
	"github.com/cclforge/cclforge/verify/fakecards/kernels"
	"github.com/cclforge/cclforge/verify/world/engine"
)

// Card is the card in a slot of the host.
type Card struct {
	BDF string // "0000:65:00.1"; one is made up if it is empty
	// Platform is the Vitis platform that an .xclbin must be for
	// ("xilinx_u55c_gen3x16_xdma_base_3"); empty for any.
	Platform string
	// Design says what instances are; Engines are those of its engines, by number.
	Design  *design.Design
	Engines []engine.Engine
	// Registers are models of instances, by their names, in the place of the server's own.
	Registers map[string]layout.Registers
	// Foreign makes host controllers those of another make: calls can be started, but not
	// posted. It has no effect on simulated hardware.
	Foreign bool
	// Loaded is the .xclbin on the card at the beginning; nil for none.
	Loaded []byte
}

// slot is a card and what is loaded; the server's lock guards it.
type slot struct {
	Card
	s *Server
	content
	used []memory.Extent // of memory, by address

	tying sync.Mutex
	tied  map[*tied]bool
}

// content is what an .xclbin makes of a card.
type content struct {
	uuid     [uuidBytes]byte
	platform string
	layout   *xclbin.Layout // nil before one is loaded
	units    []*unit        // by the numbers that XRT gives them
}

type unit struct {
	name      string // "ccl_offload:ccl_offload_0"
	instance  string
	bytes     uint32 // of its registers
	registers layout.Registers
	exclusive *opened
	shared    map[*opened]int
}

// maxUnitBytes is how much of a kernel's registers XRT maps.
const maxUnitBytes = 64 << 10

// parse reads an .xclbin. Models of its kernels are not made yet.
func (c *slot) parse(file []byte) (content, error) {
	f, err := xclbin.Read(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		return content{}, err
	}
	next := content{platform: f.Platform}
	id, err := hex.DecodeString(strings.ReplaceAll(f.UUID, "-", ""))
	if err != nil || len(id) != uuidBytes {
		return content{}, fmt.Errorf("%w: UUID %s", xclbin.ErrFormat, f.UUID)
	}
	next.uuid = [uuidBytes]byte(id)
	if f.Mode.Emulation() || next.uuid == [uuidBytes]byte{} {
		return content{}, fmt.Errorf("%w: it is for no card", xclbin.ErrFormat)
	}
	if next.layout, err = f.Layout(); err != nil {
		return content{}, err
	}
	next.units = c.number(next.layout)
	return next, nil
}

// number lists kernels that have registers as XRT numbers them: by the number of
// their interrupt, then by address.
func (c *slot) number(l *xclbin.Layout) []*unit {
	kernels := slices.DeleteFunc(slices.Clone(l.Kernels), func(k xclbin.Kernel) bool { return k.Base == xclbin.NoAddress })
	slices.SortStableFunc(kernels, func(a, b xclbin.Kernel) int {
		first, _ := a.Interrupt()
		second, _ := b.Interrupt()
		return cmp.Or(cmp.Compare(first, second), cmp.Compare(a.Base, b.Base))
	})
	var out []*unit
	for _, k := range kernels {
		u := &unit{name: k.Name, instance: k.Instance, bytes: maxUnitBytes, shared: map[*opened]int{}}
		if in := c.instance(k.Instance); in != nil {
			for _, p := range in.Ports {
				if p.Protocol == design.AXILite && !p.Output && p.Range > 0 {
					u.bytes = uint32(min(p.Range, maxUnitBytes))
				}
			}
		}
		out = append(out, u)
	}
	return out
}

// kernels are models of the card's kernels.
func (c *slot) kernels() *kernels.Card {
	return &kernels.Card{Design: c.Design, Engines: c.Engines, Registers: c.Registers, Foreign: c.Foreign, Life: c.s.life,
		Fault: c.s.fault}
}

// instance is that of the design, nil if it has none of this name.
func (c *slot) instance(name string) *design.Instance { return c.kernels().Instance(name) }

// take puts what an .xclbin says in place of what was there.
func (c *slot) take(next content) {
	for _, u := range next.units {
		var err error
		if u.registers, err = c.kernels().Model(u.instance); err != nil {
			c.s.report(err)
		}
		if in := c.instance(u.instance); in != nil && in.Kernel.Called() {
			u.registers = &calling{Registers: u.registers, c: c}
		}
	}
	c.content = next
}

func (o *opened) release() {
	for _, u := range o.slot.units {
		for u.contexts(o) > 0 {
			u.close(o)
		}
	}
}

// contexts is how many somebody has.
func (u *unit) contexts(o *opened) int {
	if u.exclusive == o {
		return 1
	}
	return u.shared[o]
}

func (u *unit) busy() bool { return u.exclusive != nil || len(u.shared) > 0 }

// open opens a context; false if another one is in the way.
func (u *unit) open(o *opened, shared bool) bool {
	switch {
	case u.exclusive != nil || !shared && len(u.shared) > 0:
		return false
	case shared:
		u.shared[o]++
	default:
		u.exclusive = o
	}
	return true
}

func (u *unit) close(o *opened) {
	if u.exclusive == o {
		u.exclusive = nil
		return
	}
	if u.shared[o]--; u.shared[o] <= 0 {
		delete(u.shared, o)
	}
}

func (s *Server) faultOf(u *unit, err error) {
	if s.life.Err() == nil {
		s.fault(fmt.Errorf("a register of %s: %w", u.name, err))
	}
}
