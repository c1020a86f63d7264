package abi

import (
	"cmp"
	"maps"
	"slices"

	"github.com/cclforge/cclforge/gen/lang"
)

// Operation is what a call does with its operands.
type Operation struct {
	Name, Doc string
	// Call is the name of its code in the enum Operations: the operation's own, unless
	// it is another form of that call.
	Call          string
	Code          uint32
	Op0, Op1, Res Operand
	Peer          string // what the call's word root_src_dst says: "root", "source", "destination" or ""
	Reduces       bool
	Local         bool     // it involves no other rank
	Tagged        bool     // the caller chooses the tag
	InPlace       string   // InPlaceAllowed, InPlaceRequired or ""
	RepeatsResult bool     // hosts that name operands in host memory pass the result as operand 1, too
	ResultAsOp1   bool     // kernels of others pass the result as operand 1 alone
	Callers       []string // that have a method for it: CallerHost, CallerKernel
	Task          bool     // the firmware runs it as a task; others are answered at once
}

// Operand is one operand of an operation, or its result.
type Operand struct {
	Share  string // ShareBlock, ShareAll or "" for no such operand
	At     string // ranks that have it: AtEverywhere, AtRoot, AtNotRoot, AtNotFirst or AtPeer
	Stream bool   // it may be the kernel stream; at the peer it always is
}

// Values of attributes of an operation.
const (
	ShareBlock = "block" // count elements
	ShareAll   = "all"   // count elements for each rank

	AtEverywhere = "everywhere"
	AtRoot       = "root"
	AtNotRoot    = "not_root"
	AtNotFirst   = "not_first" // all but rank 0
	AtPeer       = "peer"      // the destination, whose kernel stream it is

	PeerRoot        = "root"
	PeerSource      = "source"
	PeerDestination = "destination"

	InPlaceAllowed  = "allowed"
	InPlaceRequired = "required" // the result lies where operand 0 does, on other ranks

	CallerHost   = "host"
	CallerKernel = "kernel"
)

// Any reports whether there is such an operand.
func (o Operand) Any() bool { return o.Share != "" }

// Elements reports whether the operation has any operand.
func (o *Operation) Elements() bool { return o.Op0.Any() || o.Res.Any() }

// Collective reports whether all ranks of the communicator take part.
func (o *Operation) Collective() bool {
	return o.Task && !o.Local && (o.Peer == "" || o.Peer == PeerRoot)
}

// CalledBy reports whether hosts or kernels call the operation by a method of its own.
func (o *Operation) CalledBy(caller string) bool { return slices.Contains(o.Callers, caller) }

// operations reads what the calls of the enum Operations do, in the order of their codes.
func (b *builder) operations(n *node, g *Generation) {
	codes := g.Enum(Operations)
	described := map[string]bool{}
	for _, c := range n.of("operation") {
		o := b.operation(c)
		var value *EnumValue
		if codes != nil {
			value = codes.Value(o.Call)
		}
		if value == nil {
			var known []string
			if codes != nil {
				known = codes.Names()
			}
			b.errorf(c.at("call"), "Unknown operation", "%s has no code: the enum %q has no value %q. %s",
				c.capital(), Operations, o.Call, lang.Choices(o.Call, known))
			continue
		}
		o.Code = value.Value
		if o.Doc == "" {
			o.Doc = value.Doc
		}
		described[o.Name] = true
		g.Operations = append(g.Operations, o)
	}
	slices.SortStableFunc(g.Operations, func(x, y Operation) int { return cmp.Compare(x.Code, y.Code) })
	if codes == nil {
		return
	}
	for _, v := range codes.Values {
		if !described[v.Name] {
			b.errorf(v.Range, "Operation not described", "The enum %q has %q, but no block operation %q says "+
				"what it does with its operands.", Operations, v.Name, v.Name)
		}
	}
}

func (b *builder) operation(n *node) Operation {
	o := Operation{
		Name: n.label, Doc: n.text("doc"), Call: n.label,
		Peer:    b.choice(n, "peer", "", PeerRoot, PeerSource, PeerDestination),
		Reduces: n.flag("reduces"), Local: n.flag("local"), Tagged: n.flag("tagged"),
		InPlace:       b.choice(n, "in_place", "", InPlaceAllowed, InPlaceRequired),
		RepeatsResult: n.flag("repeats_result"), ResultAsOp1: n.flag("result_as_op1"), Callers: b.callers(n), Task: true,
	}
	if _, set := n.usable("call"); set {
		o.Call = n.text("call")
	}
	if _, set := n.usable("task"); set {
		o.Task = n.flag("task")
	}
	o.Op0, o.Op1, o.Res = b.operand(n, "op0"), b.operand(n, "op1"), b.operand(n, "res")
	b.consistent(n, &o)
	return o
}

// choice is a text that must be one of a few.
func (b *builder) choice(n *node, attr, fallback string, allowed ...string) string {
	s, usable := n.usable(attr)
	if !usable {
		return fallback
	}
	value := s.value.AsString()
	if !slices.Contains(allowed, value) {
		b.errorf(s.rng, "Unknown value", "%q of %s cannot be %q. %s", attr, n, value, lang.Choices(value, allowed))
		return fallback
	}
	return value
}

func (b *builder) callers(n *node) []string {
	all := []string{CallerHost, CallerKernel}
	s, usable := n.usable("callers")
	if !usable {
		return all
	}
	callers := s.strings()
	for i, caller := range callers {
		if !slices.Contains(all, caller) {
			b.errorf(s.element(i), "Unknown value", "%q of %s cannot name %q. %s", "callers", n, caller,
				lang.Choices(caller, all))
		}
	}
	return callers
}

// operand reads an object like { share = "block", at = "root", stream = true }.
func (b *builder) operand(n *node, attr string) Operand {
	entries := n.maps[attr]
	if len(entries) == 0 {
		return Operand{}
	}
	known := map[string][]string{
		"share":  {ShareBlock, ShareAll},
		"at":     {AtEverywhere, AtRoot, AtNotRoot, AtNotFirst, AtPeer},
		"stream": {"true", "false"},
	}
	var unusable []string
	for _, key := range slices.Sorted(maps.Keys(entries)) {
		s := entries[key]
		allowed, is := known[key]
		if !is {
			b.errorf(s.rng, "Unknown attribute", "%q of %s has no %q. %s", attr, n, key,
				lang.Choices(key, slices.Sorted(maps.Keys(known))))
			continue
		}
		if value := s.value.AsString(); !slices.Contains(allowed, value) {
			b.errorf(s.rng, "Unknown value", "%q of %q of %s cannot be %q. %s", key, attr, n, value,
				lang.Choices(value, allowed))
			unusable = append(unusable, key)
		}
	}
	value := func(key, fallback string) string {
		if s, set := entries[key]; set && !slices.Contains(unusable, key) {
			return s.value.AsString()
		}
		return fallback
	}
	if _, set := entries["share"]; !set {
		b.errorf(n.rng, "Missing value", "%q of %s has no \"share\": %q or %q.", attr, n, ShareBlock, ShareAll)
	}
	return Operand{value("share", ShareBlock), value("at", AtEverywhere), value("stream", "") == "true"}
}

// consistent reports what does not fit together.
func (b *builder) consistent(n *node, o *Operation) {
	wrong := func(attr, format string, args ...any) {
		b.errorf(n.at(attr), "Contradiction", n.capital()+" "+format, args...)
	}
	for _, use := range []struct {
		attr string
		Operand
	}{{"op0", o.Op0}, {"op1", o.Op1}, {"res", o.Res}} {
		rooted := use.At == AtRoot || use.At == AtNotRoot
		switch {
		case rooted && o.Peer != PeerRoot:
			wrong("peer", "has %q at %q, but no root: set peer = %q.", use.attr, use.At, PeerRoot)
		case use.At == AtPeer && (o.Peer != PeerDestination || use.attr != "res"):
			wrong("peer", "has %q at the peer; only the result can be there, with peer = %q.", use.attr, PeerDestination)
		case use.Share == ShareAll && o.Local:
			wrong("local", "is local, but %q has elements of every rank.", use.attr)
		}
	}
	switch {
	case o.Local && (o.Peer != "" || o.Tagged):
		wrong("local", "is local, and has a peer or a tag.")
	case o.Tagged && o.Peer != PeerSource && o.Peer != PeerDestination:
		wrong("tagged", "has a tag, but neither a source nor a destination.")
	case o.Op1.Any() && !o.Op0.Any():
		wrong("op1", "has an operand 1, but no operand 0.")
	case o.Reduces && !(o.Op0.Any() && o.Res.Any()):
		wrong("reduces", "reduces; for that it needs an operand 0 and a result.")
	case (o.RepeatsResult || o.ResultAsOp1) && (!o.Res.Any() || o.Op1.Any()):
		wrong("repeats_result", "passes the result as operand 1; for that it needs a result and no operand 1.")
	case o.InPlace != "" && !(o.Op0.Any() && o.Res.Any()):
		wrong("in_place", "can be in place; for that it needs an operand 0 and a result.")
	case o.InPlace == InPlaceRequired && !(o.Op0.At == AtRoot && o.Res.At == AtNotRoot && o.Op0.Share == o.Res.Share):
		wrong("in_place", "is always in place: operand 0 must be at the root, and as much of the result elsewhere.")
	case o.Op0.At == AtRoot && o.Res.At == AtNotRoot && o.InPlace != InPlaceRequired:
		wrong("in_place", "has operand 0 at the root and the result elsewhere: set in_place = %q.", InPlaceRequired)
	}
}
