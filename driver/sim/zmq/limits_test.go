package zmq_test

import (
	"encoding/binary"
	"errors"
	"net"
	"runtime"
	"slices"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"github.com/cclforge/cclforge/driver/sim/zmq"
)

func TestAMessageThatIsTooLargeIsAnsweredAndSkipped(t *testing.T) {
	noLeaks(t)
	long := func(flags byte, size uint64) []byte {
		return binary.BigEndian.AppendUint64([]byte{flags | 2}, size)
	}
	address := serving(t, zmq.Rep, zmq.Limits{MessageBytes: 100_000, Frames: 4}, echo)
	for name, c := range map[string]struct {
		head, rest []byte // the answer comes between them
		want       []string
	}{
		"a frame": {slices.Concat(message("", "")[:2], long(0, 100_001)), make([]byte, 100_001),
			[]string{"", "too large"}},
		"the first frame": {long(0, 300_000), make([]byte, 300_000), []string{"too large"}},
		"the sum of frames": {slices.Concat(message("id", "")[:4], frame(1, make([]byte, 60_000)), long(1, 40_000)),
			append(make([]byte, 40_000), message("end")...), []string{"id", "too large"}},
		"too many frames":   {message("1", "2", "3", "4", "5"), nil, []string{"1", "too large"}},
		"many empty frames": {append(slices.Repeat([]byte{1, 0}, 50), 0, 0), nil, []string{"", "too large"}},
		"exactly the limits": {slices.Concat(message("id", "", "x", "")[:9], frame(0, make([]byte, 99_997))), nil,
			[]string{"id", "", "x", strings.Repeat("\x00", 99_997)}},
	} {
		t.Run(name, func(t *testing.T) {
			p := join(t, address, "REQ")
			p.send(c.head)
			p.expect(c.want...)
			p.send(c.rest, message("", "next"))
			p.expect("", "next")
		})
	}
}

func TestAPeerThatNeverStopsIsDropped(t *testing.T) {
	noLeaks(t)
	address := serving(t, zmq.Rep, zmq.Limits{MessageBytes: 8 << 20}, echo)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for name, c := range map[string]struct{ head, again []byte }{
		"endless frames":    {nil, slices.Repeat([]byte{1, 1, 'x'}, 10_000)},
		"empty frames":      {nil, slices.Repeat([]byte{1, 0}, 10_000)},
		"a giant frame":     {binary.BigEndian.AppendUint64([]byte{2}, 1<<63-1), make([]byte, 1<<16)},
		"a negative length": {binary.BigEndian.AppendUint64([]byte{3}, 1<<64-1), make([]byte, 1<<16)},
	} {
		t.Run(name, func(t *testing.T) {
			p := join(t, address, "REQ")
			p.send(c.head)
			for {
				if _, err := p.Write(c.again); err != nil {
					var timeout net.Error
					if errors.As(err, &timeout) && timeout.Timeout() {
						t.Error("the connection is still open")
					}
					return
				}
			}
		})
	}
	runtime.ReadMemStats(&after)
	bytes := after.TotalAlloc - before.TotalAlloc
	assert.Check(t, bytes <= 4<<20, "%d bytes were allocated", bytes)
}

func TestFramingThatMakesNoSenseEndsTheConnection(t *testing.T) {
	noLeaks(t)
	address := serving(t, zmq.Rep, zmq.Limits{}, echo)
	for name, bytes := range map[string][]byte{
		"reserved flags":             {0x08, 0},
		"a command with more frames": {5, 1, 0},
		"a command within a message": slices.Concat(message("", "")[:2], command("PING", 0, 0)),
		"a command without a name":   {4, 0},
		"a name that is too long":    {4, 2, 9, 'P'},
		"a short ping":               command("PING", 0),
		"a giant command":            binary.BigEndian.AppendUint64([]byte{6}, 1<<40),
	} {
		t.Run(name, func(t *testing.T) {
			p := join(t, address, "REQ")
			p.send(bytes)
			p.ends(patience)
		})
	}
}
