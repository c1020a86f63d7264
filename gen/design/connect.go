package design

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"

	"github.com/cclforge/cclforge/gen/lang"
	"github.com/cclforge/cclforge/gen/platform"
)

type variables = map[string]cty.Value

// join is a name under which ports of different kernels meet. Its group is
// what stands before the first slash.
type join struct {
	name  string
	group string
	scope int
	ports []*port
}

func indexObject(index, count int) cty.Value {
	return cty.ObjectVal(variables{"index": cty.NumberIntVal(int64(index)), "count": cty.NumberIntVal(int64(count))})
}

// join enters a port under a name. A name that starts with a slash means the
// whole card; others the engine that the instance belongs to.
func (e *elaboration) join(in *instance, p *port, name string) {
	if name == "" {
		return
	}
	scope := in.Scope
	if strings.HasPrefix(name, "/") {
		name, scope = name[1:], -1
	}
	p.join = fmt.Sprintf("%d/%s", scope, name)
	j, ok := e.reach[p.join]
	if !ok {
		group, _, _ := strings.Cut(name, "/")
		j = &join{name: name, group: group, scope: scope}
		e.reach[p.join] = j
		e.joins = append(e.joins, j)
	}
	j.ports = append(j.ports, p)
}

// connect turns joins into streams, closes what may be closed and reports the
// rest.
func (e *elaboration) connect() {
	for _, j := range e.joins {
		e.connectJoin(j)
	}
	before := len(e.diags)
	for _, in := range slices.Clone(e.instances) {
		for _, p := range in.ports {
			if p.Protocol == AXIS && !p.linked && p.source.ClosedBy != nil {
				e.close(in, p)
			}
		}
	}
	if len(e.diags) > before {
		return // what could not be closed would be reported again as open
	}
	reported := map[hcl.Range]bool{}
	for _, in := range e.instances {
		for _, p := range in.ports {
			if p.Protocol == AXIS && !p.linked && p.required && !reported[p.source.Range] {
				reported[p.source.Range] = true
				e.notConnected(p)
			}
		}
	}
}

func (e *elaboration) connectJoin(j *join) {
	var from, to *port
	for _, p := range j.ports {
		end := &to
		if p.Output {
			end = &from
		}
		if *end != nil {
			if len(j.ports) == 2 {
				direction := "inputs"
				if p.Output {
					direction = "outputs"
				}
				e.errorf(p.source.Range, "Direction mismatch", "%s and %s meet at %q, but both are %s.", (*end).FullName(),
					p.FullName(), j.name, direction)
			} else {
				e.errorf(p.source.Range, "Stream connected twice",
					"%s and %s both stand at %q; a stream has one sender and one receiver.", (*end).FullName(), p.FullName(), j.name)
			}
			for _, p := range j.ports {
				p.linked = true // said once
			}
			return
		}
		*end = p
	}
	if from == nil || to == nil {
		return
	}
	e.stream(from, to, j.scope, j.group)
}

func (e *elaboration) stream(from, to *port, scope int, group string) {
	from.linked, to.linked = true, true
	if from.Width != to.Width && !from.source.Resizes && !to.source.Resizes {
		e.errorf(to.source.Range, "Width mismatch", "%s sends %d bits, but %s takes %d.", from.FullName(), from.Width,
			to.FullName(), to.Width)
	}
	e.design.Streams = append(e.design.Streams, &Stream{From: from.Port, To: to.Port, Depth: max(from.depth, to.depth),
		Scope: scope, Group: group})
}

// close puts a closing kernel between an output that nothing is attached to
// and the input that it belongs with.
func (e *elaboration) close(in *instance, out *port) {
	closing := out.source.ClosedBy
	ctx := in.source.Context(in.vars)
	ctx.Variables["port"] = e.rowIndex(in, out)
	back := evaluate(e, closing.To, ctx, "")
	i := slices.IndexFunc(in.ports, func(p *port) bool { return p.Name == back })
	if i < 0 {
		known := lang.Names(in.Ports, func(p *Port) string { return p.Name })
		e.errorf(closing.Range, "Unknown port", "Kernel %s has no port %q. %s", in.source.ID, back, lang.Choices(back, known))
		return
	}
	if in.ports[i].linked {
		return // half attached: reported as not connected
	}
	for _, lost := range e.lib.Lost() {
		if lost.ID == closing.Kernel {
			e.diags = append(e.diags, e.lib.ProblemsOf(lost)...)
			return
		}
	}
	k, ok := e.lib.Kernels[closing.Kernel]
	if !ok || k.Role != roleCloser {
		e.errorf(closing.Range, "Unknown kernel", "%q is not a kernel that closes streams. %s", closing.Kernel,
			lang.Choices(closing.Kernel, e.closers()))
		return
	}
	closer := e.add(k, evaluate(e, closing.Instance, ctx, ""), roleCloser, in.Scope, in.SLR, closing.Range, in.vars)
	var entry, exit *port
	for _, p := range closer.ports {
		if p.Protocol == AXIS && p.Output {
			exit = p
		} else if p.Protocol == AXIS {
			entry = p
		}
	}
	if entry == nil || exit == nil {
		e.errorf(k.Range, "Wrong role", "Kernel %s closes streams, so it has one stream in and one out.", k.ID)
		return
	}
	e.stream(out, entry, in.Scope, roleCloser)
	e.stream(exit, in.ports[i], in.Scope, roleCloser)
}

func (e *elaboration) closers() []string {
	var out []string
	for id, k := range e.lib.Kernels {
		if k.Role == roleCloser {
			out = append(out, id)
		}
	}
	return out
}

// rowIndex is the index of a port among the ports of one description.
func (e *elaboration) rowIndex(in *instance, p *port) cty.Value {
	index, count := 0, 0
	for _, other := range in.ports {
		if other == p {
			index = count
		}
		if other.source == p.source {
			count++
		}
	}
	return indexObject(index, count)
}

func (e *elaboration) notConnected(p *port) {
	const summary = "Stream not connected"
	if p.join == "" {
		e.errorf(p.source.Range, summary, "%s joins nothing; say what it joins, or required = false.", p.FullName())
		return
	}
	var meets []string
	for _, j := range e.joins {
		if len(j.ports) == 1 && j.ports[0] != p && j.ports[0].Output != p.Output && !j.ports[0].linked {
			meets = append(meets, j.name)
		}
	}
	hint := "No other kernel of this platform joins it."
	_, name, _ := strings.Cut(p.join, "/")
	if near := lang.Nearest(name, meets); near != "" {
		hint = fmt.Sprintf("Did you mean %q, which has nothing at its other end?", near)
	}
	e.errorf(p.source.Range, summary, "%s has nothing at the other end of %q. %s", p.FullName(), name, hint)
}

// checkTDEST compares the TDESTs of the plugins with the width of the streams
// that carry them.
func (e *elaboration) checkTDEST() {
	narrow := map[string]int{}
	for _, s := range e.design.Streams {
		role := s.To.Instance.Role
		if s.To.TDEST == 0 {
			continue
		}
		bits := s.To.TDEST
		if s.From.TDEST > 0 {
			bits = min(bits, s.From.TDEST)
		}
		if known, ok := narrow[role]; !ok || bits < known {
			narrow[role] = bits
		}
	}
	check := func(role string, tdest int, rng hcl.Range, what string) {
		bits, ok := narrow[role]
		if ok && tdest >= 1<<bits {
			e.errorf(rng, "TDEST too large", "TDEST %d of %s does not fit: the lane carries %d bits, 0 to %d.",
				tdest, what, bits, 1<<bits-1)
		}
	}
	if a := e.p.Arithmetic; a != nil {
		for _, f := range a.Functions {
			for _, t := range f.TDEST {
				check(roleArithmetic, t.TDEST, t.Range, f.Name+" of "+t.Type)
			}
		}
	}
	if c := e.p.Compression; c != nil {
		for _, conv := range c.Conversions {
			check(roleCompression, conv.TDEST, conv.Range, conv.From+" to "+conv.To)
		}
	}
}

// finish puts everything into its final order.
func (e *elaboration) finish() {
	d := e.design
	slices.SortStableFunc(e.instances, func(a, b *instance) int {
		if a.Scope != b.Scope {
			return a.Scope - b.Scope
		}
		return roleRank(a.Role) - roleRank(b.Role)
	})
	order := map[*Instance]int{}
	for i, in := range e.instances {
		d.Instances = append(d.Instances, in.Instance)
		order[in.Instance] = i
	}
	groupOrder := []string{"mac", "network", "session", "control", "arithmetic", "compression", "kernel", "dma"}
	rank := func(s *Stream) int {
		if i := slices.Index(groupOrder, s.Group); i >= 0 {
			return i
		}
		return len(groupOrder)
	}
	slices.SortStableFunc(d.Streams, func(a, b *Stream) int {
		if a.Scope != b.Scope {
			return a.Scope - b.Scope
		}
		return rank(a) - rank(b)
	})
	slices.SortStableFunc(d.Memories, func(a, b *MemoryLink) int {
		return order[a.Port.Instance] - order[b.Port.Instance]
	})
	d.HardwareID = e.hardwareID()
	d.Files = e.files()
}

// files lists the descriptions that the design is made of. Generations are
// merged from fragments, so all of their folder counts.
func (e *elaboration) files() []string {
	used := map[string]bool{e.p.File: true, e.p.Board.Range.Filename: true}
	for _, in := range e.instances {
		for _, file := range in.source.Files {
			used[file] = true
		}
	}
	for file := range e.lib.Inputs(e.p.Name) {
		if path.Dir(file) == path.Join(platform.Root, "abi") {
			used[file] = true
		}
	}
	return sortedKeys(used)
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
