package rx

import (
	"errors"
	"fmt"
)

// registerAccess is one to a register by firmware.
type registerAccess struct {
	name  string
	at    uint64
	write bool
	data  uint64
	want  wanted // for seek
	known bool   // the rank that was looked up
	since int
}

// planRegister has firmware give buffers, look for messages, and drop some.
func (x *joined) planRegister() {
	r := x.r
	access := func(name string, write bool, data uint64) {
		x.plan = append(x.plan, registerAccess{name: name, at: x.registers[name], write: write, data: data,
			want: x.fitting()})
	}
	switch k := r.IntN(12); {
	case len(x.given) < 6 || k == 0 && len(x.given) < 60:
		access("address", true, uint64(r.Uint32()))
		access("address", true, uint64(r.Uint32()))
		x.plan[len(x.plan)-1].at += 4
		access("bytes", true, []uint64{100, 1000}[r.IntN(2)])
		access("enqueue", true, 0x100+36*uint64(len(x.given)))
	case k < 6:
		access("seek", false, 0)
		if r.IntN(3) == 0 {
			access("discard", true, 0)
		}
	case k < 8:
		access("found", false, 0)
	case k < 9:
		access("discard", true, 0)
	case k < 10:
		access([]string{"other_source", "other_number", "other_count", "other_shape"}[r.IntN(4)], false, 0)
	default:
		access("free", false, 0)
	}
}

// driveRegister makes the next access.
func (x *joined) driveRegister() {
	b, r := x.b, x.r
	if x.reg != nil {
		return
	}
	b.Scramble(r, "reg_request", "selection")
	b.Set("reg_request.valid", 0)
	if len(x.plan) == 0 && x.resetting == 0 && int(b.Cycle) >= x.calm && (len(x.given) < 6 || r.IntN(x.firmware) == 0) {
		x.planRegister()
	}
	if len(x.plan) == 0 {
		return
	}
	a := x.plan[0]
	x.plan = x.plan[1:]
	a.since = int(b.Cycle)
	x.reg = &a
	b.Set("selection.source", a.want.rank)
	b.Set("selection.context_", a.want.context)
	b.Set("selection.tag", a.want.tag)
	b.SetCollective("selection.collective", a.want.of)
	b.Set("reg_request.valid", 1)
	b.Put("reg_request.write", a.write)
	b.Set("reg_request.address", a.at)
	b.Set("reg_request.wdata", a.data)
}

// answerPeer says who the rank is.
func (x *joined) answerPeer() {
	b, a := x.b, x.reg
	b.Set("peer_response.done", 1)
	a.known = x.r.IntN(6) > 0
	b.Put("peer_response.ok", a.known)
	if a.known {
		b.Set("peer_response.record", a.want.record)
		b.Set("peer_response.session", a.want.session)
	}
}

// registered is what an access has said.
func (x *joined) registered() error {
	b, a, now := x.b, x.reg, int(x.b.Cycle)
	if a == nil {
		return nil
	}
	if !b.Is("reg_response.ready") {
		if now-a.since > 4000 && x.resetting == 0 {
			return fmt.Errorf("an access to %s does not end", a.name)
		}
		return nil
	}
	x.reg = nil
	got, w := b.Get("reg_response.rdata"), a.want
	if b.Is("reg_response.error") {
		return fmt.Errorf("an access to %s fails", a.name)
	}
	what := fmt.Sprintf("that %s says %X", a.name, got)
	switch a.name {
	case "address":
		x.next.address = x.next.address>>32 | a.data<<32
	case "bytes":
		x.next.bytes = a.data
	case "enqueue":
		x.next.number, x.next.record = uint64(len(x.given)), a.data
		x.given = append(x.given, x.next)
		x.begin(now, x.expected(x.next.number))
	case "seek":
		if got != 0 {
			x.seen["sought"]++
		}
		return x.see(now, false, fmt.Sprintf("%s for %+v (known: %t)", what, w, a.known), func(o world) bool {
			o.sought = nil
			if !a.known {
				return got == 0
			}
			o.model.know(sender{w.session, w.rank, w.context}, w.record)
			hit, apart, old := o.model.look(w)
			if o.sought, o.soughtBy = hit, w.record; len(old) > 0 || hit != nil {
				return len(old) == 0 && got == hit.bytes+1
			}
			if !x.lossy && apart == nil {
				o.model.want(w)
			}
			return got == 0
		})
	case "discard":
		dropped := false
		err := x.see(now, false, what, func(o world) bool {
			if s := o.sought; s != nil {
				o.took(*s, o.soughtBy)
				dropped = s.number <= 0xFF
			}
			return true
		})
		if err != nil {
			return err
		}
		if dropped {
			x.seen["discarded"]++
		}
	case "other_source", "other_number", "other_count", "other_shape":
		if x.otherSince+4 > a.since {
			return nil
		}
		return x.see(now, true, what, func(o world) bool {
			last := o.other
			return got == map[string]uint64{"other_source": last.source, "other_number": last.of.Number,
				"other_count": last.of.Count, "other_shape": last.of.Shape}[a.name]
		})
	case "found", "free":
		// Something else happened just then; of what is found by others, it is told later.
		if x.last+4 > a.since || a.name == "found" && x.taken+400 > a.since {
			return nil
		}
		x.seen["looked at"]++
		return x.see(now, true, what, func(o world) bool {
			if a.name == "free" {
				return int(got) == len(o.model.free)
			}
			if o.sought == nil || o.sought.number > 0xFF {
				return got == 0
			}
			return got == x.given[o.sought.number].record
		})
	default:
		return errors.New("no such access")
	}
	return nil
}
