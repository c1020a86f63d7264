package compare

import (
	"reflect"
	"slices"
	"testing"

	"gotest.tools/v3/assert"

	"github.com/cclforge/cclforge/gen/designtest"
)

// TestWordsThatMeanSomethingAreCompared changes every word of moves, one after the other: a
// change is seen if the move uses that word, and is none if it does not.
func TestWordsThatMeanSomethingAreCompared(t *testing.T) {
	g := designtest.Load(t, "u55c_tcp", nil).ABI()
	f, err := newMoveFields(g)
	assert.NilError(t, err)
	word := func(fields map[string]string, more uint32) uint32 {
		values := map[string]map[string]uint32{"op0": f.operands, "op1": f.operands, "result": f.results,
			"message_type": f.types}
		for name, value := range fields {
			v, ok := values[name][value]
			assert.Assert(t, ok, "there is no %s %s", name, value)
			more |= v << f.control[name].Low
		}
		return more
	}
	compressed := f.control["network_compressed"].Mask()
	for _, test := range []struct {
		name    string
		control uint32
		context uint32
		used    []string // beside Control
	}{
		{"copy", word(map[string]string{"op0": "memory", "result": "memory"}, 0), 0, []string{"Bytes", "Op0", "Result"}},
		{"combine", word(map[string]string{"op0": "memory", "op1": "memory", "result": "memory"}, 0), 0,
			[]string{"Bytes", "TDEST", "Op0", "Op1", "Result"}},
		{"send", word(map[string]string{"op0": "memory", "result": "network"}, 0), 0,
			[]string{"Bytes", "Op0", "Comm", "Destination", "Context", "Tag", "Strm", "ChunkBytes", "SegmentBytes"}},
		{"compressed send", word(map[string]string{"op0": "memory", "result": "network"}, compressed), 0,
			[]string{"Bytes", "CompressedBytes", "TDEST", "Op0", "Comm", "Destination", "Context", "Tag", "Strm", "ChunkBytes",
				"SegmentBytes"}},
		{"receive", word(map[string]string{"op0": "message", "result": "memory"}, 0), 0, []string{"Bytes", "Result", "Comm",
			"Source", "Context", "Tag"}},
		{"receive of a collective", word(map[string]string{"op0": "message", "result": "memory"}, 0), 1,
			[]string{"Bytes", "Result", "Comm", "Source", "Context", "Tag", "Number", "Count", "Shape"}},
		{"announcement of a collective",
			word(map[string]string{"result": "network", "message_type": "rendezvous_announcement"}, 0), 3,
			[]string{"Bytes", "Comm", "Destination", "Context", "Tag", "Strm", "RemoteAddress", "HeaderCount",
				"Number", "Count", "Shape"}},
		{"copy in a collective", word(map[string]string{"op0": "memory", "result": "memory"}, 0), 1,
			[]string{"Bytes", "Op0", "Result"}},
		{"to the kernel stream", word(map[string]string{"op0": "memory", "result": "kernel_stream"}, 0), 0,
			[]string{"Bytes", "TDEST", "Op0"}},
		{"to a window", word(map[string]string{"op0": "window", "result": "network", "message_type": "rendezvous_data"}, 0),
			0,
			[]string{"Bytes", "Op0", "Comm", "Destination", "Context", "Tag", "Strm", "RemoteAddress", "PacketIndex"}},
		{"combine and send another", word(map[string]string{"op0": "memory", "op1": "window", "result": "beside",
			"message_type": "rendezvous_data"}, 0), 0,
			[]string{"Bytes", "TDEST", "Op0", "Op1", "Op2", "Result", "Comm", "Destination", "Context", "Tag", "Strm",
				"RemoteAddress", "PacketIndex"}},
		{"keep what is sent apart", word(map[string]string{"op0": "memory", "op1": "message", "result": "apart"},
			f.control["keeps"].Mask()), 0,
			[]string{"Bytes", "Op0", "Kept", "Result", "Comm", "Source", "Destination", "Context", "Tag", "Strm", "ChunkBytes",
				"SegmentBytes"}},
		{"announcement", word(map[string]string{"result": "network", "message_type": "rendezvous_announcement"}, 0), 0,
			[]string{"Bytes", "Comm", "Destination", "Context", "Tag", "Strm", "RemoteAddress", "HeaderCount"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			move := Move{Control: test.control, Context: test.context}
			all := reflect.ValueOf(&move).Elem()
			for i := range all.NumField() {
				name := all.Type().Field(i).Name
				if name == "Control" {
					continue
				}
				other := move
				changed := reflect.ValueOf(&other).Elem().Field(i)
				changed.SetUint(all.Field(i).Uint() ^ 0xFFFFFFFF)
				if got, want := f.essential(move) != f.essential(other), slices.Contains(test.used, name); got != want {
					t.Errorf("another %s is a difference: %t", name, got)
				}
			}
			for name, field := range f.control {
				other := move
				other.Control ^= field.Mask()
				if got, want := f.essential(move) != f.essential(other), name != "queue"; got != want {
					t.Errorf("another %s is a difference: %t", name, got)
				}
			}
		})
	}
}
