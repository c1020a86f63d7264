package engine

import (
	"context"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"
)

// TestPushKeepsBeatsWhole pushes while a part of a beat is gone: of the room that
// this leaves, there is none for a beat.
func TestPushKeepsBeatsWhole(t *testing.T) {
	s := NewStream(64, 256, func() {})
	s.Put(Piece{Data: make([]byte, 256)})
	s.Drop(100)
	full, cancel := context.WithCancel(t.Context())
	cancel()
	assert.Check(t, is.ErrorIs(s.Push(full, 0, make([]byte, 192)), context.Canceled))
	s.Drop(28)
	for _, want := range []int{128, 64} {
		if got := len(s.Head().Data); got != want {
			t.Fatalf("%d bytes lie together, not %d", got, want)
		}
		s.Drop(want)
	}
	if b := s.Head().Data; b != nil {
		t.Errorf("%d bytes are left", len(b))
	}
}
