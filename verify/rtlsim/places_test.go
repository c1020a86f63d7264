package rtlsim

import (
	"errors"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"github.com/cclforge/cclforge/gen/designtest"
	"github.com/cclforge/cclforge/verify/fabric"
)

func TestEnginesOfACardFindEachOtherByTheAddressesOfTheirCommunicators(t *testing.T) {
	all := newPlaces()
	var engines [3]*place
	for i := range engines {
		engines[i] = &place{places: all, engine: uint32(i)}
	}
	const port = 5500
	for i, e := range engines {
		for rank := range engines {
			// Ranks are the engines in another order.
			e.Route(0, uint32(100+rank), port, (rank+1)%len(engines) == i)
		}
	}
	if _, err := engines[0].Connect(t.Context(), 100, port); !errors.Is(err, fabric.ErrRefused) {
		t.Errorf("nobody listens: %v", err)
	}
	for range 2 { // a rank may listen again
		for i, e := range engines {
			assert.Check(t, e.Listen(port), "engine %d", i)
		}
	}
	for rank := range engines {
		want := uint32((rank + 1) % len(engines))
		if session, err := engines[0].Connect(t.Context(), uint32(100+rank), port); err != nil || session != want {
			t.Errorf("rank %d is engine %d (%v), not %d", rank, session, err, want)
		}
	}
	engines[1].Route(0, 100, port, true)
	engines[0].Route(0, 100, port, true)
	assert.Check(t, is.ErrorIs(engines[0].Listen(port), fabric.ErrAddressInUse),
		"a rank that is another engine already")
}

func TestOnlyJoinedEnginesAreBoundToTheirCard(t *testing.T) {
	for name, want := range map[string]int{"u280_axis3x": 3, "u55c_axis3x": 3, "u55c_tcp": 0, "u55c_rdma": 0,
		"u280_2022": 0} {
		if got := Reach(designtest.Load(t, name, nil)); got != want {
			t.Errorf("%s: %d engines reach each other alone, not %d", name, got, want)
		}
	}
}
