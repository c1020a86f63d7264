package rendezvous

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cclforge/cclforge/verify/rtltest/block"
)

// access is one to a register by firmware.
type access struct {
	name   string
	high   bool // the upper half
	write  bool
	data   uint64
	window int // that is opened, shut or read; 32 and more: none
	who    what
	of     block.Collective
	known  bool // the rank that is looked up
	since  uint64
	values map[uint64]bool // that it may say: of all cycles since
}

// planRegister has firmware open windows and shut them, look at them and at announcements.
func (x *whole) planRegister() {
	r := x.r
	add := func(a access) {
		a.who.session, a.who.src, a.who.context, a.who.tag = r.Uint64N(3), r.Uint64N(2), r.Uint64N(2), []uint64{0,
			1, x.anyTag}[r.IntN(3)]
		a.known, a.of = r.IntN(8) > 0, block.RandomCollective(r)
		x.plan = append(x.plan, a)
	}
	n := r.IntN(6)
	if r.IntN(20) == 0 {
		n = 32 + r.IntN(2)*r.IntN(1000)
	}
	switch k := r.IntN(10); {
	case k < 3 && (n > 31 || x.busy[n] == 0 && (!x.windows[n].open || r.IntN(20) == 0)):
		address := uint64(n)<<24 | r.Uint64N(1<<16) | r.Uint64N(1<<20)<<32
		bytes, host := 1+r.Uint64N(4032*3), r.Uint64N(2)
		add(access{name: "window", write: true, data: uint64(n)})
		add(access{name: "address", write: true, data: address & 0xFFFFFFFF})
		add(access{name: "address", write: true, high: true, data: address >> 32})
		add(access{name: "bytes", write: true, data: bytes})
		add(access{name: "open", write: true, data: host, window: n})
		x.locked = n
	case k < 4 && (n > 31 || x.busy[n] == 0) && r.IntN(8) == 0:
		add(access{name: "window", write: true, data: uint64(n)})
		add(access{name: "shut", write: true, window: n})
		x.locked = n
	case k < 6:
		add(access{name: "window", write: true, data: uint64(n)})
		add(access{name: []string{"arrived", "done"}[r.IntN(2)], window: n})
	case k < 7:
		add(access{name: "foreign"})
	case k < 9:
		add(access{name: "seek"})
		for _, name := range []string{"count", "host", "transfer", "address", "number", "collective_count", "shape"} {
			add(access{name: "announced_" + name})
		}
		add(access{name: "announced_address", high: true})
		if r.IntN(2) == 0 {
			add(access{name: "take", write: true})
		}
	default: // what was found last, nothing after a reset or when it was taken; or what was written
		add(access{name: []string{"announced_count", "window", "address", "bytes"}[r.IntN(4)], high: r.IntN(2) == 0})
	}
}

// driveRegister makes the next access, and says who a rank is.
func (x *whole) driveRegister() {
	b, r := x.b, x.r
	b.Scramble(r, "peer_response")
	b.Set("peer_response.done", 0)
	if x.reg == nil {
		b.Scramble(r, "reg_request", "selection")
		b.Set("reg_request.valid", 0)
		if len(x.plan) == 0 && x.resetting == 0 && b.Cycle >= x.wait {
			x.wait = b.Cycle + []uint64{0, 3, 60}[r.IntN(3)]
			x.planRegister()
		}
		if len(x.plan) == 0 || x.plan[0].name == "take" && x.packet != nil && x.packet.at < 0 && x.full() {
			return
		}
		a := x.plan[0]
		x.plan = x.plan[1:]
		a.since, a.values = b.Cycle, map[uint64]bool{}
		x.reg = &a
		b.Set("reg_request.valid", 1)
		b.Put("reg_request.write", a.write)
		b.Set("reg_request.address", x.at(&a))
		b.Set("reg_request.wdata", a.data)
		b.Set("selection.destination", a.who.src)
		b.Set("selection.context_", a.who.context)
		b.Set("selection.tag", a.who.tag)
		b.SetCollective("selection.collective", a.of)
	}
	b.Settle()
	if b.Is("peer_request.valid") && r.IntN(3) == 0 {
		b.Set("peer_response.done", 1)
		b.Put("peer_response.ok", x.reg.known)
		b.Set("peer_response.session", x.reg.who.session)
	}
}

// at is the offset of the word of an access; only addresses have two.
func (x *whole) at(a *access) uint64 {
	return x.registers[a.name] + 4*block.Bit(a.high && strings.HasSuffix(a.name, "address"))
}

// find is the oldest announcement that somebody looks for, or one of another collective
// before it. Those of older collectives are dropped on the way.
func (x *whole) find(a *access) (sought *announcement, apart bool) {
	rank, odd := x.b.Get("selection.destination"), a.who.context%2 == 1
	for _, o := range slices.Clone(x.arrived) {
		switch {
		case !a.known || o.session != a.who.session || o.src != rank || o.context != a.who.context && (o.context != 0 || odd):
		case odd && o.of.Before(a.of):
			x.arrived = slices.DeleteFunc(x.arrived, func(p *announcement) bool { return p == o })
			x.seen["older"]++
		case odd && o.of != a.of:
			x.seen["apart"]++
			return o, true
		case o.tag == a.who.tag || o.tag == x.anyTag || a.who.tag == x.anyTag:
			return o, false
		}
	}
	return nil, false
}

// says are the values that a register may show now.
func (x *whole) says(a *access) uint64 {
	var o window
	if a.window < len(x.windows) {
		o = x.windows[a.window]
	}
	switch a.name {
	case "arrived":
		if o.open || o.complete {
			return x.readable(&o, 0)
		}
	case "done":
		if o.complete {
			return 1
		}
	case "foreign":
		if a.known && x.foreigners[a.who.session] && !x.rdma {
			return 1
		}
	}
	return 0
}

// accessed is what an access has said.
func (x *whole) accessed() error {
	b, a := x.b, x.reg
	if a == nil {
		return nil
	}
	if b.Is("peer_request.valid") {
		rank := "source"
		if a.name == "seek" {
			rank = "destination"
		}
		if b.Get("peer_request.comm") != b.Get("selection.comm") || b.Get("peer_request.rank") != b.Get("selection."+rank) {
			return fmt.Errorf("%s looks another rank up", a.name)
		}
	}
	a.values[x.says(a)] = true
	if !b.Is("reg_response.ready") {
		if b.Cycle > a.since+patience {
			return fmt.Errorf("an access to %s does not end", a.name)
		}
		return nil
	}
	x.reg = nil
	if b.Is("reg_response.error") {
		return fmt.Errorf("an access to %s fails", a.name)
	}
	got := b.Get("reg_response.rdata")
	switch a.name {
	case "window", "address", "bytes":
		if v, known := x.kept[x.at(a)]; !a.write && known && got != v {
			return fmt.Errorf("%s is %X, not %X", a.name, got, v)
		}
		if a.write {
			x.kept[x.at(a)] = a.data
		}
	case "open":
		x.open(a)
	case "shut":
		if x.locked = -1; a.window < 32 {
			x.windows[a.window].open, x.windows[a.window].complete = false, false
			x.changes.cause(b.Cycle)
		}
	case "arrived", "done", "foreign":
		if !a.values[got] {
			return fmt.Errorf("%s of %d says %d, not one of %v", a.name, a.window, got, a.values)
		}
		if a.name == "foreign" && got != 0 {
			x.seen["foreign"]++
		}
	case "seek":
		return x.found(a, got)
	case "take":
		for i, o := range x.arrived {
			if o == x.sought && !x.apart {
				x.arrived = append(x.arrived[:i:i], x.arrived[i+1:]...)
				x.seen["taken"]++
				break
			}
		}
		x.sought = nil
	default:
		var want uint64
		if s := x.sought; s != nil {
			want = map[string]uint64{"announced_count": s.count, "announced_host": s.host, "announced_transfer": s.number,
				"announced_address": s.address & 0xFFFFFFFF,
				"announced_number":  s.of.Number, "announced_collective_count": s.of.Count, "announced_shape": s.of.Shape}[a.name]
			if x.at(a) == x.registers["announced_address"]+4 {
				want = s.address >> 32
			}
		}
		if got != want {
			return fmt.Errorf("%s is %X, not %X", a.name, got, want)
		}
	}
	return nil
}

// open is a window that was opened, or not if its sender is unknown.
func (x *whole) open(a *access) {
	x.locked = -1
	if a.window > 31 {
		return
	}
	o, address, bytes := &x.windows[a.window], x.registers["address"], x.kept[x.registers["bytes"]]
	fresh := window{open: a.known, session: a.who.session, src: x.b.Get("selection.source"), context: a.who.context,
		collective: a.of.Number, address: x.kept[address] | x.kept[address+4]<<32, bytes: bytes,
		host: a.data & 1, epoch: unknown, before: o.epoch, seen: map[uint64]bool{}, there: map[uint64]uint64{}}
	for left := bytes; left > 0; left -= min(left, 4032) {
		fresh.packets = append(fresh.packets, min(left, 4032))
	}
	*o = fresh
	x.changes.cause(x.b.Cycle)
}

// found is what a seek has found.
func (x *whole) found(a *access, got uint64) error {
	x.sought, x.apart = x.find(a)
	want := block.Bit(x.sought != nil)
	if x.apart {
		want = 2
	}
	if got != want {
		return fmt.Errorf("%+v of %+v finds %d, not %d: %+v", a.who, a.of, got, want, x.sought)
	}
	if got == 1 {
		x.seen["found"]++
	}
	return nil
}
