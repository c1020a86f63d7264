package coyote

import (
	"errors"
	"net/netip"
	"strings"
	"testing"
	"testing/synctest"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"github.com/cclforge/cclforge/driver/layout"
)

// stopped is a shell's driver that does not come back from one of its calls.
type stopped struct {
	at     uint32 // the number of the call
	closed bool
	end    chan struct{}
}

func (s *stopped) Files(string) ([]string, error)    { return nil, nil }
func (s *stopped) Open(string) (File, error)         { return s, nil }
func (s *stopped) Pages(n, size int) ([]byte, error) { return make([]byte, n), nil }
func (s *stopped) Return([]byte) error               { return nil }
func (s *stopped) Lock() error                       { return nil }
func (s *stopped) Map(int64, int) (Window, error)    { return s, nil }
func (s *stopped) Load(uint32) uint64                { return 0 }
func (s *stopped) Store(uint32, uint64)              {}
func (s *stopped) Unmap() error                      { return nil }

func (s *stopped) Close() error {
	s.closed = true
	return nil
}

func (s *stopped) Call(number uint32, words []uint64) (int, error) {
	if number == s.at {
		<-s.end
	}
	words[1] = 0
	return 0, nil
}

// told is a design of which the driver needs little.
func told() *layout.Design {
	one := func(name string, number uint32, fields ...string) layout.Record {
		r := layout.Record{Name: name, Number: number}
		for i, f := range fields {
			r.Fields = append(r.Fields, layout.Field{Name: f, Word: i, Bits: 64})
		}
		return r
	}
	d := layout.Driver{
		Shell: "coyote", File: "/dev/%d_%d", Words: 8, PageBytes: 4096, HugePage: 4096, Threads: 4, ThreadBits: 2,
		Windows: []layout.Window{{Name: "application", Bytes: 4096}, {Name: "region", Bytes: 4096}},
		Calls: []layout.Record{
			one("register_thread", 1, "process", "thread"), one("unregister_thread", 2, "thread"),
			one("map_memory", 3, "address", "bytes", "thread", "block"), one("unmap_memory", 4, "address", "thread"),
			one("offload", 5, "address", "bytes", "thread"), one("fetch", 6, "address", "bytes", "thread"),
			{Name: "configuration", Number: 7, Fields: []layout.Field{{Name: "regions", Bits: 8}}},
		},
	}
	return &layout.Design{Platform: "p", Driver: []layout.Driver{d}}
}

// TestADriverThatDoesNotComeBack: calls end after some time, there are no more, and
// closing the card does not wait.
func TestADriverThatDoesNotComeBack(t *testing.T) {
	for name, at := range map[string]uint32{"map_memory": 3, "unmap_memory": 4, "offload": 5, "fetch": 6} {
		synctest.Test(t, func(t *testing.T) {
			s := &stopped{at: at, end: make(chan struct{})}
			defer close(s.end)
			c := &Card{name: "card 0", sys: s, file: s, driver: &told().Driver[0], threads: []uint64{0},
				buffers: map[*memory]bool{}, application: s, ours: s}
			c.end = func(error) {}
			m, err := c.alloc(t.Context(), 5000, false)
			if err == nil {
				err = m.SyncFrom(t.Context(), 0, 5000)
			}
			if err == nil {
				err = m.Free()
			}
			if !errors.Is(err, ErrStuck) || !strings.Contains(err.Error(), name) || !strings.Contains(err.Error(), "card 0") {
				t.Errorf("%s: %v", name, err)
			}
			_, err = c.alloc(t.Context(), 1, false)
			assert.Check(t, is.ErrorIs(err, ErrStuck), "after that")
			err = c.Close()
			assert.Check(t, err == nil && s.closed, "close: %v", err)
		})
	}
}

// TestARegisterThatIsNotTaken: the shell does not say that it can be written again.
func TestARegisterThatIsNotTaken(t *testing.T) {
	d := told().Driver[0]
	d.Registers = []layout.Record{{Name: "arp", Window: "region", Fields: []layout.Field{{Name: "address", Bits: 32}}}}
	s := &stopped{}
	c := &Card{name: "card 0", sys: s, file: s, driver: &d, ours: s}
	err := c.Ask(t.Context(), netip.MustParseAddr("10.0.0.1"))
	assert.Check(t, errors.Is(err, ErrStuck) && strings.Contains(err.Error(), "arp of card 0"), "%v", err)
}
