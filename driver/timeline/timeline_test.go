package timeline_test

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/driver/timeline"
)

// script makes a rank's events of lines "time name field=value …"; values that are words are names.
func script(t *testing.T, lines ...string) (out []timeline.Event) {
	t.Helper()
	for _, l := range lines {
		words := strings.Fields(l)
		e := timeline.Event{Event: accl.Event{Name: words[1], Text: l}}
		e.Argument, e.Names = map[string]uint32{}, map[string]string{}
		_, err := fmt.Sscan(words[0], &e.At)
		assert.NilError(t, err)
		for _, w := range words[2:] {
			name, value, _ := strings.Cut(w, "=")
			var n uint32
			if _, err := fmt.Sscan(value, &n); err != nil {
				e.Names[name] = value
			}
			e.Argument[name] = n
		}
		out = append(out, e)
	}
	return out
}

var two = map[uint32]int{10: 0, 11: 1}

// sendAndReceive is a send of rank 0 to rank 1, whose receive has begun before. Rank 1's clock is ahead.
func sendAndReceive(t *testing.T, ahead int64) []timeline.Rank {
	t.Helper()
	ranks := []timeline.Rank{{Sessions: two, OwnClock: ahead != 0, Events: script(t,
		"1000 call_taken operation=send",
		"1100 move_issued op0=memory op1=none result=network queue=0 source=0 destination=1",
		"1250 packet_sent session=11 kind=eager seq=5",
		"1260 moves_completed queues=1",
		"1300 packet_arrived session=11 own=0 kind=notice seq=0", // an answer of no interest
		"1400 call_answered return_code=0",
	)}, {Sessions: two, OwnClock: ahead != 0, Events: script(t,
		"900 call_taken operation=recv",
		"930 move_issued op0=message op1=none result=memory queue=0 source=0 destination=0",
		"1280 packet_sent session=10 kind=notice seq=0",
		"1350 message_opened rank=0 buffer=0",
		"1350 packet_arrived session=10 own=0 kind=eager seq=5",
		"1390 message_stored buffer=0",
		"1450 moves_completed queues=1",
		"1460 call_answered return_code=0",
	)}}
	for i := range ranks[1].Events {
		ranks[1].Events[i].At += ahead
	}
	return ranks
}

// TestAccount: the time of calls is split as worked out by hand.
func TestAccount(t *testing.T) {
	line := timeline.New("send", sendAndReceive(t, 0))
	a, b := line.Accounts[0], line.Accounts[1]
	// Until 1100 firmware; until 1260 its move; what has come at 1300 was sent at 1280; then firmware.
	assert.DeepEqual(t, a, timeline.Account{Calls: 1, Total: 400, Firmware: 200, Moves: 160, Wire: 20,
		Waits: map[int]int64{1: 20}, Sent: 1, Arrived: 1})
	// The packet that it has sent itself is the work of its data path; of the wait until 1350 rank 0 had sent at 1250.
	assert.DeepEqual(t, b, timeline.Account{Calls: 1, Total: 560, Firmware: 30 + 10, Moves: 350 + 40 + 60, Wire: 70,
		Waits: map[int]int64{0: 0}, Sent: 1, Arrived: 1})
	assert.DeepEqual(t, line.Messages, []timeline.Message{
		{From: 0, To: 1, Sent: 1250, Arrived: 1350, Kind: timeline.Eager, Text: "message, sequence number 5"},
		{From: 1, To: 0, Sent: 1280, Arrived: 1300, Kind: timeline.Notice, Text: "notice, sequence number 0"}})
	assert.Equal(t, line.Missing(), "")
}

// TestWaitsThatFail: what a call has waited for until it has failed is no work of the firmware.
func TestWaitsThatFail(t *testing.T) {
	line := timeline.New("recv", []timeline.Rank{{Events: script(t,
		"0 call_taken operation=recv",
		"10 move_issued op0=message op1=none result=memory queue=0 source=3 destination=0",
		"10 move_issued op0=memory op1=none result=network queue=0 source=3 destination=3", // it never begins
		"510 moves_failed queues=1",
		"520 call_answered return_code=2048",
		"600 call_taken operation=bcast",
		"900 call_answered return_code=2048",
	)}})
	assert.DeepEqual(t, line.Accounts[0], timeline.Account{Calls: 2, Total: 820, Firmware: 10,
		Waits: map[int]int64{3: 500, -1: 310}})
}

// TestTimeWakesTheProcessor: a message is lost, and the firmware asks for it after a second.
func TestTimeWakesTheProcessor(t *testing.T) {
	line := timeline.New("asks", []timeline.Rank{{Sessions: two, Events: script(t,
		"0 call_taken operation=recv", "10 window_opened window=1", "1000000010 move_issued result=network queue=0",
		"1000000020 packet_sent session=11 kind=notice seq=0", "1000000030 call_answered return_code=0")}})
	assert.DeepEqual(t, line.Accounts[0], timeline.Account{Calls: 1, Total: 1e9 + 30, Firmware: 10, Moves: 20,
		Waits: map[int]int64{-1: 1e9}, Sent: 1})
}

// TestClocksAreAligned: clocks that differ are set by the fastest message in each direction.
func TestClocksAreAligned(t *testing.T) {
	for _, ahead := range []int64{1_000_000, -500} {
		line := timeline.New("send", sendAndReceive(t, ahead))
		assert.Assert(t, line.Aligned)
		for _, m := range line.Messages {
			assert.Equal(t, m.Arrived-m.Sent, int64(60), "of 100 and 20 ns half each way")
		}
	}
}

// TestRingHasLost: what a ring has not kept is said, messages are matched from the end, and nothing is
// made of what came before a loss.
func TestRingHasLost(t *testing.T) {
	ranks := sendAndReceive(t, 0)
	// Of rank 0 an earlier packet to rank 1 is there, of which rank 1's ring has nothing any more.
	ranks[0].Events = append(script(t, "10 packet_sent session=11 kind=eager seq=5"), ranks[0].Events...)
	ranks[1].Missing = 3
	line := timeline.New("send", ranks)
	assert.Equal(t, line.Messages[0].Sent, int64(1250))
	assert.Equal(t, line.Missing(), "3 events before or between these were not kept by the rings of ranks [1]")

	ranks = sendAndReceive(t, 0)
	ranks[1].Events[5].AfterLoss = true // behind the packet's arrival
	line = timeline.New("send", ranks)
	assert.Equal(t, len(line.Messages), 0)
	for _, s := range line.Spans {
		if s.Rank == 1 && (s.Kind == timeline.CallSpan || s.Kind == timeline.MoveSpan) {
			assert.Assert(t, s.Open && s.End == 1390, "%+v", s)
		}
	}
}

// TestNetworkHasLost: packets behind one that the network has lost are matched to what they are, one that came twice
// is matched once, what begins with no header is not, and what is lost is told where the receiver would know.
func TestNetworkHasLost(t *testing.T) {
	ranks := []timeline.Rank{{Sessions: two, Events: script(t,
		"100 packet_sent session=11 kind=eager seq=7", // before the receiver's first event
		"1000 packet_sent session=11 kind=eager seq=4094",
		"1100 packet_sent session=11 kind=eager seq=4095", // lost
		"1150 packet_sent session=11 kind=headless seq=0",
		"1200 packet_sent session=11 kind=rendezvous_data seq=0",
		"1300 packet_sent session=11 kind=eager seq=0",
		"1400 packet_sent session=11 kind=eager seq=1",
		"2000 packet_sent session=11 kind=eager seq=2", // behind the receiver's last event
	)}, {Sessions: two, Events: script(t,
		"900 call_taken operation=recv",
		"1050 packet_arrived session=10 own=0 kind=eager seq=4094",
		"1250 packet_arrived session=10 own=0 kind=rendezvous_data seq=0",
		"1260 packet_arrived session=10 own=1 kind=eager seq=4095",
		"1350 packet_arrived session=10 own=0 kind=eager seq=0",
		"1360 packet_arrived session=10 own=0 kind=headless seq=0",
		"1450 packet_arrived session=10 own=0 kind=eager seq=1",
		"1460 packet_arrived session=10 own=0 kind=eager seq=1", // again
		"1470 packet_dropped reasons=4",
	)}}
	line := timeline.New("lost", ranks)
	var ways []string
	for _, m := range line.Messages {
		ways = append(ways, fmt.Sprint(m.Text, " ", m.Sent, " ", m.Arrived))
	}
	assert.DeepEqual(t, ways, []string{
		"message, sequence number 4094 1000 1050", "data, sequence number 0 1200 1250",
		"message, sequence number 0 1300 1350", "message, sequence number 1 1400 1460"})
	assert.DeepEqual(t, line.NotArrived, []timeline.Message{
		{From: 0, To: 1, Sent: 1100, Kind: timeline.Eager, Text: "message, sequence number 4095"}})

	var page, lines bytes.Buffer
	assert.NilError(t, errors.Join(line.Page(&page), line.Lines(&lines)))
	assert.Assert(t, strings.Contains(page.String(),
		"What rank 0 has sent to rank 1 at 1.000 µs has not arrived: message, sequence number 4095."))
	assert.Assert(t, strings.Contains(lines.String(), `{"kind":"not arrived","ns":1000,"rank":0,"to":1,"name":"message",`+
		`"text":"message, sequence number 4095"}`))

	ranks[1].Events[7].AfterLoss = true // its ring may have had it
	assert.Equal(t, len(timeline.New("lost", ranks).NotArrived), 0)
}

// TestOfRing: cycles become nanoseconds.
func TestOfRing(t *testing.T) {
	r := timeline.Of(accl.Trace{Written: 9, Lost: 1, Events: []accl.Event{{Name: "a"}, {Name: "b", Cycles: 25}}}, 250, two)
	assert.Equal(t, r.Events[1].At, int64(100))
	assert.Equal(t, r.Missing, uint64(8))
}

// TestFailedMovesEndTheirQueue: a queue that fails ends all its moves, another one goes on.
func TestFailedMovesEndTheirQueue(t *testing.T) {
	line := timeline.New("queues", []timeline.Rank{{Events: script(t,
		"0 move_issued op0=memory result=memory queue=0",
		"1 move_issued op0=memory result=memory queue=0",
		"2 move_issued op0=memory result=memory queue=2",
		"3 move_issued op0=memory result=memory queue=2",
		"7 moves_failed queues=1",
		"8 moves_completed queues=4",
		"9 moves_completed queues=4",
	)}})
	type span struct{ queue, begin, end int64 }
	var got []span
	for _, s := range line.Spans {
		got = append(got, span{int64(s.Queue), s.Begin, s.End})
		assert.Assert(t, !s.Open)
	}
	assert.DeepEqual(t, fmt.Sprint(got), "[{0 0 7} {2 2 8} {0 7 7} {2 8 9}]")
}

// TestSlices: slices belong to the moves that they fit, and say what those have used, and from when on.
func TestSlices(t *testing.T) {
	line := timeline.New("slices", []timeline.Rank{{Events: script(t,
		"0 move_issued op0=message op1=none result=memory queue=0", // goes to its buffer as it comes
		"1 move_issued op0=kernel_stream op1=none result=apart queue=0",
		"2 move_issued op0=memory op1=none result=network queue=0", // of no bytes
		"3 move_issued op0=memory op1=none result=memory queue=1",
		"10 slice_begun queue=0 from_kernel=1 result=1 to_network=1 bytes=64",
		"11 slice_begun queue=1 op0=1 result=1 bytes=4096",
		"12 slice_begun queue=0 from_kernel=1 result=1 to_network=1 lane_2=1 bytes=8 last=1",
		"13 slice_begun queue=0 to_network=1 bytes=0 last=1",
		"14 slice_begun queue=0 op0=1 to_network=1 bytes=4 last=1", // of a move before these events
		"20 moves_completed queues=1", "21 moves_completed queues=1", "22 moves_completed queues=1",
		"23 moves_failed queues=2",
	)}})
	var got, texts []string
	for _, u := range line.Units {
		got = append(got, fmt.Sprintf("%s %d-%d", u.Unit, u.Begin, u.End))
	}
	assert.DeepEqual(t, got, []string{"DMA engine of results 10-21", "stream from the kernel 10-21",
		"compression lane 2 10-21", "DMA engine of operand 0 11-23", "DMA engine of results 11-23"})
	for _, s := range line.Spans {
		_, text, _ := strings.Cut(s.Text, "; ")
		texts = append(texts, text)
	}
	assert.DeepEqual(t, texts, []string{"", "failed; 4096 bytes in one slice, the first one after 0.008 µs",
		"72 bytes in 2 slices, begun behind those of earlier moves",
		"0 bytes in one slice, begun behind those of earlier moves"})
}

// many is a timeline of n ranks and so many messages round the ring.
func many(t *testing.T, ranks, messages int) *timeline.Timeline {
	t.Helper()
	all := make([]timeline.Rank, ranks)
	for r := range all {
		all[r].Events = script(t, "0 call_taken operation=allreduce", fmt.Sprintf("%d call_answered", 1000*messages+1000))
		all[r].Packets = []timeline.Packet{}
	}
	for m := range messages {
		from, to := m%ranks, (m+1)%ranks
		p := timeline.Packet{At: int64(1000 * m), Sent: true, Peer: to, Kind: timeline.Data, Bytes: 4096,
			Text: `<4096 & "more">`, Key: fmt.Sprint(m)}
		all[from].Packets = append(all[from].Packets, p)
		p.At, p.Sent, p.Peer = p.At+500, false, from
		all[to].Packets = append(all[to].Packets, p)
	}
	return timeline.New("many <of> & them", all)
}

// TestPageIsWellFormed: pages are XML, with all that is drawn inside the picture; what is not drawn is said.
func TestPageIsWellFormed(t *testing.T) {
	for _, c := range []struct {
		name            string
		line            *timeline.Timeline
		arrows, columns int
		says            []string
	}{
		{"one", timeline.New("send", sendAndReceive(t, 7)), 2, 2, []string{"clock of its own"}},
		{"nothing", timeline.New("nothing", make([]timeline.Rank, 2)), 0, 2, nil},
		{"no rank", timeline.New("nothing", nil), 0, 0, nil},
		{"many", many(t, 8, 300), 300, 8, nil},
		{"too many", many(t, 40, 1000), -1, timeline.MostRanks, []string{"1000 packets", "40 ranks"}},
		{"too many messages", many(t, 4, 1000), timeline.MostArrows, 4, []string{"1000 packets"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var out bytes.Buffer
			assert.NilError(t, c.line.Page(&out))
			text := out.String()
			var width, height float64
			arrows, columns := 0, 0
			d := xml.NewDecoder(&out)
			for {
				token, err := d.Token()
				if errors.Is(err, io.EOF) {
					break
				}
				assert.NilError(t, err)
				e, is := token.(xml.StartElement)
				if !is {
					continue
				}
				at := map[string]float64{}
				for _, a := range e.Attr {
					var v float64
					if _, err := fmt.Sscan(a.Value, &v); err == nil {
						at[a.Name.Local] = v
					}
					switch {
					case a.Name.Local == "marker-end":
						arrows++
					case a.Name.Local == "font-weight":
						columns++
					}
				}
				if e.Name.Local == "svg" {
					width, height = at["width"], at["height"]
				}
				for _, x := range []string{"x", "x1", "x2"} {
					assert.Check(t, at[x] >= 0 && at[x] <= width, "%s of %v", x, e)
				}
				for _, y := range []string{"y", "y1", "y2"} {
					assert.Check(t, at[y] >= 0 && at[y] <= height, "%s of %v", y, e)
				}
			}
			if c.arrows >= 0 {
				assert.Equal(t, arrows, c.arrows)
			} else {
				assert.Assert(t, arrows > 0 && arrows <= timeline.MostArrows)
			}
			assert.Equal(t, columns, c.columns)
			for _, s := range c.says {
				assert.Check(t, strings.Contains(text, s), "the page does not say %q", s)
			}
		})
	}
}

// TestLines: each line is JSON, in the order of time, and nothing is missing.
func TestLines(t *testing.T) {
	ranks := sendAndReceive(t, 0)
	var out bytes.Buffer
	assert.NilError(t, timeline.New("send", ranks).Lines(&out))
	of, last := map[string]int{}, int64(0)
	d := json.NewDecoder(&out)
	for d.More() {
		var l struct {
			Kind string `json:"kind"`
			At   int64  `json:"ns"`
		}
		assert.NilError(t, d.Decode(&l))
		assert.Assert(t, l.At >= last)
		of[l.Kind]++
		last = l.At
	}
	assert.Equal(t, of["event"], len(ranks[0].Events)+len(ranks[1].Events))
	assert.Assert(t, of["timeline"] == 1 && of["packet"] == 2 && of["call"] == 2 && of["move"] == 2, "%v", of)
}

// TestLinesOfMoves: a move has a field for each of its times, and events those of the clock of their rank.
func TestLinesOfMoves(t *testing.T) {
	const move = "move_issued op0=memory op1=none result=network queue=0 source=0 destination=1"
	ranks := []timeline.Rank{{OwnClock: true, Events: script(t, "1000 call_taken operation=send", "1100 "+move,
		"1110 "+move, "1150 slice_begun queue=0 op0=1 to_network=1 bytes=64",
		"1160 slice_begun queue=0 op0=1 to_network=1 last=1 bytes=32", "1200 moves_completed queues=1",
		"1220 slice_begun queue=0 op0=1 to_network=1 last=1 bytes=8", "1300 moves_completed queues=1",
		"1400 call_answered return_code=0")}}
	for i := range ranks[0].Events {
		ranks[0].Events[i].Cycles = uint64(i)
	}
	var out bytes.Buffer
	assert.NilError(t, timeline.New("send", ranks).Lines(&out))
	var moves [][6]int64
	cycles := uint64(0)
	for d := json.NewDecoder(&out); d.More(); {
		var l struct {
			Kind              string
			NS, Slices, Bytes int64
			EndNS             int64 `json:"end_ns"`
			IssuedNS          int64 `json:"issued_ns"`
			FirstNS           int64 `json:"first_ns"`
			Cycles            *uint64
		}
		assert.NilError(t, d.Decode(&l))
		switch l.Kind {
		case "move":
			moves = append(moves, [6]int64{l.NS, l.EndNS, l.IssuedNS, l.FirstNS, l.Slices, l.Bytes})
		case "event":
			assert.Assert(t, l.Cycles != nil && *l.Cycles == cycles)
			cycles++
		}
	}
	assert.DeepEqual(t, moves, [][6]int64{{100, 200, 100, 150, 2, 96}, {200, 300, 110, 220, 1, 8}})
}

// TestCalledIsTold: calls have their arguments if those that are known are the calls that were taken, and no others.
func TestCalledIsTold(t *testing.T) {
	for _, c := range []struct {
		called  []string
		missing uint64
		told    bool
	}{
		{[]string{"copy of 5 elements", "nop"}, 0, true},
		{[]string{"send of 4 elements", "copy of 5 elements", "nop"}, 7, true}, // the ring has not kept the first one
		{[]string{"send of 4 elements", "copy of 5 elements", "nop"}, 0, false},
		{[]string{"nop"}, 0, false}, // a kernel may have called
		{[]string{"copy of 5 elements", "copy of 6 elements"}, 0, false},
		{nil, 0, false},
	} {
		line := timeline.New("calls", []timeline.Rank{{Called: c.called, Missing: c.missing, Events: script(t,
			"1000 call_taken operation=copy", "1100 call_answered return_code=0",
			"1200 call_taken operation=nop", "1300 call_answered return_code=0")}})
		var told []bool
		for _, s := range line.Spans {
			if s.Kind == timeline.CallSpan {
				told = append(told, strings.HasSuffix(s.Text, map[string]string{"copy": " Called was copy of 5 elements.",
					"nop": " Called was nop."}[s.Name]))
			}
		}
		assert.DeepEqual(t, told, []bool{c.told, c.told})
	}
}
