package moves

import (
	"fmt"
	"slices"

	"github.com/cclforge/cclforge/gen/abi"
	"github.com/cclforge/cclforge/verify/rtltest/block"
)

// random makes a move and says with which code it must fail.
func (c *checking) random() uint64 {
	b, r := c.b, c.r
	c.control, c.forms = uint64(r.Uint32()), map[string]int{}
	b.Scramble(r, c.port)
	operand, result := c.d.ABI().Enum("move_operand"), c.d.ABI().Enum("move_result")
	junk := false
	for i := range c.op {
		c.op[i] = []int{none, memory, memory, kernelStream, message, window}[r.IntN(6)]
		if i == 1 && r.IntN(2) == 0 {
			c.op[i] = none
		}
	}
	place := min(r.IntN(9), 7)
	c.apart, c.beside = place == 6, place == 7
	means := r.IntN(4) > 0
	if (c.apart || c.beside) && means {
		for i := range c.op {
			c.op[i] = []int{memory, message, window}[r.IntN(3)]
		}
		if c.op[0] == message && c.op[1] == message {
			c.op[1] = memory
		}
		if c.apart && r.IntN(4) == 0 {
			c.op[0] = kernelStream
		}
	}
	for i := range c.op {
		v := uint64(operand.Value([]string{"none", "memory", "kernel_stream", "message", "window"}[c.op[i]]).Value)
		if r.IntN(60) == 0 {
			v, junk = 5+uint64(r.IntN(3)), true
		}
		c.put(fmt.Sprintf("op%d", i), v)
	}
	c.local, c.network = []int{none, memory, kernelStream, none, memory, kernelStream, memory, memory}[place], place >= 3
	c.put("result", uint64(result.Value([]string{"none", "memory", "kernel_stream", "network", "memory_and_network",
		"kernel_stream_and_network", "apart", "beside"}[place]).Value))
	c.keeps = c.apart && r.IntN(2) == 0 || r.IntN(60) == 0
	c.put("keeps", block.Bit(c.keeps))
	rarely := 1 + r.IntN(3)
	for _, name := range []string{"op0", "op1", "inner", "result", "network"} {
		c.forms[name] = int(block.Bit(r.IntN(2*rarely) == 0))
	}
	if c.apart && means {
		c.forms["result"] = c.forms["inner"]
	}
	if c.beside && means {
		inner := r.IntN(2)
		if c.forms["network"], c.forms["inner"] = inner, inner; inner == packed {
			c.forms["op1"] = packed
		}
	}
	for name, form := range c.forms {
		c.put(name+"_compressed", uint64(form))
	}
	for _, name := range []string{"op0_host", "op1_host", "result_host"} {
		c.put(name, uint64(r.IntN(2)))
	}
	c.kind = []string{"eager", "eager", "rendezvous_data", "rendezvous_announcement", "rendezvous_done"}[r.IntN(5)]
	if c.notice = place == 3 && r.IntN(4) == 0 || r.IntN(100) == 0; c.notice && r.IntN(4) > 0 {
		c.kind = "eager"
	}
	c.put("notice", block.Bit(c.notice))
	c.put("message_type", uint64(c.d.ABI().Enum("message_type").Value(c.kind).Value))
	// Mostly what belongs together.
	if c.compressor, c.decompressor = 0, 1; r.IntN(6) == 0 {
		c.compressor, c.decompressor = r.IntN(16), r.IntN(16)
	}
	c.function = r.IntN(12)
	if r.IntN(10) == 0 {
		c.function = r.IntN(256)
	}
	c.enabled = r.IntN(20) > 0
	source, destination := r.IntN(20) > 0, r.IntN(20) > 0
	code := c.sizes()
	c.units = []uint64{0, 1, uint64(r.IntN(5000)), uint64(r.IntN(c.most))}[r.IntN(4)]
	if c.notice && r.IntN(4) > 0 {
		c.units = 0
	}
	for f := range c.bytes {
		c.bytes[f] = c.units << max(c.size[f], 0)
		if r.IntN(12) == 0 {
			c.bytes[f] = uint64(r.IntN(10000))
		} else if r.IntN(20) == 0 {
			c.bytes[f] = 0
		}
	}
	if code == 0 {
		code = c.count()
	}
	tdest := uint64(0)
	fields := c.d.ABI().Layout("move_tdest").Fields
	for name, v := range map[string]int{"compressor": c.compressor, "decompressor": c.decompressor,
		"reduction": c.function} {
		f := fields[slices.IndexFunc(fields, func(f abi.Field) bool { return f.Name == name })]
		tdest |= uint64(v) << f.Low
	}
	for name, v := range map[string]uint64{
		"issue.control": c.control, "issue.bytes": c.bytes[plain], "issue.compressed_bytes": c.bytes[packed],
		"issue.tdest":     tdest,
		"ranks.source_ok": block.Bit(source), "ranks.destination_ok": block.Bit(destination),
	} {
		b.Set(c.port+"."+name, v)
	}
	twice := c.op[0] == c.op[1] && (c.op[0] == message || c.op[0] == kernelStream)
	takes := c.op[0] == message || c.op[1] == message
	switch {
	case c.apart && (c.op[1] == none || c.forms["result"] != c.forms["inner"]):
		return c.code["CONFIG_SWITCH"] // what becomes of operand 1 is its inner form
	case c.keeps && !c.apart, c.beside && !c.besideMeans(), c.notice && (place != 3 || c.kind != "eager" || !c.empty()):
		return c.code["CONFIG_SWITCH"]
	case junk, c.op[0] == none && c.op[1] != none, twice, c.network && !(c.enabled && destination), takes && !source:
		return c.code["CONFIG_SWITCH"]
	case c.empty():
		return 0
	case c.op[0] == none, c.network && c.kind != "eager" && c.kind != "rendezvous_data":
		return c.code["CONFIG_SWITCH"]
	}
	return code
}
