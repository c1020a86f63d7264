package emit

import (
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"github.com/cclforge/cclforge/gen/abi"
	"github.com/cclforge/cclforge/gen/design"
	"github.com/cclforge/cclforge/gen/designtest"
	"github.com/cclforge/cclforge/gen/lang"
	"github.com/cclforge/cclforge/gen/platform"
	"github.com/cclforge/cclforge/platforms"
)

// ownLibrary is the shipped library with the platforms of testdata.
var ownLibrary = func() *platform.Library {
	lib, diags := platform.NewLibrary(lang.NewParser(), os.DirFS("testdata/platforms"), platforms.FS)
	if diags.HasErrors() {
		panic(diags)
	}
	return lib
}()

// codePlatforms are one of each generation, and what is at the limits.
var codePlatforms = []string{"u55c_tcp", "u280_2022", "u280_manual", "u55c_rdma", "bare", "no_lanes", "many"}

// codeDesigns are designs of those platforms, and one at the limits of what a
// generation can describe.
func codeDesigns(t testing.TB) []*design.Design {
	var out []*design.Design
	for _, name := range codePlatforms {
		out = append(out, codeDesign(t, name))
	}
	return append(out, extreme(t))
}

// with returns a design whose generation is changed.
func with(t testing.TB, change func(g *abi.Generation)) *design.Design {
	t.Helper()
	d := *codeDesign(t, "u55c_tcp")
	p, g := *d.Platform, *d.Platform.ABI
	change(&g)
	d.Platform, p.ABI = &p, &g
	return &d
}

// extreme has the smallest and largest of everything, and names that are words
// of some language or tool.
func extreme(t testing.TB) *design.Design {
	field := func(name string, high, low int) abi.Field { return abi.Field{Name: name, High: high, Low: low} }
	d := with(t, func(g *abi.Generation) {
		g.Features = nil
		g.Constants = append(slices.Clone(g.Constants),
			abi.Constant{Name: "largest", Value: 1<<64 - 1}, abi.Constant{Name: "beyond_a_word", Value: 1 << 32}, abi.Constant{
				Name: "nothing", Value: 0})
		g.Enums = append(slices.Clone(g.Enums),
			abi.Enum{Name: "empty_enum"},
			abi.Enum{Name: "words", Values: []abi.EnumValue{{Name: "default"}, {Name: "register", Value: 1},
				{Name: "type", Value: 1<<32 - 1}}},
			abi.Enum{Name: "lone_code", Values: []abi.EnumValue{{Name: "zero"}}})
		g.BitSets = append(slices.Clone(g.BitSets),
			abi.BitSet{Name: "empty_set"},
			abi.BitSet{Name: "edges", Bits: []abi.Bit{{Name: "final", At: 0}, {Name: "LAST", At: 31, Internal: true}}})
		g.Layouts = append(slices.Clone(g.Layouts),
			abi.Layout{Name: "narrow", Width: 1, Fields: []abi.Field{field("queue", 0, 0)}},
			abi.Layout{Name: "hollow", Width: 24},
			abi.Layout{Name: "gaps", Width: 32, Fields: []abi.Field{field("a", 1, 1), field("b", 4, 3), field("c", 30, 8)}},
			abi.Layout{Name: "widest", Width: 1024, Fields: []abi.Field{
				field("stack", 0, 0), field("process", 40, 25), field("aligned", 127, 64), field("vector", 200, 129),
				field("top", 1023, 1023),
			}})
		g.Records = append(slices.Clone(g.Records), abi.Record{Name: "lone_word", Words: []abi.RecordWord{{Name: "it"}}})
		g.Registers = append(slices.Clone(g.Registers),
			abi.RegisterMap{Name: "no_registers"}, abi.RegisterMap{Name: "last_page", Base: 0xFFFFF000,
				Registers: []abi.Register{
					{Name: "row", At: 0xF00, Width: 32, Count: 3}, {Name: "wide_row", At: 0xF10, Width: 64, Count: 2}, {Name: "end",
						At: 0xFF8, Width: 64, Count: 1}}})
		g.Memories = append(slices.Clone(g.Memories),
			abi.Memory{Name: "no_words", Size: 16},
			abi.Memory{Name: "headless", Base: 0x4000, ProcessorBase: 0x8000, Size: 64,
				Tables: []abi.Table{{Name: "rows", At: 0x4010, Record: []abi.RecordWord{{Name: "it"}}}}})
	})
	d.Platform.Name = "extreme"
	return d
}

// moved has another number wherever the shipped generation has one that is free: what
// a renderer knows by itself does not follow.
func moved(t testing.TB) *design.Design {
	d := with(t, func(g *abi.Generation) {
		g.Constants = slices.Clone(g.Constants)
		for i := range g.Constants {
			g.Constants[i].Value += 3
		}
		g.Enums = slices.Clone(g.Enums)
		for i, e := range g.Enums {
			g.Enums[i].Values = slices.Clone(e.Values)
			for k := range e.Values {
				g.Enums[i].Values[k].Value += 100
			}
		}
		g.BitSets = slices.Clone(g.BitSets)
		for i, s := range g.BitSets {
			g.BitSets[i].Bits = slices.Clone(s.Bits)
			for k, b := range s.Bits {
				g.BitSets[i].Bits[len(s.Bits)-1-k] = abi.Bit{Name: b.Name, Doc: b.Doc, At: 31 - b.At, Internal: b.Internal}
			}
		}
		g.Layouts = slices.Clone(g.Layouts)
		for i, l := range g.Layouts {
			if l.Name == abi.HardwareID { // the design has packed its own
				continue
			}
			g.Layouts[i].Fields = slices.Clone(l.Fields)
			for k, f := range l.Fields {
				f.High, f.Low = l.Width-1-f.Low, l.Width-1-f.High
				g.Layouts[i].Fields[len(l.Fields)-1-k] = f
			}
		}
		g.Records = slices.Clone(g.Records)
		for i, r := range g.Records {
			g.Records[i].Words = slices.Clone(r.Words)
			slices.Reverse(g.Records[i].Words)
		}
		g.Registers = slices.Clone(g.Registers)
		for i, m := range g.Registers {
			g.Registers[i].Registers = slices.Clone(m.Registers)
			for k := range m.Registers {
				g.Registers[i].Registers[k].At += 0x400
			}
		}
		g.Memories = slices.Clone(g.Memories)
		for i, m := range g.Memories {
			g.Memories[i].Words = slices.Clone(m.Words)
			for k := range m.Words {
				g.Memories[i].Words[k].At += 0x10000
			}
			g.Memories[i].Tables = slices.Clone(m.Tables)
			for k := range m.Tables {
				g.Memories[i].Tables[k].At += 0x10000
			}
			g.Memories[i].Base += 0x10000
		}
	})
	d.Platform.Name = "moved"
	return d
}

func codeDesign(t testing.TB, name string) *design.Design {
	t.Helper()
	return designtest.Of(t, ownLibrary, name, nil)
}

// codeFiles renders a design's code, and the header of its generation.
func codeFiles(t testing.TB, d *design.Design) map[string][]byte {
	t.Helper()
	out := map[string][]byte{}
	keep := func(files []File, err error) {
		assert.NilError(t, err)
		for _, f := range files {
			out[f.Path] = f.Content
		}
	}
	for _, render := range []func(*design.Design) ([]File, error){firmware, hls, godriver} {
		keep(render(d))
	}
	pkg, _, err := svPackage(d) // no kernels: the designs of tests are not made for them
	keep(pkg, err)
	keep(Generation(d.ABI()))
	return out
}

// fact is a number of the model: what the code should say.
type fact struct {
	path  string // parts separated by blanks, as the code of all languages orders them
	value uint64
	// word: of use for 32-bit words only; bit: said by another fact already;
	// code: a value of an enum.
	word, bit, code bool
}

type factList []fact

func (l *factList) add(value uint64, path ...string) *fact {
	*l = append(*l, fact{path: strings.Join(path, " "), value: value})
	return &(*l)[len(*l)-1]
}

func (l *factList) flag(value bool, path ...string) {
	n := uint64(0)
	if value {
		n = 1
	}
	l.add(n, path...)
}

// generationFacts walks a generation by hand.
func generationFacts(g *abi.Generation) factList {
	var l factList
	for _, c := range g.Constants {
		l.add(c.Value, c.Name)
	}
	for _, name := range slices.Sorted(maps.Keys(g.Features)) {
		l.flag(g.Features[name], "feature", name)
	}
	for _, t := range g.Types {
		l.add(uint64(t.Bytes), "type", t.Name, "bytes")
	}
	for _, e := range g.Enums {
		for _, v := range e.Values {
			l.add(uint64(v.Value), e.Name, v.Name).code = true
		}
	}
	for _, set := range g.BitSets {
		for _, b := range set.Bits {
			l.add(1<<b.At, set.Name, b.Name)
			l.add(uint64(b.At), set.Name, b.Name, "bit").bit = true
		}
	}
	for _, layout := range g.Layouts {
		l.add(uint64(layout.Width), layout.Name, "width")
		for _, f := range layout.Fields {
			l.fieldFacts(layout, f)
		}
	}
	for _, r := range g.Records {
		l.add(uint64(len(r.Words)), r.Name, "words")
		for i, w := range r.Words {
			l.add(uint64(i), r.Name, w.Name, "word")
		}
	}
	for _, m := range g.Registers {
		if m.Base != 0 {
			l.add(uint64(m.Base), m.Name, "base")
		}
		for _, r := range m.Registers {
			for offset, suffix := range map[uint32]string{0: "", 4: "_high"} {
				if offset*8 >= uint32(r.Width) || offset != 0 && r.Count > 1 {
					continue
				}
				l.add(uint64(r.At+offset), m.Name, r.Name+suffix, "offset")
				if m.Base != 0 {
					l.add(uint64(m.Base)+uint64(r.At+offset), m.Name, r.Name+suffix, "address")
				}
			}
			if r.Count > 1 {
				l.add(uint64(r.Count), m.Name, r.Name, "count")
				l.add(uint64(r.Width)/8, m.Name, r.Name, "bytes")
			}
		}
	}
	for i := range g.Memories {
		l.memoryFacts(&g.Memories[i])
	}
	return l
}

func (l *factList) fieldFacts(layout abi.Layout, f abi.Field) {
	l.add(uint64(f.Low), layout.Name, f.Name, "low")
	l.add(uint64(f.High-f.Low+1), layout.Name, f.Name, "width")
	if layout.Width > 32 {
		l.add(uint64(f.Low/32), layout.Name, f.Name, "word").word = true
	}
	if f.Low/32 == f.High/32 {
		l.add(uint64(f.Low%32), layout.Name, f.Name, "shift").word = true
		var mask uint64
		for bit := f.Low; bit <= f.High; bit++ {
			mask |= 1 << (bit % 32)
		}
		l.add(mask, layout.Name, f.Name, "mask").word = true
	}
}

func (l *factList) memoryFacts(m *abi.Memory) {
	l.add(uint64(m.Base), m.Name, "base")
	l.add(uint64(m.ProcessorBase), m.Name, "processor_base")
	l.add(uint64(m.Size), m.Name, "bytes")
	seen := func(at uint32) uint64 { return uint64(m.ProcessorBase) + uint64(at) - uint64(m.Base) }
	for _, w := range m.Words {
		l.add(uint64(w.At), m.Name, w.Name, "offset")
		l.add(seen(w.At), m.Name, w.Name, "address")
		if w.Count > 1 {
			l.add(uint64(w.Count), m.Name, w.Name, "count")
			l.add(uint64(w.Width)/8, m.Name, w.Name, "bytes")
		}
	}
	if len(m.Tables) > 0 {
		l.add(uint64(m.TableLimit()), m.Name, "table_limit")
	}
	for _, t := range m.Tables {
		if t.After == "" {
			l.add(uint64(t.At), t.Name, "offset")
			l.add(seen(t.At), t.Name, "address")
		}
		l.add(4*uint64(len(t.Header)), t.Name, "header_bytes")
		l.add(4*uint64(len(t.Record)), t.Name, "record_bytes")
		for _, words := range [][]abi.RecordWord{t.Header, t.Record} {
			for i, w := range words {
				l.add(uint64(i), t.Name, w.Name, "word")
			}
		}
	}
}

// platformNumbers walks the numbers of a platform by hand.
func platformNumbers(d *design.Design) factList {
	var l factList
	p, x := d.Platform, d.Exchange
	add := func(value int, name ...string) { l.add(uint64(value), append([]string{"platform"}, name...)...) }
	flag := func(value bool, name string) { l.flag(value, "platform", name) }
	add(p.Clock, "clock_mhz")
	add(p.CCLO.Count, "cclo_count")
	add(int(d.HardwareID), "hardware_id")
	add(map[string]int{"udp": 0, "tcp": 1, "axis": 1, "rdma": 2}[p.POEs[0].Kind], "network_stack")
	flag(p.CCLO.DMA == "internal", "internal_dma")
	add(p.CCLO.DMAEngines, "dma_engines")
	flag(p.HostMemory, "host_memory")
	flag(p.HWEmu, "hw_emu")
	flag(p.Arithmetic != nil, "arithmetic")
	lanes := 0
	if p.Compression != nil {
		lanes = p.Compression.Lanes
	}
	add(lanes, "compression_lanes")
	add(p.CCLO.Trace, "trace_depth")
	flag(p.CCLO.Activity, "activity")
	add(p.CCLO.RxBuffers.Count, "rx_buffer_count")
	add(p.CCLO.RxBuffers.Size, "rx_buffer_bytes")
	add(p.Limits.TimeoutCycles, "timeout_cycles")
	add(p.Limits.RemoteTimeoutMillis, "remote_timeout_milliseconds")
	add(p.Limits.MaxEagerBytes, "max_eager_bytes")
	add(p.Limits.MaxRendezvousBytes, "max_rendezvous_bytes")
	for _, t := range p.Tuning {
		add(int(t.Value), "tuning", t.Name)
	}
	add(int(x.RxBuffers), "rx_table_offset")
	add(len(x.Communicators), "communicator_count")
	add(p.Capacity.Ranks, "rank_count")
	add(x.MaxRanks, "max_ranks")
	add(int(x.End), "exchange_end")
	add(int(x.Limit), "exchange_limit")
	return l
}

// selectionFacts walks types, TDESTs and configurations of a platform by hand;
// the driver package has them as values, not as constants.
func selectionFacts(d *design.Design) factList {
	var l factList
	p := d.Platform
	for _, t := range p.Types {
		l.add(uint64(t.Bytes), "platform type", t.Name, "bytes")
	}
	if p.Arithmetic != nil {
		for _, f := range p.Arithmetic.Functions {
			for _, t := range f.TDEST {
				l.add(uint64(t.TDEST), "platform function", f.Name, t.Type, "tdest")
			}
		}
	}
	if p.Compression != nil {
		for _, c := range p.Compression.Conversions {
			l.add(uint64(c.TDEST), "platform conversion", c.From, c.To, "tdest")
		}
	}
	l.add(uint64(len(d.Configs)), "platform config_count")
	for i, c := range d.Configs {
		l.add(uint64(d.Exchange.ArithmeticConfigs[i]), "platform config", c.Uncompressed, c.Compressed, "offset")
	}
	return l
}

// portFacts walks the ports of the kernels made from sources by hand.
func portFacts(d *design.Design) factList {
	var l factList
	done := map[string]bool{}
	for _, in := range d.Instances {
		k := in.Kernel
		if done[k.ID] || k.Source == "xo" {
			continue
		}
		done[k.ID] = true
		for _, port := range k.Ports {
			l.add(uint64(port.Width), "platform port", k.ID, port.Name, "width")
			if port.TDEST > 0 {
				l.add(uint64(port.TDEST), "platform port", k.ID, port.Name, "tdest_width")
			}
			if port.Range > 0 {
				l.add(port.Range, "platform port", k.ID, port.Name, "bytes")
			}
		}
	}
	return l
}

// listFacts are the lists of numbers of a platform.
func listFacts(d *design.Design) map[string][]uint64 {
	out := map[string][]uint64{}
	for _, at := range d.Exchange.Communicators {
		out["platform communicator_offsets"] = append(out["platform communicator_offsets"], uint64(at))
	}
	for _, poe := range d.Platform.POEs {
		if poe.Kind != "axis" {
			out["platform ethernet_ports"] = append(out["platform ethernet_ports"], uint64(poe.Port))
		}
	}
	return out
}

// configFacts are the words of the default configurations in the order that
// all generations have (contracts/abi.md, "Arithmetic configuration").
func configFacts(d *design.Design) map[string][]uint64 {
	out := map[string][]uint64{}
	for _, c := range d.Configs {
		compressed := uint64(0)
		if c.ArithmeticIsCompressed {
			compressed = 1
		}
		words := []uint64{
			uint64(c.UncompressedBytes), uint64(c.CompressedBytes), uint64(c.RatioLog),
			uint64(c.CompressorTDEST), uint64(c.DecompressorTDEST), uint64(len(c.FunctionTDEST)), compressed,
		}
		for _, t := range c.FunctionTDEST {
			words = append(words, uint64(t))
		}
		out["platform config "+c.Uncompressed+" "+c.Compressed+" words"] = words
	}
	return out
}

// named writes facts with the names of a language, leaving out some.
func named(facts factList, name func(fact) string, leaveOut func(fact) bool) map[string]uint64 {
	out := map[string]uint64{}
	for _, f := range facts {
		if leaveOut == nil || !leaveOut(f) {
			out[name(f)] = f.value
		}
	}
	return out
}

func namedLists(lists map[string][]uint64, name func(fact) string) map[string][]uint64 {
	out := map[string][]uint64{}
	for path, values := range lists {
		out[name(fact{path: path})] = values
	}
	return out
}

func joinedMaps[V any](list ...map[string]V) map[string]V {
	out := map[string]V{}
	for _, m := range list {
		maps.Copy(out, m)
	}
	return out
}
