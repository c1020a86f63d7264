package moves

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/cclforge/cclforge/gen/abi"
	"github.com/cclforge/cclforge/gen/design"
	"github.com/cclforge/cclforge/verify/rtltest/block"
	"github.com/cclforge/cclforge/verify/rtltest/pins"
)

var checks = block.NewSet(block.Module{Name: "move_check"})

func TestMoveCheck(t *testing.T) { checks.Check(t, "move_check", moveCheck) }

// Kinds of operands and results.
const (
	none = iota
	memory
	kernelStream
	message
	window
)

const (
	plain = iota
	packed
)

// checking knows what a platform can do.
type checking struct {
	d    *design.Design
	code map[string]uint64
	b    *block.Bench
	r    *rand.Rand
	port string // the move
	most int    // units of it
	// Of the move.
	enabled                  bool // the network
	control                  uint64
	op                       [2]int
	local                    int // none, memory, kernelStream
	network                  bool
	apart                    bool // operand 1 to memory, operand 0 to the network
	beside                   bool // the reduction to memory, operand 2 to the network
	keeps                    bool // operand 0 to memory, too, of what is apart
	notice                   bool
	forms                    map[string]int
	bytes                    [2]uint64
	compressor, decompressor int
	function                 int
	kind                     string
	size                     [2]int // log2 of the bytes of a unit, -1: any
	used                     [2]bool
	units                    uint64
}

// conversion is what a TDEST does: log2 of the bytes that it takes together, and
// of what it makes of them.
func (c *checking) conversion(lane, tdest int) (from, to int, ok bool) {
	p := c.d.Platform.Compression
	if p == nil || lane >= p.Lanes {
		return 0, 0, tdest == 0
	}
	for _, x := range p.Conversions {
		if int(x.TDEST) != tdest {
			continue
		}
		if from, to = c.log2(x.From), c.log2(x.To); x.Widens {
			return from, to + x.RatioLog, true
		}
		return from + x.RatioLog, to, true
	}
	return 0, 0, false
}

func (c *checking) reduction(tdest int) (log2 int, ok bool) {
	for _, f := range c.d.Platform.Arithmetic.Functions {
		for _, t := range f.TDEST {
			if int(t.TDEST) == tdest {
				return c.log2(t.Type), true
			}
		}
	}
	return 0, false
}

func (c *checking) log2(name string) int {
	return bits.TrailingZeros(uint(c.d.Platform.Type(name).Bytes))
}

// put puts a field into the control word.
func (c *checking) put(name string, v uint64) {
	fields := c.d.ABI().Layout("move_control").Fields
	f := fields[slices.IndexFunc(fields, func(f abi.Field) bool { return f.Name == name })]
	c.control = c.control&^((1<<f.Bits()-1)<<f.Low) | v<<f.Low
}

// moveCheck says what is wrong with moves, and how those are done that are good.
func moveCheck(b *block.Bench, r *rand.Rand) error {
	d, err := pins.Design(platform)
	if err != nil {
		return err
	}
	code, err := pins.Codes(platform)
	if err != nil {
		return err
	}
	seen, besides, keeps, notices := map[uint64]int{}, [2]int{}, [2]int{}, [2]int{}
	for range 9000 {
		c := checking{d: d, code: code, b: b, r: r, port: "move", most: 1 << 24}
		want := c.random()
		b.Put("network_enable", c.enabled)
		for range 3 {
			b.Step()
		}
		if got := b.Get("code"); got != want {
			return fmt.Errorf("%+v has the code 0x%X, not 0x%X", c, got, want)
		}
		if c.notice {
			notices[block.Bit(want == 0)]++
		}
		if seen[want]++; want != 0 {
			continue
		}
		if err := c.plan(); err != nil {
			return fmt.Errorf("%+v: %w", c, err)
		}
		if b.Is("plan.empty") {
			seen[1<<62]++
		}
		if b.Is("plan.beside") {
			besides[b.Get("plan.beside_convert")]++
		}
		if b.Is("plan.apart") {
			keeps[b.Get("plan.keeps")]++
		}
	}
	if min(notices[0], notices[1]) < 50 {
		return fmt.Errorf("only %d notices that cannot be done, and that can", notices)
	}
	for _, name := range []string{"CONFIG_SWITCH", "COMPRESSION", "ARITH", ""} {
		if seen[code[name]] < 100 {
			return fmt.Errorf("only %d moves with the code %q", seen[code[name]], name)
		}
	}
	if n := seen[1<<62]; n < 50 || n+50 > seen[0] {
		return fmt.Errorf("%d of %d moves were empty", n, seen[0])
	}
	if besides[0] < 50 || besides[1] < 20 {
		return fmt.Errorf("%v moves had something beside, as it is and converted", besides)
	}
	if min(keeps[0], keeps[1]) < 50 {
		return fmt.Errorf("%v moves were apart, without and with something kept", keeps)
	}
	return nil
}

// besideMeans tells whether something may be sent beside: there is a reduction, of
// no kernel stream, and lane 1 need not convert both its operand and what is sent.
func (c *checking) besideMeans() bool {
	inner := c.forms["inner"]
	return c.op[1] != none && c.op[0] != kernelStream && c.op[1] != kernelStream &&
		c.forms["network"] == inner && (inner == plain || c.forms["op1"] == packed)
}

// empty tells whether there are no bytes anywhere.
func (c *checking) empty() bool {
	return !(c.op[0] != none && c.bytes[c.forms["op0"]] != 0 || c.op[1] != none && c.bytes[c.forms["op1"]] != 0 ||
		c.local != none && c.bytes[c.forms["result"]] != 0 || c.network && c.bytes[c.forms["network"]] != 0 ||
		c.beside && c.bytes[plain] != 0)
}

// sizes finds the sizes of units, or a code.
func (c *checking) sizes() uint64 {
	c.size = [2]int{-1, -1}
	fits := true
	lane := func(i, from, to int) {
		if c.used[from], c.used[to] = true, true; from == to || !fits {
			return
		}
		tdest := c.decompressor
		if to == packed {
			tdest = c.compressor
		}
		f, t, ok := c.conversion(i, tdest)
		for form, log2 := range map[int]int{from: f, to: t} {
			if c.size[form] < 0 {
				c.size[form] = log2
			}
			ok = ok && c.size[form] == log2
		}
		fits = ok
	}
	inner := c.forms["inner"]
	c.used[inner] = true
	if c.op[0] != none {
		lane(0, c.forms["op0"], inner)
	}
	if c.op[1] != none {
		lane(1, c.forms["op1"], inner)
	}
	if c.beside {
		lane(1, plain, inner)
	}
	if c.local != none {
		lane(2, inner, c.forms["result"])
	}
	if c.network {
		lane(2, inner, c.forms["network"])
	}
	if !fits {
		return c.code["COMPRESSION"]
	}
	if c.op[1] != none && !c.apart { // elements that are reduced are whole in a unit that is converted
		log2, ok := c.reduction(c.function)
		if c.size[inner] < 0 {
			c.size[inner] = log2
		}
		if !ok || c.size[inner] < log2 {
			return c.code["ARITH"]
		}
	}
	return 0
}

// count finds the number of units, or a code.
func (c *checking) count() uint64 {
	code := c.code["ARITH"]
	if c.used[plain] && c.used[packed] {
		code = c.code["COMPRESSION"]
	}
	first := true
	for f := range 2 {
		if !c.used[f] {
			continue
		}
		log2 := max(c.size[f], 0)
		if c.bytes[f]%(1<<log2) != 0 || !first && c.bytes[f]>>log2 != c.units {
			return code
		}
		c.units, first = c.bytes[f]>>log2, false
	}
	return 0
}

// get is a field of the control word.
func (c *checking) get(name string) uint64 {
	fields := c.d.ABI().Layout("move_control").Fields
	f := fields[slices.IndexFunc(fields, func(f abi.Field) bool { return f.Name == name })]
	return c.control >> f.Low & (1<<f.Bits() - 1)
}

// tdest is that of what converts from a form.
func (c *checking) tdest(form int) uint64 {
	if form == packed {
		return uint64(c.decompressor)
	}
	return uint64(c.compressor)
}

// unit is log2 of the bytes of a unit of what a form is of.
func (c *checking) unit(name string) int { return max(c.size[c.forms[name]], 0) }

// largest is log2 of the bytes of a unit in its largest form.
func (c *checking) largest() (log2 int) {
	for f := range 2 {
		if c.used[f] {
			log2 = max(log2, c.size[f])
		}
	}
	return log2
}

// plan compares how a good move is done.
func (c *checking) plan() error {
	inner := c.forms["inner"]
	want := map[string]uint64{
		"empty": block.Bit(c.empty()), "to_memory": block.Bit(c.local == memory),
		"to_kernel": block.Bit(c.local == kernelStream), "to_network": block.Bit(c.network),
		"wire_bytes": c.bytes[c.forms["network"]], "eager": block.Bit(c.kind == "eager"),
		"data": block.Bit(c.kind == "rendezvous_data"), "reduce": block.Bit(c.op[1] != none && !c.apart),
		"apart":  block.Bit(c.apart),
		"beside": block.Bit(c.beside), "keeps": block.Bit(c.keeps),
		"result_host": c.get("result_host"),
	}
	for i, kind := range c.op {
		name := fmt.Sprintf("op%d", i)
		for k, field := range map[int]string{memory: "memory", kernelStream: "kernel", message: "message", window: "window"} {
			want[name+"."+field] = block.Bit(kind == k)
		}
		if want[name+".present"] = block.Bit(kind != none); kind == none {
			continue
		}
		want[name+".host"] = c.get(name + "_host")
		if form := c.forms[name]; form != inner {
			want[name+".tdest"] = c.tdest(form)
		}
		want[name+".convert"] = block.Bit(c.forms[name] != inner)
	}
	if !c.empty() {
		want["units"] = c.units
		want["largest_log2"] = uint64(c.largest())
		for i, kind := range c.op {
			if name := fmt.Sprintf("op%d", i); kind != none {
				want[name+".log2"] = uint64(c.unit(name))
			}
		}
		if c.local != none {
			want["result_log2"] = uint64(c.unit("result"))
		}
		if c.network {
			want["wire_log2"] = uint64(c.unit("network"))
		}
		if c.beside {
			want["beside_log2"] = uint64(max(c.size[plain], 0))
		}
	}
	want["beside_convert"] = block.Bit(c.beside && inner == packed)
	if want["beside_convert"] != 0 {
		want["beside_tdest"] = uint64(c.compressor)
	}
	converts := c.local != none && c.forms["result"] != inner
	want["result_convert"] = block.Bit(converts)
	if want["wire_convert"] = block.Bit(c.network && c.forms["network"] != inner); converts || want["wire_convert"] != 0 {
		want["convert_tdest"] = c.tdest(inner)
	}
	for name, v := range want {
		if got := c.b.Get("plan." + name); got != v {
			return block.Differs(name, got, v)
		}
	}
	return nil
}
