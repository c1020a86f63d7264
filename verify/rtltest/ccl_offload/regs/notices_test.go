package regs

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/cclforge/cclforge/verify/rtltest/block"
)

func TestNotices(t *testing.T) { set.Check(t, "notices", notices) }

// notice is one that waits.
type notice struct {
	context, source, tag, strm uint64
	of                         block.Collective
}

// notices come in, are read and taken.
func notices(b *block.Bench, r *rand.Rand) error {
	g, err := generation("u55c_tcp")
	if err != nil {
		return err
	}
	at, names := map[string]uint64{}, []string{}
	for _, x := range g.RegisterMap("notice").Registers {
		at[x.Name], names = uint64(x.At), append(names, x.Name)
	}
	most := int(g.Constant("notices").Value)
	var waiting []notice
	var asks, writes, answers, event, fails bool
	var address, want uint64
	seen := map[string]int{}
	for cycle := range 20000 {
		if r.IntN(3000) == 0 {
			b.Reset()
			waiting, asks, answers, event = nil, false, false, false
		}
		if !asks && r.IntN(2) == 0 {
			asks, writes = true, r.IntN(2) == 0
			if address = at[names[r.IntN(len(names))]]; r.IntN(8) == 0 {
				address = 4 * r.Uint64N(64)
			}
		}
		b.Scramble(r, "reg_request", "header")
		b.Put("reg_request.valid", asks)
		if asks {
			b.Put("reg_request.write", writes)
			b.Set("reg_request.address", address)
		}
		b.Set("arrived", 0)
		b.Settle()
		arrived := b.Is("room") && (r.IntN(20) == 0 || cycle/1000%2 == 0 && r.IntN(4) == 0)
		b.Put("arrived", arrived)
		clear := r.IntN(2000) == 0 && !arrived
		b.Put("clear", clear)
		b.Settle()
		if b.Is("room") != (len(waiting) < most) || b.Is("event_notice") != event || b.Is("reg_response.ready") != answers {
			return fmt.Errorf("with %d notices there is room: %t, one has come: %t, not %t, and an access is answered: %t",
				len(waiting), b.Is("room"), b.Is("event_notice"), event, b.Is("reg_response.ready"))
		}
		if answers && (b.Is("reg_response.error") != fails || !fails && !writes && b.Get("reg_response.rdata") != want) {
			return fmt.Errorf("register 0x%X, written %t, is 0x%X, error %t; not 0x%X, %t", address, writes,
				b.Get("reg_response.rdata"), b.Is("reg_response.error"), want, fails)
		}
		taken := asks && !answers
		takes := taken && writes && address == at["take"]
		if taken {
			var n notice
			if len(waiting) > 0 {
				n = waiting[0]
			}
			values := map[uint64]uint64{at["waiting"]: uint64(len(waiting)), at["comm_context"]: n.context,
				at["source"]: n.source, at["tag"]: n.tag, at["strm"]: n.strm,
				at["number"]: n.of.Number, at["count"]: n.of.Count, at["shape"]: n.of.Shape}
			readable := false
			if want, readable = values[address]; readable && len(waiting) > 0 {
				seen["read"]++
			}
			fails = !takes && (writes || !readable)
		}
		come := notice{b.Get("header.context_"), b.Get("header.src"), b.Get("header.tag"), b.Get("header.strm"),
			b.Collective("header.collective")}
		b.Step()
		if takes && len(waiting) > 0 {
			waiting = waiting[1:]
			seen["taken"]++
		}
		if event = arrived; arrived {
			waiting = append(waiting, come)
		}
		if clear {
			seen["cleared"] += len(waiting)
			waiting = nil
		}
		if len(waiting) == most {
			seen["full"]++
		}
		asks, answers = asks && !answers, taken
	}
	for what, least := range map[string]int{"read": 1000, "taken": 200, "cleared": 10, "full": 50} {
		if seen[what] < least {
			return fmt.Errorf("only %v", seen)
		}
	}
	return nil
}
