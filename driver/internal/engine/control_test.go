package engine_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"gotest.tools/v3/assert"

	"github.com/cclforge/cclforge/driver/internal/engine"
	"github.com/cclforge/cclforge/driver/layout"
)

// Bits of control registers: AMD UG1393, "Control Requirements for XRT-Managed Kernels".
const start, done, idle, again = 1, 2, 4, 16

// script gives values of the control register, one after the other and the last one again
// and again, and keeps what is written.
type script struct {
	values []uint32
	reads  int
	wrote  []uint32
	err    error
}

func (s *script) Read(ctx context.Context, at uint32) (uint32, error) {
	if at != 0x20 {
		return 0, errors.New("another register")
	}
	v := s.values[min(s.reads, len(s.values)-1)]
	s.reads++
	return v, s.err
}

func (s *script) Write(_ context.Context, at, v uint32) error {
	if at != 0x20 {
		return errors.New("another register")
	}
	s.wrote = append(s.wrote, v)
	return s.err
}

func kernel(protocol string, values ...layout.Value) layout.Kernel {
	return layout.Kernel{Name: "k", Control: protocol,
		Registers: []layout.Register{{Name: "control", At: 0x20, Bits: 32, Values: values}}}
}

var bits = []layout.Value{{Name: "start", Value: start}, {Name: "done", Value: done}, {Name: "idle", Value: idle}}

func TestWaits(t *testing.T) {
	for _, test := range []struct {
		name, protocol string
		values         []uint32
		await          func(engine.Control, context.Context) error
		reads, writes  int
		err            error
	}{
		{"idle at once", layout.Handshake, []uint32{idle}, engine.Control.AwaitIdle, 1, 0, nil},
		{"idle after a call of somebody else", layout.Handshake, []uint32{start, 0, done | idle}, engine.Control.AwaitIdle,
			3, 0, nil},
		{"started already", layout.Handshake, []uint32{start | idle}, engine.Control.AwaitIdle, 0, 0, engine.ErrRunning},
		{"never idle", layout.Handshake, []uint32{0}, engine.Control.AwaitIdle, 0, 0, engine.ErrRunning},
		{"done at once", layout.Handshake, []uint32{done | idle}, engine.Control.AwaitDone, 1, 0, nil},
		{"done later", layout.Handshake, []uint32{start, start, 0, 0, done | idle}, engine.Control.AwaitDone, 5, 0, nil},
		{"not taken yet", layout.Handshake, []uint32{start | idle, 0, done}, engine.Control.AwaitDone, 3, 0, nil},
		{"somebody else has read that it is done", layout.Handshake, []uint32{0, idle}, engine.Control.AwaitDone, 2, 0, nil},
		{"never done", layout.Handshake, []uint32{0}, engine.Control.AwaitDone, 0, 0, engine.ErrEndless},
		{"a chain goes on", layout.Chain, []uint32{0, done}, engine.Control.AwaitDone, 2, 1, nil},
		{"a chain shows the end of another call", layout.Chain, []uint32{idle}, engine.Control.AwaitIdle, 1, 1, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := &script{values: test.values}
				k, err := engine.ControlOf(kernel(test.protocol, bits...), s)
				assert.NilError(t, err)
				ctx, cancel := context.WithTimeout(t.Context(), time.Second)
				defer cancel()
				err = test.await(k, ctx)
				if test.err == nil {
					if err != nil || s.reads != test.reads || len(s.wrote) != test.writes || len(s.wrote) > 0 && s.wrote[0] != again {
						t.Errorf("%v after %d reads; 0x%X was written", err, s.reads, s.wrote)
					}
					return
				}
				w, is := errors.AsType[*engine.Waited](err)
				if !is || !errors.Is(err, test.err) || !errors.Is(err, context.DeadlineExceeded) || w.After < time.Second ||
					!strings.Contains(err.Error(), "after 1") {
					t.Errorf("%v, want %v", err, test.err)
				}
			})
		})
	}
}

// The cause of the context is that of the error, and so is that of a register.
func TestErrors(t *testing.T) {
	errGone, errBus := errors.New("the card is gone"), errors.New("the bus is gone")
	s := &script{values: []uint32{0}}
	k, err := engine.ControlOf(kernel(layout.Handshake, bits...), s)
	assert.NilError(t, err)
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errGone)
	if err := k.AwaitDone(ctx); !errors.Is(err, errGone) || !errors.Is(err, engine.ErrEndless) {
		t.Error(err)
	}
	s.err = errBus
	for _, err := range []error{k.AwaitDone(t.Context()), k.AwaitIdle(t.Context()), k.Start(t.Context())} {
		if _, is := errors.AsType[*engine.Waited](err); is || !errors.Is(err, errBus) {
			t.Error(err)
		}
	}
	assert.Check(t, len(s.wrote) == 1 && s.wrote[0] == start, "0x%X was written", s.wrote)
	for _, k := range []layout.Kernel{{Name: "k"}, kernel(layout.Handshake), kernel(layout.Handshake, bits[:2]...)} {
		_, err := engine.ControlOf(k, s)
		assert.Check(t, errors.Is(err, engine.ErrControl) && strings.Contains(err.Error(), "kernel k"), "%+v: %v", k, err)
	}
}
