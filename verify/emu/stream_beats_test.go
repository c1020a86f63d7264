package emu

import (
	"context"
	"errors"
	"testing"
)

// TestPushKeepsBeatsWhole pushes while a part of a beat is gone: of the room that
// this leaves, there is none for a beat.
func TestPushKeepsBeatsWhole(t *testing.T) {
	s := newStream(64, 256, func() {})
	s.put(piece{data: make([]byte, 256)})
	s.drop(100)
	full, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.push(full, 0, make([]byte, 192)); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
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
