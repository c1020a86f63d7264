package timeline_test

import (
	"bytes"
	"fmt"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
	"gotest.tools/v3/assert"

	"github.com/cclforge/cclforge/driver/timeline"
)

// fields reads a message of protobuf: by field number the varints and fixed values, and the bytes.
func fields(t *testing.T, b []byte) (numbers map[protowire.Number][]uint64, texts map[protowire.Number][][]byte) {
	t.Helper()
	numbers, texts = map[protowire.Number][]uint64{}, map[protowire.Number][][]byte{}
	for len(b) > 0 {
		field, kind, n := protowire.ConsumeTag(b)
		assert.NilError(t, protowire.ParseError(n))
		b = b[n:]
		switch kind {
		case protowire.VarintType:
			v, n := protowire.ConsumeVarint(b)
			assert.NilError(t, protowire.ParseError(n))
			numbers[field], b = append(numbers[field], v), b[n:]
		case protowire.Fixed64Type:
			v, n := protowire.ConsumeFixed64(b)
			assert.NilError(t, protowire.ParseError(n))
			numbers[field], b = append(numbers[field], v), b[n:]
		case protowire.BytesType:
			v, n := protowire.ConsumeBytes(b)
			assert.NilError(t, protowire.ParseError(n))
			texts[field], b = append(texts[field], v), b[n:]
		default:
			t.Fatalf("field %d is of wire type %d", field, kind)
		}
	}
	return numbers, texts
}

type slice struct {
	name       string
	begin, end uint64
}

// readTrace is what Perfetto makes of a trace. The numbers are those of its public schema,
// github.com/google/perfetto/tree/main/protos/perfetto/trace: trace_packet.proto (timestamp 8,
// trusted_packet_sequence_id 10, track_event 11, sequence_flags 13, track_descriptor 60) and, in track_event/,
// track_event.proto (type 9, track_uuid 11, name 23, counter_value 30, flow_ids 47, terminating_flow_ids 48;
// TYPE_SLICE_BEGIN 1, _END 2, TYPE_INSTANT 3, TYPE_COUNTER 4), track_descriptor.proto (uuid 1, name 2, process 3,
// parent_uuid 5, counter 8), process_descriptor.proto (pid 1, process_name 6).
type readTrace struct {
	tracks    map[uint64]string // process and track
	counters  map[uint64]bool   // tracks of counters
	counts    []string          // track, time and value
	slices    map[string][]slice
	flowFrom  map[uint64]string // name of the event, by flow
	flowTo    map[uint64]string
	flowTimes map[uint64][2]uint64
}

func read(t *testing.T, trace []byte) *readTrace {
	t.Helper()
	r := &readTrace{tracks: map[uint64]string{}, counters: map[uint64]bool{}, slices: map[string][]slice{},
		flowFrom: map[uint64]string{}, flowTo: map[uint64]string{}, flowTimes: map[uint64][2]uint64{}}
	pids := map[uint64]bool{}
	open := map[uint64][]slice{}
	last := uint64(0)
	_, packets := fields(t, trace)
	assert.Equal(t, len(packets), 1) // of Trace, packet alone
	for i, p := range packets[1] {
		numbers, inner := fields(t, p)
		assert.Assert(t, numbers[10][0] != 0) // else Perfetto refuses track events
		assert.Equal(t, i == 0, len(numbers[13]) == 1 && numbers[13][0] == 1)
		for _, track := range inner[60] {
			n, s := fields(t, track)
			id, name := n[1][0], string(s[2][0])
			assert.Assert(t, id != 0 && r.tracks[id] == "", "track %d is there twice", id)
			if len(n[5]) > 0 {
				assert.Assert(t, r.tracks[n[5][0]] != "", "the parent of %s comes later", name)
				name = r.tracks[n[5][0]] + "/" + name
			} else {
				pn, ps := fields(t, s[3][0])
				assert.Assert(t, pn[1][0] != 0 && !pids[pn[1][0]] && string(ps[6][0]) == name)
				pids[pn[1][0]] = true
			}
			r.tracks[id], r.counters[id] = name, len(s[8]) > 0
		}
		for _, event := range inner[11] {
			at := numbers[8][0]
			assert.Assert(t, at >= last)
			last = at
			n, s := fields(t, event)
			id := n[11][0]
			assert.Assert(t, r.tracks[id] != "", "an event is on a track that is not there")
			switch n[9][0] {
			case 1:
				open[id] = append(open[id], slice{name: string(s[23][0]), begin: at})
			case 2:
				n := len(open[id]) - 1
				assert.Assert(t, n >= 0, "an end without a begin on %s", r.tracks[id])
				done := open[id][n]
				done.end, open[id] = at, open[id][:n]
				r.slices[r.tracks[id]] = append(r.slices[r.tracks[id]], done)
			case 3:
				name := r.tracks[id] + ": " + string(s[23][0])
				for _, flow := range n[47] {
					assert.Equal(t, r.flowFrom[flow], "")
					r.flowFrom[flow], r.flowTimes[flow] = name, [2]uint64{at}
				}
				for _, flow := range n[48] {
					assert.Equal(t, r.flowTo[flow], "")
					r.flowTo[flow], r.flowTimes[flow] = name, [2]uint64{r.flowTimes[flow][0], at}
				}
			case 4:
				assert.Assert(t, r.counters[id], "%s is no counter", r.tracks[id])
				r.counts = append(r.counts, fmt.Sprint(r.tracks[id], " ", at, " ", n[30][0]))
			default:
				t.Fatalf("an event of type %d", n[9][0])
			}
		}
	}
	for id, left := range open {
		assert.Equal(t, len(left), 0, "slices on %s do not end", r.tracks[id])
	}
	return r
}

// TestPerfetto: read back by Perfetto's schema, calls and moves are slices that nest, and flows lead
// from what was sent to where it has arrived.
func TestPerfetto(t *testing.T) {
	ranks := sendAndReceive(t, 0)
	ranks[0].Events = append(ranks[0].Events, script(t,
		// Calls that overlap, and two moves of one queue.
		"2000 call_taken operation=copy",
		"2010 call_taken operation=combine",
		"2020 move_issued op0=memory result=memory queue=1",
		"2030 move_issued op0=memory op1=memory result=memory queue=1",
		"2035 slice_begun queue=1 op0=1 result=1 bytes=4096",
		"2037 slice_begun queue=1 op0=1 result=1 bytes=8 last=1",
		"2038 slice_begun queue=1 op0=1 op1=1 result=1 arithmetic=1 lane_1=1 bytes=16 last=1", // before the other one ends
		"2040 moves_completed queues=2 rx_buffers=3",
		"2050 call_answered return_code=0",
		"2060 moves_completed queues=2 rx_buffers=3",
		"2065 message_stored buffer=1 rx_buffers=4",
		"2070 call_answered return_code=0",
		"2080 rx_buffers_full",
	)...)
	line := timeline.New("send", ranks)
	var out bytes.Buffer
	assert.NilError(t, line.Perfetto(&out))
	r := read(t, out.Bytes())
	zero := uint64(line.Begin)
	want := map[string][]slice{
		"rank 0/moves, queue 0":          {{"memory to rank 1", 1100, 1260}},
		"rank 0/moves, queue 1":          {{"memory to memory", 2020, 2040}, {"memory + memory to memory", 2040, 2060}},
		"rank 1/moves, queue 0":          {{"message of rank 0 to memory", 930, 1450}},
		"rank 1/calls":                   {{"recv", 900, 1460}},
		"rank 0/arithmetic plugin":       {{"memory + memory to memory", 2038, 2060}},
		"rank 0/compression lane 1":      {{"memory + memory to memory", 2038, 2060}},
		"rank 0/DMA engine of operand 1": {{"memory + memory to memory", 2038, 2060}},
	}
	for track, slices := range want {
		assert.Equal(t, len(r.slices[track]), len(slices), track)
		for i, s := range slices {
			assert.Equal(t, r.slices[track][i], slice{s.name, s.begin - zero, s.end - zero}, track)
		}
	}
	calls := map[slice]bool{}
	for _, id := range r.tracks { // two tracks have the calls that overlap
		if id == "rank 0/calls" {
			for _, s := range r.slices[id] {
				calls[slice{s.name, s.begin + zero, s.end + zero}] = true
			}
		}
	}
	assert.DeepEqual(t, len(calls), 3)
	assert.Assert(t, calls[slice{"copy", 2000, 2050}] && calls[slice{"combine", 2010, 2070}], "%v", calls)
	assert.DeepEqual(t, r.counts, []string{fmt.Sprint("rank 0/rx buffers in use ", 2040-zero, " 3"),
		fmt.Sprint("rank 0/rx buffers in use ", 2065-zero, " 4")})
	assert.Equal(t, len(r.flowFrom), 2)
	assert.Equal(t, len(r.flowTo), 2)
	for flow, from := range r.flowFrom {
		assert.Assert(t, r.flowTimes[flow][1] >= r.flowTimes[flow][0])
		want := map[string]string{
			"rank 0/packets: message to rank 1": "rank 1/packets: message of rank 0",
			"rank 1/packets: notice to rank 0":  "rank 0/packets: notice of rank 1",
		}
		assert.Equal(t, r.flowTo[flow], want[from])
	}
	var long bytes.Buffer
	assert.NilError(t, many(t, 5, 1000).Perfetto(&long))
	assert.Equal(t, len(read(t, long.Bytes()).flowTo), 1000)
}
