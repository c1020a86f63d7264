package fabric_test

import (
	"slices"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"github.com/cclforge/cclforge/verify/fabric"
)

// only is a condition of one direction between two ports.
func only(from, to int, c fabric.Condition) fabric.Conditions {
	return fabric.Conditions{Seed: 5, Link: func(a, b int) fabric.Condition {
		if a == from && b == to {
			return c
		}
		return fabric.Condition{}
	}}
}

// One direction may be cut, and packets wait for it.
func TestConditionsCutOneWay(t *testing.T) {
	net, ports := world(t, fabric.RDMA, 2, fabric.Options{})
	net.SetConditions(only(0, 1, fabric.Condition{Cut: true}))
	send(t, ports[0], 1, numbered(1, 0), numbered(2, 0))
	send(t, ports[1], 0, numbered(3, 0))
	receives(t, ports[0], 3)
	receives(t, ports[1])
	_, err := ports[0].Connect(t.Context(), ip(1), port(1))
	assert.Check(t, is.ErrorIs(err, fabric.ErrUnreachable), "connecting through the cut")
	_, err = ports[1].Connect(t.Context(), ip(0), port(0))
	assert.Check(t, err, "connecting the other way")
	net.SetConditions(only(1, 0, fabric.Condition{Cut: true}))
	receives(t, ports[1], 1, 2) // after all
}

// The seed of conditions takes the place of that of the network.
func TestConditionsSeed(t *testing.T) {
	arrivals := func(seed int64, set func(*fabric.Net)) []int {
		net, ports := world(t, fabric.UDP, 2, fabric.Options{Seed: seed})
		set(net)
		for i := range 500 {
			send(t, ports[0], 1, numbered(i, 0))
		}
		return numbers(receiveAll(ports[1]))
	}
	half := fabric.Faults{Loss: 0.5}
	faults := func(net *fabric.Net) { net.SetFaults(half) }
	conditions := func(net *fabric.Net) {
		net.SetConditions(fabric.Conditions{Seed: 9,
			Link: func(_, _ int) fabric.Condition { return fabric.Condition{Faults: half} }})
	}
	nine, other := arrivals(9, faults), arrivals(1, faults)
	got := arrivals(1, conditions)
	assert.Check(t, slices.Equal(got, nine) && !slices.Equal(got, other), "the seed of the conditions does not decide")
}
