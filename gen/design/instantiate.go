package design

import (
	"fmt"
	"maps"
	"slices"

	"github.com/hashicorp/hcl/v2"

	"github.com/cclforge/cclforge/gen/abi"
	"github.com/cclforge/cclforge/gen/lang"
	"github.com/cclforge/cclforge/gen/platform"
)

// maxRepeat bounds a row of ports.
const maxRepeat = 256

func (e *elaboration) instantiate(chosen []*platform.Kernel) {
	reported := map[string]bool{}
	for _, k := range chosen {
		for _, at := range e.slots(k.Each) {
			vars := e.variables(at.cclo, at.poe, at.unit)
			if diags := e.place(vars); diags.HasErrors() {
				e.reportOnce(reported, diags)
				continue
			}
			before := len(e.diags)
			if !e.holds(k.When, k.Context(vars)) {
				continue
			}
			name := evaluate(e, k.Instance, k.Context(vars), "")
			if name == "" && before == len(e.diags) && k.Role == roleUser {
				name = fmt.Sprintf("%s_%d_0", k.Name, at.cclo)
			}
			if name == "" && before == len(e.diags) {
				e.errorf(k.Range, "Name expected",
					"Kernel %s has no instance name; give it one, for example instance = \"%s_${cclo.index}\".", k.ID, k.ID)
			}
			scope := at.cclo
			if k.Each == "card" {
				scope = -1
			}
			e.add(k, name, k.Role, scope, -1, k.Range, vars)
			if len(e.diags) > before {
				return // the same would be said for every instance
			}
		}
	}
}

// reportOnce keeps what is wrong with a board from being said for every
// instance.
func (e *elaboration) reportOnce(reported map[string]bool, diags hcl.Diagnostics) {
	for _, d := range diags {
		if key := d.Error(); !reported[key] {
			reported[key] = true
			e.diags = append(e.diags, d)
		}
	}
}

type slot struct{ cclo, poe, unit int }

// slots lists for what a kernel is instantiated.
func (e *elaboration) slots(each string) []slot {
	var out []slot
	switch each {
	case "card":
		return []slot{{}}
	case "poe":
		for i := range e.poeCount() {
			out = append(out, slot{i, i, 0})
		}
		return out
	}
	units := 1
	switch each {
	case "lane":
		units = e.p.Compression.Lanes
	case "dma":
		units = e.p.CCLO.DMAEngines
	}
	for i := range e.p.CCLO.Count {
		for u := range units {
			out = append(out, slot{i, i, u})
		}
	}
	return out
}

// add creates an instance with its ports. A closer takes the SLR of what it
// closes, others ask the board.
func (e *elaboration) add(k *platform.Kernel, name, role string, scope, slr int, from hcl.Range,
	vars variables) *instance {
	kernel := e.kernel(k)
	if kernel.Source == platform.SourceXO && kernel.XO == nil && k.XO != nil {
		kernel.XO = e.xo(k, vars)
	}
	in := &instance{
		Instance: &Instance{Name: name, Kernel: kernel, Role: role, Scope: scope, SLR: slr},
		source:   k, vars: maps.Clone(vars),
	}
	if prev, dup := e.byName[name]; dup {
		e.errorf(from, "Duplicate name", "Two instances would be called %q: one of kernel %s, one of %s.",
			name, prev.Kernel.ID, k.ID)
		return in
	}
	if role != roleCloser && !e.p.HWEmu {
		placed, diags := e.p.Board.SLR(k.Place, vars, k.PlaceRange)
		e.diags = append(e.diags, diags...)
		in.SLR = placed
	}
	e.byName[name] = in
	e.instances = append(e.instances, in)
	e.addPorts(in)
	if kernel.Ports == nil {
		for _, p := range in.ports {
			described := *p.Port
			described.Instance = nil
			kernel.Ports = append(kernel.Ports, &described)
		}
	}
	return in
}

func (e *elaboration) addPorts(in *instance) {
	base := in.source.Context(in.vars)
	for i := range in.source.Ports {
		src := &in.source.Ports[i]
		delete(base.Variables, "port")
		repeat := evaluate(e, src.Repeat, base, 1)
		if repeat < 0 || repeat > maxRepeat {
			e.errorf(src.Repeat.Range(), "Value out of range", "A port is repeated 0 to %d times, not %d.", maxRepeat, repeat)
			continue
		}
		for n := range repeat {
			base.Variables["port"] = indexObject(n, repeat)
			if e.holds(src.When, base) {
				e.addPort(in, src, base)
			}
		}
	}
}

func (e *elaboration) addPort(in *instance, src *platform.KernelPort, ctx *hcl.EvalContext) {
	p := &port{
		Port: &Port{
			Name: evaluate(e, src.Name, ctx, src.Label), Doc: src.Doc, Instance: in.Instance,
			Protocol: Protocol(src.Protocol), Output: src.Output,
			Width: evaluate(e, src.Width, ctx, 0), TDEST: evaluate(e, src.TDEST, ctx, 0),
			Range: evaluate(e, src.AddressRange, ctx, uint64(0)), Bursts: src.Bursts,
		},
		source: src, depth: evaluate(e, src.Depth, ctx, 0), required: evaluate(e, src.Required, ctx, true),
	}
	if p.Protocol == AXILite && p.Width == 0 {
		p.Width = 32
	}
	if p.Width < 8 || p.Width > 4096 || p.Width%8 != 0 {
		e.errorf(src.Range, "Value out of range",
			"Port %s of kernel %s is %d bits wide; widths are whole bytes from 8 to 4096 bits.", p.Name, in.source.ID, p.Width)
	}
	if p.TDEST < 0 || p.TDEST > 32 {
		e.errorf(src.Range, "Value out of range", "TDEST of port %s of kernel %s is 0 to 32 bits wide, not %d.", p.Name,
			in.source.ID, p.TDEST)
	}
	if p.depth < 0 || p.depth > 1<<20 {
		e.errorf(src.Range, "Value out of range", "The FIFO at port %s of kernel %s is 0 to 1048576 beats deep, not %d.",
			p.Name, in.source.ID, p.depth)
	}
	if slices.ContainsFunc(in.ports, func(other *port) bool { return other.Name == p.Name }) {
		e.errorf(src.Range, "Duplicate name", "Kernel %s has two ports called %q.", in.source.ID, p.Name)
		return
	}
	in.ports = append(in.ports, p)
	in.Ports = append(in.Ports, p.Port)
	switch {
	case p.Protocol == AXIS && lang.Present(src.Joins):
		e.join(in, p, evaluate(e, src.Joins, ctx, ""))
	case p.Protocol == AXI4 && p.Output && lang.Present(src.Memory):
		e.remember(in, p, evaluate(e, src.Memory, ctx, ""))
	}
}

// kernel describes a kernel once for all its instances.
func (e *elaboration) kernel(k *platform.Kernel) *Kernel {
	if known, ok := e.kernels[k.ID]; ok {
		return known
	}
	out := &Kernel{
		ID: k.ID, Name: k.Name, Doc: k.Doc, Source: k.Source, Control: k.Control, Origin: k.Origin, Needs: k.Needs,
		Like: k.Like, Described: k.Described, Facts: k.Facts, Nets: k.Nets, Registers: k.Registers, HLS: k.HLS,
	}
	if form, chosen := e.p.Source[k.ID]; chosen {
		out.Source = form
	}
	if k.Role == roleEngine && e.p.CCLO.Processor == platform.ProcessorMicroBlazeV {
		out.Needs = append(slices.Clone(k.Needs), platform.ProcessorMicroBlazeV) // the folder has its name
	}
	for _, a := range k.Arguments {
		if a.Enum != "" && e.p.ABI.Enum(a.Enum) == nil {
			e.errorf(a.Range, "Unknown enum", "%s has no enum %q, which the argument %q has values of.",
				e.p.ABI.Name, a.Enum, a.Name)
		}
		out.Arguments = append(out.Arguments, Argument{a.Name, a.Doc, a.At, a.Width, a.Type, a.Port, a.Enum})
	}
	if k.Registers != "" {
		registers := e.p.ABI.RegisterMap(k.Registers)
		if registers == nil {
			known := lang.Names(e.p.ABI.Registers, func(r abi.RegisterMap) string { return r.Name })
			e.errorf(k.RegistersRange, "Unknown registers", "%s has no register map %q. %s", e.p.ABI.Name, k.Registers,
				lang.Choices(k.Registers, known))
		} else {
			out.Arguments = append(out.Arguments, registerArguments(registers)...)
		}
	}
	for _, name := range sortedKeys(k.Pointers) {
		i := slices.IndexFunc(out.Arguments, func(a Argument) bool { return a.Name == name })
		if i < 0 {
			e.errorf(k.PointersRange, "Unknown argument", "Kernel %s has no argument %q. %s", k.ID, name,
				lang.Choices(name, lang.Names(out.Arguments, func(a Argument) string { return a.Name })))
			continue
		}
		out.Arguments[i].Port, out.Arguments[i].Type = k.Pointers[name], "int*"
	}
	slices.SortStableFunc(out.Arguments, func(a, b Argument) int { return int(a.At) - int(b.At) })
	e.kernels[k.ID] = out
	return out
}

func registerArguments(registers *abi.RegisterMap) []Argument {
	var out []Argument
	for _, r := range registers.Registers {
		if r.At >= platform.FirstArgument && !r.Extension {
			kind := "uint"
			if r.Width == 64 {
				kind = "ulong"
			}
			out = append(out, Argument{r.Name, r.Doc, r.At, r.Width, kind, "s_axi_control", ""})
		}
	}
	return out
}

// remember connects a memory port to the banks that the board gives its user.
func (e *elaboration) remember(in *instance, p *port, user string) {
	banks, diags := e.p.Board.BanksFor(user, in.vars, p.source.Range)
	e.diags = append(e.diags, diags...)
	if diags.HasErrors() {
		return
	}
	if banks.First < 0 || banks.Last >= banks.Memory.Banks {
		fit := e.enginesThatFit(user, banks.Memory.Banks)
		e.errorf(e.p.CCLO.CountRange, "Not enough memory banks",
			"%s needs %s[%d:%d], but %s of board %s has banks 0 to %d; %d engines fit.",
			in.Name, banks.Memory.Name, banks.First, banks.Last, banks.Memory.Name, e.p.Board.Name, banks.Memory.Banks-1, fit)
		return
	}
	e.design.Memories = append(e.design.Memories, &MemoryLink{p.Port, banks.Memory.Name, banks.First, banks.Last})
}

// enginesThatFit counts the engines for which the board has banks.
func (e *elaboration) enginesThatFit(user string, banks int) int {
	for i := range e.p.CCLO.Count {
		vars := e.variables(i, i, 0)
		e.place(vars)
		got, diags := e.p.Board.BanksFor(user, vars, e.p.Ranges.Board)
		if diags.HasErrors() || got.Last >= banks {
			return i
		}
	}
	return e.p.CCLO.Count
}
