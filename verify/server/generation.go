package server

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/driver/sim"
	"github.com/cclforge/cclforge/gen/abi"
	"github.com/cclforge/cclforge/gen/design"
	"github.com/cclforge/cclforge/gen/driverview"
)

// generation is what the server needs to know of the interface generation of its
// platform, also to tell clients of others.
type generation struct {
	platform, name string
	// polled and blocking say which calls it has: with ctrl_id, whose end is
	// asked for, and without, which are answered when they have ended.
	polled, blocking      bool
	returnCode            uint32     // offset in the exchange memory
	words                 []abi.Word // of the exchange memory
	beatBytes             int        // of a kernel stream
	config, enable, reset uint32
	ownPeers              *uint32 // nil where there is no such function
	rx                    *rxTable
}

func newGeneration(d *design.Design) (*generation, error) {
	g, p := d.ABI(), driverview.Of(d)
	n := &generation{platform: d.Platform.Name, name: g.Name}
	n.blocking = sim.Blocking(&p)
	n.polled = !n.blocking || !g.Features["config_ready"] // that of the manual is older than either kind of client
	var lacks error
	code := func(enum, name string) uint32 {
		if v := g.Enum(enum).Value(name); v != nil {
			return v.Value
		}
		lacks = fmt.Errorf("%s has no %s %s", g.Name, enum, name)
		return 0
	}
	n.config = code("operation", "config")
	n.enable, n.reset = code(abi.ConfigFunctions, "enable_pkt"), code(abi.ConfigFunctions, "reset_periph")
	if v := g.Enum(abi.ConfigFunctions).Value("own_peers"); v != nil {
		n.ownPeers = &v.Value
	}
	if m := g.Memory(abi.Exchange); m != nil && m.Word("return_code") != nil {
		n.returnCode, n.words = m.Word("return_code").At, m.Words
	} else {
		lacks = fmt.Errorf("%s has no word return_code", g.Name)
	}
	if c := g.Constant(abi.BeatBytes); c != nil {
		n.beatBytes = int(c.Value)
	}
	if lacks != nil {
		return nil, lacks
	}
	var err error
	n.rx, err = newRxTable(g)
	return n, err
}

func (g *generation) resets(c *accl.Call) bool {
	return c.Scenario == g.config && c.FunctionCode == g.reset
}

func (g *generation) enables(c *accl.Call) bool {
	return c.Scenario == g.config && c.FunctionCode == g.enable
}

// refuses says why a call, or the wait for one, can only come from a client of
// another generation; nil if it can come from one of this. word reads the
// exchange memory.
func (g *generation) refuses(r *sim.Request, word func(offset uint32) (uint32, bool)) *sim.Reply {
	var why string
	switch {
	case r.Type == sim.CallWait && !g.polled:
		why = "whose calls are answered when they have ended; a call wait is sent by clients of accl-2024"
	case r.Type == sim.CallWait:
		return nil
	case r.Controlled && !g.polled:
		why = "whose calls are answered when they have ended; one with a ctrl_id is sent by clients of accl-2024"
	case !r.Controlled && !g.blocking:
		why = "whose calls have a ctrl_id; one without is sent by clients of accl-2022 and before"
	case g.enables(&r.Call):
		other := g.foreignTable(word)
		if other == "" {
			return nil
		}
		why = "and the client has written its rx buffers as " + other
	default:
		return nil
	}
	reply := refuse(StatusGeneration, "this is the platform %s with the interface %s, %s", g.platform, g.name, why)
	return &reply
}

// introduces says to a client which generation this is, if it reads a word that
// clients of others begin with, and those of this one do not; "" if it does not.
func (g *generation) introduces(addr uint32) string {
	all, err := generations()
	if err != nil {
		return ""
	}
	there := func(w abi.Word) bool { return w.At == addr }
	var others []string
	for _, other := range all {
		for _, first := range []string{abi.HardwareID, "config_ready"} {
			if w := other.Memory(abi.Exchange).Word(first); w != nil && there(*w) {
				others = append(others, other.Name)
			}
		}
	}
	if len(others) == 0 || slices.ContainsFunc(g.words, there) {
		return ""
	}
	return fmt.Sprintf(
		"this is the platform %s with the interface %s; who reads 0x%X first is a client of %s, and needs a platform with "+
			"that interface",
		g.platform, g.name, addr, strings.Join(others, " or "))
}

// word reads the exchange memory.
func (s *Server) word(offset uint32) (uint32, bool) {
	v, err := s.device.ReadReg(s.ctx, offset)
	return v, err == nil
}
