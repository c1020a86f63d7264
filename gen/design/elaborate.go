package design

import (
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"

	"github.com/cclforge/cclforge/gen/abi"
	"github.com/cclforge/cclforge/gen/lang"
	"github.com/cclforge/cclforge/gen/platform"
)

// Load reads, validates and elaborates one platform. All errors of both steps
// are reported; the design is nil if there are any.
func Load(lib *platform.Library, name string, in lang.Inputs) (*Design, hcl.Diagnostics) {
	p, diags := lib.Load(name, in)
	if p == nil {
		return nil, lang.Sorted(diags)
	}
	d, more := Elaborate(lib, p)
	diags = lang.Sorted(append(diags, more...))
	if diags.HasErrors() {
		return nil, diags
	}
	return d, diags
}

// Elaborate builds and checks the graph of a platform. All errors are
// reported; the design is nil if there are any.
func Elaborate(lib *platform.Library, p *platform.Platform) (*Design, hcl.Diagnostics) {
	e := &elaboration{
		lib: lib, p: p,
		design:  &Design{Platform: p},
		kernels: map[string]*Kernel{},
		byName:  map[string]*instance{},
		reach:   map[string]*join{},
	}
	e.missed()
	if p.Sound && !e.diags.HasErrors() {
		e.instantiate(e.choose())
	}
	if p.Sound && !e.diags.HasErrors() {
		e.checkForms()
		e.checkNames()
		e.connect()
		e.checkTDEST()
		e.checkWatched()
	}
	e.configure()
	e.layOut()
	if e.diags.HasErrors() || !p.Sound {
		return nil, e.diags
	}
	e.shell()
	e.finish()
	if e.diags.HasErrors() {
		return nil, e.diags
	}
	return e.design, e.diags
}

// elaboration is the state of one run.
type elaboration struct {
	lib    *platform.Library
	p      *platform.Platform
	design *Design
	diags  hcl.Diagnostics

	kernels   map[string]*Kernel // by id
	instances []*instance
	byName    map[string]*instance
	reach     map[string]*join // by scoped name of the join
	joins     []*join          // in order of appearance
}

// instance is an Instance under construction.
type instance struct {
	*Instance
	source *platform.Kernel
	vars   map[string]cty.Value
	ports  []*port
}

// port is a Port under construction.
type port struct {
	*Port
	source   *platform.KernelPort
	join     string
	depth    int
	required bool
	linked   bool
}

func (e *elaboration) errorf(rng hcl.Range, summary, format string, args ...any) {
	e.diags = append(e.diags, lang.Errorf(rng, summary, format, args...))
}

// choose finds the kernels of the platform. A place that several kernels of one
// role want goes to the one the platform uses by name, or to the default.
func (e *elaboration) choose() []*platform.Kernel {
	byRole := map[string][]*platform.Kernel{}
	for _, id := range sortedKeys(e.lib.Kernels) {
		if k := e.lib.Kernels[id]; e.wanted(k) {
			byRole[k.Role] = append(byRole[k.Role], k)
		}
	}
	var chosen []*platform.Kernel
	for _, role := range sortedRoles(byRole) {
		candidates := byRole[role]
		if e.contested(candidates) {
			preferred := slices.DeleteFunc(slices.Clone(candidates), func(k *platform.Kernel) bool { return !k.Default })
			if len(preferred) != 1 {
				e.errorf(e.p.Ranges.Use, "Kernel not decided",
					`%s could be the %s of this platform. Choose with use = { %s = "%s" }.`,
					strings.Join(lang.Names(candidates, func(k *platform.Kernel) string { return k.ID }), " or "), role, role,
					candidates[0].ID)
				continue
			}
			candidates = preferred
		}
		chosen = append(chosen, candidates...)
	}
	if _, ok := byRole[roleEngine]; !ok && !e.diags.HasErrors() {
		e.errorf(e.p.CCLO.DMARange, "Engine missing", "No kernel with the role %q fits dma = %q.", roleEngine, e.p.CCLO.DMA)
	}
	return chosen
}

// wanted reports whether a kernel is part of the platform: plugins, user
// kernels and what the platform uses by name, all others by their condition.
func (e *elaboration) wanted(k *platform.Kernel) bool {
	switch k.Role {
	case roleCloser:
		return false
	case roleUser:
		return k.ID == e.p.CCLO.KernelStream
	case roleArithmetic:
		return e.p.Arithmetic != nil && k.ID == e.p.Arithmetic.Kernel
	case roleCompression:
		return e.p.Compression != nil && e.p.Compression.Lanes > 0 && k.ID == e.p.Compression.Kernel
	}
	if use, ok := e.p.Use[k.Role]; ok {
		return k.ID == use
	}
	for i := range e.seats(k) {
		if e.seated(k, i) {
			return true
		}
	}
	return false
}

// missed reports the errors of kernels that the platform has, or may have as far
// as their descriptions can be read.
func (e *elaboration) missed() {
	for _, k := range e.lib.Lost() {
		before := len(e.diags)
		wanted := e.wanted(k)
		unclear := len(e.diags) > before
		e.diags = e.diags[:before]
		if wanted || unclear {
			e.diags = append(e.diags, e.lib.ProblemsOf(k)...)
		}
	}
}

// contested reports whether two kernels of a role want the same place. Those
// for different network engines, such as the MACs of two ports, do not.
func (e *elaboration) contested(candidates []*platform.Kernel) bool {
	if len(candidates) < 2 {
		return false
	}
	taken := map[int]bool{}
	for _, k := range candidates {
		for i := range e.seats(k) {
			if e.seated(k, i) {
				if taken[i] {
					return true
				}
				taken[i] = true
			}
		}
	}
	return false
}

// seats counts the network engines that a kernel's condition is asked for. It
// is the same for all engines of a platform.
func (e *elaboration) seats(k *platform.Kernel) int {
	if k.Each == "poe" {
		return e.poeCount()
	}
	return 1
}

func (e *elaboration) seated(k *platform.Kernel, i int) bool {
	return e.holds(k.When, k.Context(e.variables(i, i, 0)))
}

// holds evaluates a condition; one that was not written holds, one that cannot
// be evaluated does not.
func (e *elaboration) holds(expr hcl.Expression, ctx *hcl.EvalContext) bool {
	if !lang.Present(expr) {
		return true
	}
	var v bool
	e.diags = append(e.diags, lang.Evaluate(expr, ctx, &v)...)
	return v
}

// evaluate decodes an optional expression, or returns the value given.
func evaluate[T any](e *elaboration, expr hcl.Expression, ctx *hcl.EvalContext, otherwise T) T {
	if !lang.Present(expr) {
		return otherwise
	}
	var v T
	diags := lang.Evaluate(expr, ctx, &v)
	e.diags = append(e.diags, diags...)
	if diags.HasErrors() {
		return otherwise
	}
	return v
}

func (e *elaboration) poeCount() int {
	if e.axis() {
		return e.p.CCLO.Count
	}
	return len(e.p.POEs)
}

func (e *elaboration) axis() bool { return len(e.p.POEs) > 0 && e.p.POEs[0].Kind == "axis" }

// stack is the network stack that the engines speak.
func (e *elaboration) stack() string {
	switch {
	case len(e.p.POEs) == 0:
		return ""
	case e.axis():
		return "tcp"
	default:
		return e.p.POEs[0].Kind
	}
}

// variables are what expressions of boards and kernels see for one instance.
func (e *elaboration) variables(cclo, poe, unit int) map[string]cty.Value {
	number := func(n int) cty.Value { return cty.NumberIntVal(int64(n)) }
	p := e.p
	generation := map[string]cty.Value{"name": cty.StringVal(p.ABI.Name)}
	for _, other := range e.lib.ABIs {
		for feature := range other.Features {
			generation[feature] = cty.BoolVal(p.ABI.Features[feature])
		}
	}
	lanes := 0
	if p.Compression != nil {
		lanes = p.Compression.Lanes
	}
	userCalls := false
	if k, ok := e.lib.Kernels[p.CCLO.KernelStream]; ok {
		userCalls = k.Calls
	}
	memories := cty.ListValEmpty(cty.String)
	if list := p.Board.Memories; len(list) > 0 {
		names := make([]cty.Value, len(list))
		for i, m := range list {
			names[i] = cty.StringVal(m.Name)
		}
		memories = cty.ListVal(names)
	}
	vars := map[string]cty.Value{
		"platform": cty.ObjectVal(map[string]cty.Value{
			"name": cty.StringVal(p.Name), "clock": number(p.Clock),
			"host_memory": cty.BoolVal(p.HostMemory), "hw_emu": cty.BoolVal(p.HWEmu),
		}),
		"board": cty.ObjectVal(map[string]cty.Value{
			"name": cty.StringVal(p.Board.Name), "part": cty.StringVal(p.Board.Part), "platform": cty.StringVal(p.Board.Shell),
			"slrs": number(p.Board.SLRs), "ports": number(p.Board.Ports), "memories": memories,
		}),
		"abi":  cty.ObjectVal(generation),
		"lane": cty.ObjectVal(map[string]cty.Value{"index": number(unit), "count": number(lanes)}),
		"dma":  cty.ObjectVal(map[string]cty.Value{"index": number(unit), "count": number(p.CCLO.DMAEngines)}),
	}
	ccloVars := map[string]cty.Value{
		"index": number(cclo), "count": number(p.CCLO.Count), "dma": cty.StringVal(p.CCLO.DMA),
		"dma_engines": number(p.CCLO.DMAEngines), "lanes": number(lanes), "max_lanes": number(platform.MaxLanes),
		"arithmetic": cty.BoolVal(p.Arithmetic != nil), "kernel_stream": cty.StringVal(p.CCLO.KernelStream),
		"calls": cty.BoolVal(userCalls),
	}
	poeVars := map[string]cty.Value{"index": number(poe), "count": number(e.poeCount()), "kind": cty.StringVal(""),
		"port": number(0)}
	if len(p.POEs) > 0 {
		in := p.POEs[min(poe, len(p.POEs)-1)]
		poeVars["kind"], poeVars["port"] = cty.StringVal(in.Kind), number(in.Port)
	}
	vars["cclo"], vars["poe"] = cty.ObjectVal(ccloVars), cty.ObjectVal(poeVars)
	return vars
}

// place adds the SLRs of the engine and of the network engine to the
// variables, for banks that depend on them.
func (e *elaboration) place(vars map[string]cty.Value) hcl.Diagnostics {
	var diags hcl.Diagnostics
	for _, who := range []string{"cclo", "poe"} {
		slr, d := e.p.Board.SLR(who, vars, e.p.Ranges.Board)
		diags = append(diags, d...)
		fields := vars[who].AsValueMap()
		fields["slr"] = cty.NumberIntVal(int64(slr))
		vars[who] = cty.ObjectVal(fields)
	}
	return diags
}

// Roles that the elaboration treats specially: they are chosen by name, or
// instantiated on demand. All others come from conditions in HCL.
const (
	roleEngine      = "engine"
	roleArithmetic  = "arithmetic"
	roleCompression = "compression"
	roleUser        = "user"
	roleCloser      = "closer"
)

// roleOrder is how a person reads a card; roles not listed come after.
var roleOrder = []string{
	roleEngine, "dma", "arbiter", "host_controller", roleArithmetic, roleCompression,
	"poe", "session_handler", "mac", "emulated_rx", "emulated_tx", roleUser,
}

func roleRank(role string) int {
	if i := slices.Index(roleOrder, role); i >= 0 {
		return i
	}
	if role == roleCloser {
		return len(roleOrder) + 1
	}
	return len(roleOrder)
}

func sortedRoles[V any](m map[string]V) []string {
	roles := sortedKeys(m)
	slices.SortStableFunc(roles, func(a, b string) int { return roleRank(a) - roleRank(b) })
	return roles
}

// hardwareID composes the hardware id word; its source revision is zero.
func (e *elaboration) hardwareID() uint32 {
	layout, stacks := e.p.ABI.Layout(abi.HardwareID), e.p.ABI.Enum(abi.Stacks)
	fields := map[string]bool{
		"internal_dma":   e.p.CCLO.DMA == "internal",
		"external_dma":   e.p.CCLO.DMA == "external",
		"arithmetic":     e.p.Arithmetic != nil,
		"compression":    e.p.Compression != nil && e.p.Compression.Lanes > 0,
		"kernel_streams": true,
	}
	var id uint32
	for _, f := range layout.Fields {
		if fields[f.Name] {
			id |= 1 << f.Low
		}
		if f.Name == abi.Stacks {
			if v := stacks.Value(e.stack()); v != nil {
				id |= v.Value << f.Low
			}
		}
	}
	return id
}
