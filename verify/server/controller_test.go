package server

import (
	"context"
	"errors"
	"testing"
)

// A wait whose patience ends before its turn comes says whether there is a call.
func TestAWaitOutOfTurn(t *testing.T) {
	for _, test := range []struct {
		name  string
		calls []startedCall
	}{
		{"no call", nil},
		{"a call", make([]startedCall, 1)},
	} {
		t.Run(test.name, func(t *testing.T) {
			k := newController(nil, 0)
			k.calls = test.calls
			k.turn <- struct{}{}
			if _, some, err := k.take(context.Background()); some != (len(test.calls) != 0) || !errors.Is(err, errPatience) {
				t.Errorf("there is a call: %v, error %v", some, err)
			}
		})
	}
}
