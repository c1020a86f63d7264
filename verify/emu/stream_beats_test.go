package emu

import (
	"context"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"
)

// TestPushKeepsBeatsWhole pushes while a part of a beat is gone: of the room that
// this leaves, there is none for a beat.
func TestPushKeepsBeatsWhole(t *testing.T) {
	s := newStream(64, 256, func() {})
	s.put(piece{data: make([]byte, 256)})
	s.drop(100)
	full, cancel := context.WithCancel(t.Context())
	cancel()
	assert.Check(t, is.ErrorIs(s.push(full, 0, make([]byte, 192)), context.Canceled))
	s.drop(28)
	for _, want := range []int{128, 64} {
		if got := len(s.head()); got != want {
			t.Fatalf("%d bytes lie together, not %d", got, want)
		}
		s.drop(want)
	}
	if b := s.head(); b != nil {
		t.Errorf("%d bytes are left", len(b))
	}
}
