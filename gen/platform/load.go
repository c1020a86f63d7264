package platform

import (
	"path"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"

	"github.com/cclforge/cclforge/gen/abi"
	"github.com/cclforge/cclforge/gen/lang"
)

// MaxLanes is how many compression lanes an engine has.
const MaxLanes = 3

const (
	defaultABI     = "accl-2024"
	defaultClock   = 250
	defaultRxCount = 16
	// A block RAM of UltraScale+ holds 512 entries of 72 bits.
	defaultTrace           = 512
	maxTrace               = 8192 // that the word detail of the inspection reaches
	defaultRxSize          = 4096
	defaultRanks           = 32
	defaultRemoteTimeoutMs = 30_000
	defaultMaxRendezvous   = 32 << 20
	maxCCLOs               = 1024
	maxRxSize              = 16 << 20
)

// What can run the control firmware.
const (
	ProcessorOwn         = "own"          // the RV32IM core of the engine's sources
	ProcessorMicroBlazeV = "microblaze_v" // the vendor's core
)

// ReservedNames are what no platform may be called: directories of the output,
// and main, which is no Go package that can be imported.
var ReservedNames = []string{"abi", "bench", "bin", "cache", "main", "state"}

var (
	poeKinds = []string{"axis", "rdma", "tcp", "udp"}
	dmaKinds = []string{"external", "internal"}

	processors = []string{ProcessorMicroBlazeV, ProcessorOwn}
)

// Load reads and validates one platform by itself. The platform is nil if too
// little of it is known to go on; otherwise further checks can add their
// errors to those returned. Errors of the files that it uses are reported, too.
func (l *Library) Load(name string, in lang.Inputs) (*Platform, hcl.Diagnostics) {
	display := path.Join(Root, name+".hcl")
	list := l.PlatformNames()
	if !slices.Contains(list, name) {
		return nil, hcl.Diagnostics{lang.Errorf(hcl.Range{Filename: display, Start: hcl.InitialPos, End: hcl.InitialPos},
			"Unknown platform", "There is no platform %q. %s", name, lang.Choices(name, list))}
	}
	parsed := l.parsePlatform(name)
	file, diags := parsed.file, parsed.diags
	if file == nil {
		if len(lang.Remains(display, "platform", l.files[name+".hcl"]).Body.Blocks) > 0 {
			diags = append(diags, l.unclear()...)
		}
		return nil, diags
	}
	scope, d := file.Open(in, l.parser)
	diags = append(diags, d...)
	var content platformFile
	diags = append(diags, lang.Decode(scope.Body, scope.Context, &content)...)
	if len(content.Platforms) != 1 {
		if !diags.HasErrors() || len(content.Platforms) > 1 {
			start := hcl.Range{Filename: display, Start: hcl.InitialPos, End: hcl.InitialPos}
			diags = append(diags, lang.Errorf(start, "One platform expected",
				"%s has %d platform blocks; it describes exactly one: platform %q { ... }.", display, len(content.Platforms), name))
		}
		return nil, append(withoutEchoes(diags), l.unclear()...)
	}
	b := &loader{lib: l, block: content.Platforms[0], diags: diags, decoded: len(diags), ctx: scope.Context}
	p := b.load(name, display, scope)
	return p, withoutEchoes(b.diags)
}

// loader turns one platform block into a Platform and collects what is wrong
// with it.
type loader struct {
	lib   *Library
	block platformBlock
	diags hcl.Diagnostics
	// decoded counts the diagnostics of the decoding: what it could not read
	// has no value to complain about again.
	decoded int
	ctx     *hcl.EvalContext
	p       *Platform
}

func (b *loader) errorf(rng hcl.Range, summary, format string, args ...any) {
	if rng.Filename == "" {
		rng = b.block.Range
	}
	for _, d := range b.diags[:b.decoded] {
		if d.Subject != nil && d.Subject.Overlaps(rng) {
			return
		}
	}
	b.diags = append(b.diags, lang.Errorf(rng, summary, format, args...))
}

// withoutEchoes drops the complaints about values that are unknown only
// because of another error.
func withoutEchoes(diags hcl.Diagnostics) hcl.Diagnostics {
	echo := func(d *hcl.Diagnostic) bool { return strings.HasSuffix(d.Detail, "value must be known") }
	if !slices.ContainsFunc(diags, func(d *hcl.Diagnostic) bool { return d.Severity == hcl.DiagError && !echo(d) }) {
		return diags
	}
	return slices.DeleteFunc(diags, echo)
}

func (b *loader) within(rng hcl.Range, what string, value, low, high int) bool {
	if value >= low && value <= high {
		return true
	}
	b.errorf(rng, "Value out of range", "%s is %d to %d, not %d.", what, low, high, value)
	return false
}

func (b *loader) load(name, display string, scope *lang.Scope) *Platform {
	in := b.block
	b.p = &Platform{
		Name: in.Name, Doc: in.Doc, File: display, HostMemory: in.HostMemory, HWEmu: in.HWEmu,
		Clock: value(in.Clock, defaultClock), Use: in.Use, Source: in.Source,
		Variables: scope.Variables, Declared: scope.Declared,
		Ranges: Ranges{
			Block: in.Range, Board: orElse(in.BoardRange, in.Range), ABI: orElse(in.ABIRange, in.Range),
			Clock: orElse(in.ClockRange, in.Range), HostMemory: orElse(in.HostMemoryRange, in.Range),
			HWEmu: orElse(in.HWEmuRange, in.Range), Use: orElse(in.UseRange, in.Range),
		},
	}
	b.checkPlatformName(name)
	b.within(in.ClockRange, "The clock, in MHz,", b.p.Clock, 50, 500)
	b.references()
	b.cclo()
	b.poes()
	b.p.Sound = !b.diags.HasErrors()
	if b.p.ABI != nil {
		b.types()
		b.arithmetic()
		b.compression()
		b.checkTypes()
		b.tuning()
		b.limits()
	}
	b.capacity()
	b.build()
	b.shell()
	b.outputs()
	b.diags = append(b.diags, b.lib.Problems()...)
	if b.p.Board == nil || b.p.ABI == nil {
		// Which kernels it uses by their conditions is not known.
		for _, k := range b.lib.Lost() {
			if !k.Plugin() && k.Role != "user" {
				b.diags = append(b.diags, b.lib.ProblemsOf(k)...)
			}
		}
		return nil
	}
	return b.p
}

// unclear are the errors of all shared files, for a platform that does not say
// which it uses.
func (l *Library) unclear() hcl.Diagnostics {
	files := sortedKeys(l.problems)
	return l.problemsOf(slices.DeleteFunc(files, func(file string) bool { return path.Dir(file) == Root })...)
}

// uses takes the errors of a kernel that the platform names over, if it has any,
// and reports whether it has.
func (b *loader) uses(kernel string) bool {
	k, lost := b.lib.lost[kernel]
	if lost {
		b.p.Sound = false
		b.diags = append(b.diags, b.lib.ProblemsOf(k)...)
	}
	return lost
}

func (b *loader) checkPlatformName(name string) {
	in := b.block
	b.diags = append(b.diags, checkName(in.NameRange, "platform", in.Name)...)
	if in.Name != name {
		b.errorf(in.NameRange, "Name differs from file",
			"The platform is called %q but its file %s.hcl; give both the same name.", in.Name, name)
	}
	if slices.Contains(ReservedNames, strings.ToLower(in.Name)) {
		b.errorf(in.NameRange, "Reserved name", "%q cannot name a platform. Reserved are %s.", in.Name,
			strings.Join(ReservedNames, ", "))
	}
	for _, other := range b.lib.PlatformNames() {
		if other != name && strings.EqualFold(other, name) {
			b.errorf(in.NameRange, "Names collide",
				"The platforms %q and %q differ only in case, and would share one output directory on some file systems.",
				name, other)
		}
	}
}

func (b *loader) references() {
	in := b.block
	board, ok := b.lib.Boards[in.Board]
	if file, lost := b.lib.lostBoards[in.Board]; lost {
		b.diags = append(b.diags, b.lib.problems[file]...)
	} else if !ok && in.BoardRange.Filename != "" {
		b.errorf(in.BoardRange, "Unknown board", "There is no board %q. %s", in.Board,
			lang.Choices(in.Board, sortedKeys(b.lib.Boards)))
	}
	b.p.Board = board
	want := value(in.ABI, defaultABI)
	generation, ok := b.lib.ABIs[want]
	if file, lost := b.lib.lostABIs[want]; lost {
		b.diags = append(b.diags, b.lib.problems[file]...)
	} else if !ok && b.lib.ABIs != nil {
		b.errorf(in.ABIRange, "Unknown interface generation", "There is no abi %q. %s", want,
			lang.Choices(want, sortedKeys(b.lib.ABIs)))
	}
	b.p.ABI = generation
	if board != nil && in.HostMemory && !board.HasMemoryFor("host") {
		b.errorf(in.HostMemoryRange, "No host memory on this board",
			"Board %s cannot reach host memory. Boards that can: %s.", board.Name, strings.Join(b.lib.boardsWith("host"), ", "))
	}
	b.sources()
	for _, role := range sortedKeys(in.Use) {
		kernel := in.Use[role]
		k, ok := b.lib.Kernels[kernel]
		if b.uses(kernel) || b.notAbstract(in.UseRange, kernel) {
			continue
		}
		if !ok {
			b.errorf(in.UseRange, "Unknown kernel", "There is no kernel %q. %s", kernel,
				lang.Choices(kernel, sortedKeys(b.lib.Kernels)))
		} else if k.Role != role {
			b.errorf(in.UseRange, "Wrong role", "Kernel %s has the role %q, not %q.", kernel, k.Role, role)
		}
	}
}

func (l *Library) boardsWith(user string) []string {
	var out []string
	for _, name := range sortedKeys(l.Boards) {
		if l.Boards[name].HasMemoryFor(user) {
			out = append(out, name)
		}
	}
	return out
}

func (b *loader) cclo() {
	in := ccloBlock{}
	if b.block.CCLO != nil {
		in = *b.block.CCLO
	}
	rng := orElse(in.Range, b.block.Range)
	c := CCLO{
		Count: value(in.Count, 1), DMA: value(in.DMA, "external"), KernelStream: value(in.KernelStream, "loopback"),
		Processor: value(in.Processor, ProcessorOwn),
		Trace:     value(in.Trace, defaultTrace), Activity: value(in.Activity, true),
		RxBuffers:  RxBuffers{defaultRxCount, defaultRxSize, rng},
		CountRange: orElse(in.CountRange, rng), DMARange: orElse(in.DMARange, rng),
		DMAEnginesRange: orElse(in.DMAEnginesRange, rng), KernelStreamRange: orElse(in.KernelStreamRange, rng),
	}
	c.DMAEngines = value(in.DMAEngines, map[string]int{"internal": 3}[c.DMA])
	if in.DMAEngines == nil && c.DMA != "internal" {
		c.DMAEngines = 2
	}
	b.within(c.CountRange, "The number of engines", c.Count, 1, maxCCLOs)
	b.diags = append(b.diags, oneOf(c.DMARange, "dma", c.DMA, dmaKinds)...)
	b.diags = append(b.diags, oneOf(orElse(in.ProcessorRange, rng), "processor", c.Processor, processors)...)
	b.within(c.DMAEnginesRange, "The number of DMA engines", c.DMAEngines, 2, 3)
	if b.within(orElse(in.TraceRange, rng), "The number of events in the trace", c.Trace, 0, maxTrace) &&
		c.Trace&(c.Trace-1) != 0 {
		b.errorf(in.TraceRange, "Value out of range",
			"The trace holds a power of two of events, or 0 for no trace; %d is neither.", c.Trace)
	}
	if rx := in.RxBuffers; rx != nil {
		c.RxBuffers = RxBuffers{value(rx.Count, defaultRxCount), value(rx.Size, defaultRxSize), rx.Range}
		b.within(orElse(rx.CountRange, rx.Range), "The number of rx buffers", c.RxBuffers.Count, 1, 65535)
		if beat := b.beatBytes(); b.within(orElse(rx.SizeRange, rx.Range), "The size of an rx buffer, in bytes,",
			c.RxBuffers.Size, beat, maxRxSize) && c.RxBuffers.Size%beat != 0 {
			b.errorf(rx.SizeRange, "Value out of range", "An rx buffer is a whole number of %d-byte beats; %d is not.",
				beat, c.RxBuffers.Size)
		}
	}
	if c.KernelStream != "loopback" {
		b.kernelWithRole(c.KernelStreamRange, c.KernelStream, "user", "loopback")
	}
	b.p.CCLO = c
}

// beatBytes is how many bytes of payload a stream carries in a cycle; 1, which
// every size fits, while the generation is not known.
func (b *loader) beatBytes() int {
	if b.p.ABI == nil {
		return 1
	}
	return int(b.p.ABI.Constant(abi.BeatBytes).Value)
}

// kernelWithRole checks that a kernel which the platform names can do what it
// is named for.
func (b *loader) kernelWithRole(rng hcl.Range, name, role string, also ...string) {
	candidates := also
	for _, id := range sortedKeys(b.lib.Kernels) {
		if b.lib.Kernels[id].Role == role {
			candidates = append(candidates, id)
		}
	}
	if b.uses(name) {
		return
	} else if b.notAbstract(rng, name) {
		b.p.Sound = false
	} else if k, ok := b.lib.Kernels[name]; !ok {
		b.p.Sound = false
		b.errorf(rng, "Unknown kernel", "There is no kernel %q. %s", name, lang.Choices(name, candidates))
	} else if k.Role != role {
		b.p.Sound = false
		b.errorf(rng, "Wrong role", "Kernel %s has the role %q, but one with the role %q is needed here. %s", name, k.Role,
			role, lang.Choices(name, candidates))
	}
}

func (b *loader) poes() {
	if len(b.block.POEs) == 0 {
		b.errorf(b.block.Range, "Network engine missing",
			`A platform has a network engine: poe "udp", "tcp", "rdma" or "axis" { }.`)
		return
	}
	ports := map[int]hcl.Range{}
	for _, in := range b.block.POEs {
		poe := POE{in.Kind, in.Port, in.Range, orElse(in.PortRange, in.Range)}
		b.diags = append(b.diags, oneOf(in.KindRange, "the network engine", in.Kind, poeKinds)...)
		if in.Kind != b.block.POEs[0].Kind {
			b.errorf(in.KindRange, "Network engines differ",
				"All network engines of a platform are of one kind, because its engines are; the first is %q.",
				b.block.POEs[0].Kind)
		}
		if board := b.p.Board; board != nil && (in.Port < 0 || in.Port >= board.Ports) {
			b.errorf(poe.PortRange, "Ethernet port not on the board", "Board %s has %s, not port %d.", board.Name,
				portList(board.Ports), in.Port)
		}
		if prev, dup := ports[in.Port]; dup && in.Kind != "axis" {
			b.errorf(poe.PortRange, "Ethernet port used twice", "Port %d already serves the network engine on line %d.",
				in.Port, prev.Start.Line)
		}
		ports[in.Port] = poe.PortRange
		b.p.POEs = append(b.p.POEs, poe)
	}
	kind, n := b.p.POEs[0].Kind, len(b.p.POEs)
	switch {
	case kind == "axis" && n > 1:
		b.errorf(b.p.POEs[1].Range, "One switch expected", "An axis network is one switch for all engines of the card.")
	case kind != "axis" && n != b.p.CCLO.Count && b.p.CCLO.Count > 0:
		b.errorf(b.p.CCLO.CountRange, "Engines and network engines differ",
			"Each engine has a network engine of its own: %d engines need %d poe blocks with a port each, not %d. To join "+
				"engines on one card use poe \"axis\".", b.p.CCLO.Count, b.p.CCLO.Count, n)
	}
}

func portList(n int) string {
	if n == 1 {
		return "one Ethernet port, port 0"
	}
	list := make([]string, n)
	for i := range list {
		list[i] = string(rune('0' + i%10))
	}
	return "the Ethernet ports " + strings.Join(list, ", ")
}

func value[T any](p *T, otherwise T) T {
	if p == nil {
		return otherwise
	}
	return *p
}
