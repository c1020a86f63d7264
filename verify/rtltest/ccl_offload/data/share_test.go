package datapath

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/cclforge/cclforge/verify/rtltest/block"
	"github.com/cclforge/cclforge/verify/rtltest/pins"
)

const (
	shareDepth = 4
	shareDest  = 4 // bits of a TDEST
)

var shares = block.NewSet(block.Module{Name: "plugin_share", Params: map[string]string{"DEPTH": fmt.Sprint(shareDepth),
	"TDEST_WIDTH": fmt.Sprint(shareDest)}})

func TestPluginShare(t *testing.T) { shares.Check(t, "plugin_share", pluginShare) }

// Neither lane may have the turn of the other, on its way in or out.
func TestPluginShareTurns(t *testing.T) {
	for _, change := range [][2]string{
		{"gives && operand_tvalid[giver]", "gives && operand_tvalid != '0"},
		{"plugin_operand_tready && plugin_operand_tlast;", "plugin_operand_tready;"},
		{"operand_tready        = gives && plugin_operand_tready ? 2'd1 << giver : '0",
			"operand_tready        = {2{gives && plugin_operand_tready}}"},
		{"takes && plugin_result_tvalid ? 2'd1 << taker : '0", "{2{takes && plugin_result_tvalid}}"},
		{"plugin_result_tready && result_last[taker]", "plugin_result_tready && result_last != '0"},
	} {
		shares.Finds(t, "plugin_share", "plugin_share", change[0], change[1], pluginShare)
	}
}

// portion is a packet of one of both lanes, and what comes of it.
type portion struct {
	second  bool
	dest    uint64
	beats   int // in
	answers int // beats out
	fed     int
	gone    int
}

// sharing is a plugin that two lanes have in turn.
type sharing struct {
	b       *block.Bench
	r       *rand.Rand
	all     []*portion    // that have not gone in full
	offered [2]bool       // a beat stands there: what a lane shows it goes on to show
	takes   [2]bool       // is ready
	data    [2][]byte     // of the beat
	keep    [2][]byte     // of the beat
	answer  bool          // one of the plugin stands there
	plugin  *block.Output // what it gets
	paces   map[string]*pins.Rhythm
	idle    int
	packets [2]int
	ahead   int // beats that stood there while the other lane had its turn
}

// pluginShare gives a plugin packets of both lanes in the order of their slices.
func pluginShare(b *block.Bench, r *rand.Rand) error {
	s := sharing{
		b: b, r: r,
		plugin: block.NewOutput(b, "plugin_operand_tvalid", "plugin_operand_tready", "plugin_operand_tdata",
			"plugin_operand_tkeep", "plugin_operand_tlast", "plugin_operand_tdest"),
	}
	for cycle := range 20000 {
		if cycle%2000 == 0 {
			s.clear(false)
		}
		if err := s.cycle(s.packet(r.IntN(2) == 0, 1+r.IntN(6), 1+r.IntN(6))); err != nil {
			return err
		}
	}
	if min(s.packets[0], s.packets[1]) < 200 || s.ahead < 200 {
		return fmt.Errorf("only %v packets, %d beats before their turn", s.packets, s.ahead)
	}
	return s.speed()
}

// clear is for resets.
func (s *sharing) clear(steady bool) {
	s.b.Reset()
	s.all, s.offered, s.takes, s.answer, s.idle = nil, [2]bool{}, [2]bool{}, false, 0
	s.plugin.Forget()
	s.paces = map[string]*pins.Rhythm{}
	for _, name := range []string{"packet", "give0", "give1", "take0", "take1", "operand", "result"} {
		if s.paces[name] = block.NewRhythm(s.r); steady {
			s.paces[name] = &pins.Rhythm{Random: s.r.IntN}
		}
	}
}

// packet says whose turn comes behind those before, if there is room for one more.
func (s *sharing) packet(second bool, beats, answers int) *portion {
	s.b.Put("packet_valid", false)
	s.b.Scramble(s.r, "packet_second")
	if !s.paces["packet"].Next() || len(s.all) == shareDepth {
		return nil
	}
	s.b.Put("packet_valid", true)
	s.b.Put("packet_second", second)
	return &portion{second: second, dest: s.r.Uint64N(1 << shareDest), beats: beats, answers: answers}
}

// first is the first packet, of a lane or of both, that lacks something.
func (s *sharing) first(lane int, lacks func(*portion) bool) *portion {
	i := slices.IndexFunc(s.all, func(p *portion) bool { return (lane < 0 || p.second == (lane == 1)) && lacks(p) })
	if i < 0 {
		return nil
	}
	return s.all[i]
}

func feeding(p *portion) bool   { return p.fed < p.beats }
func answering(p *portion) bool { return p.gone < p.answers }

// drive shows what the lanes give and take; each knows only of its own packets.
func (s *sharing) drive() {
	b, r := s.b, s.r
	var valid, last, ready, ends, dests uint64
	var data, keep []byte
	for i := range 2 {
		p := s.first(i, feeding)
		if !s.offered[i] {
			s.data[i], s.keep[i] = block.RandomBytes(r, beatBytes), block.RandomBytes(r, beatBytes/8)
			s.offered[i] = p != nil && s.paces[fmt.Sprint("give", i)].Next()
		}
		data, keep = append(data, s.data[i]...), append(keep, s.keep[i]...)
		dest, end := r.Uint64N(1<<shareDest), r.IntN(2) == 0
		if s.offered[i] {
			dest, end = p.dest, p.fed+1 == p.beats
		}
		valid |= block.Bit(s.offered[i]) << i
		last |= block.Bit(end) << i
		dests |= dest << (shareDest * i)
		q := s.first(i, answering)
		s.takes[i] = s.paces[fmt.Sprint("take", i)].Next()
		ready |= block.Bit(s.takes[i]) << i
		ends |= block.Bit(q != nil && q.gone+1 == q.answers) << i
	}
	b.Set("operand_tvalid", valid)
	b.Set("operand_tlast", last)
	b.Set("operand_tdest", dests)
	b.SetBytes("operand_tdata", data)
	b.SetBytes("operand_tkeep", keep)
	b.Set("result_tready", ready)
	b.Set("result_last", ends)
	b.Put("plugin_operand_tready", s.paces["operand"].Next())
	if p := s.first(-1, answering); !s.answer && s.paces["result"].Next() {
		// The last beat of an answer needs all of the packet.
		s.answer = p != nil && p.fed > 0 && (p.fed == p.beats || p.gone+1 < p.answers)
	}
	b.Put("plugin_result_tvalid", s.answer)
}

// lane is the number of a packet's lane.
func (p *portion) lane() int { return int(block.Bit(p.second)) }

// cycle runs one and checks who gives and who takes in it.
func (s *sharing) cycle(added *portion) error {
	b := s.b
	s.drive()
	b.Step()
	giver, taker := s.first(-1, feeding), s.first(-1, answering)
	fed, err := s.plugin.Taken()
	if err != nil {
		return err
	}
	if err := s.feed(giver, fed); err != nil {
		return err
	}
	var told uint64
	taken := s.answer && s.takes[taker.lane()]
	if s.answer {
		told = 1 << taker.lane()
	}
	if b.Get("result_tvalid") != told || s.answer && b.Is("plugin_result_tready") != taken {
		return fmt.Errorf("an answer is there, %t: lanes hear of it %b, not %b; it is taken: %t", s.answer,
			b.Get("result_tvalid"), told, b.Is("plugin_result_tready"))
	}
	if s.idle++; fed || taken || len(s.all) == 0 {
		s.idle = 0
	}
	if taken {
		s.answer = false
		if taker.gone++; taker.gone == taker.answers {
			s.packets[taker.lane()]++
		}
	}
	s.all = slices.DeleteFunc(s.all, func(p *portion) bool { return !feeding(p) && !answering(p) })
	if added != nil {
		s.all = append(s.all, added)
	}
	if s.idle > 500 {
		return fmt.Errorf("nothing has moved for %d cycles, %d packets are there", s.idle, len(s.all))
	}
	return nil
}

// feed checks what the plugin gets of the lane that has its turn.
func (s *sharing) feed(giver *portion, fed bool) error {
	b := s.b
	if b.Is("plugin_operand_tvalid") != (giver != nil && s.offered[giver.lane()]) {
		return fmt.Errorf("the plugin gets a beat: %t", b.Is("plugin_operand_tvalid"))
	}
	for i, there := range s.offered {
		if taken := there && b.Get("operand_tready")>>i&1 != 0; taken != (fed && giver.lane() == i) {
			return fmt.Errorf("a beat of lane %d is taken: %t", i, taken)
		}
		if there && giver != nil && giver.lane() != i {
			s.ahead++
		}
	}
	if !fed {
		return nil
	}
	i := giver.lane()
	if !bytes.Equal(b.Bytes("plugin_operand_tdata"), s.data[i]) ||
		!bytes.Equal(b.Bytes("plugin_operand_tkeep"), s.keep[i]) {
		return errors.New("the plugin gets something else than the lane gives")
	}
	giver.fed++
	if b.Is("plugin_operand_tlast") != (giver.fed == giver.beats) || b.Get("plugin_operand_tdest") != giver.dest {
		return fmt.Errorf("beat %d of %d for %d is the last one: %t, for %d", giver.fed, giver.beats, giver.dest,
			b.Is("plugin_operand_tlast"), b.Get("plugin_operand_tdest"))
	}
	s.offered[i] = false
	return nil
}

// speed finds out whether a beat goes with every cycle, also from turn to turn.
func (s *sharing) speed() error {
	s.clear(true)
	before, first := s.packets[0]+s.packets[1], uint64(0)
	for n := 0; n < 40; n = s.packets[0] + s.packets[1] - before {
		if err := s.cycle(s.packet(s.r.IntN(2) == 0, 4, 4)); err != nil {
			return err
		}
		if n == 0 {
			first = s.b.Cycle
		} else if took := s.b.Cycle - first; took > uint64(4*n+10) {
			return fmt.Errorf("%d packets of 4 beats take %d cycles", n, took)
		}
	}
	return nil
}
