package faults_test

import (
	"context"
	"encoding/binary"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"github.com/cclforge/cclforge/verify/fabric"
	"github.com/cclforge/cclforge/verify/fabric/faults"
)

// ways are those in which a plan is put in force, on a network whose sessions
// are ranks.
var ways = map[string]func(context.Context, *faults.Plan, *fabric.Net, []fabric.Port) []fabric.Port{
	"network": func(ctx context.Context, p *faults.Plan, net *fabric.Net, ports []fabric.Port) []fabric.Port {
		p.Apply(ctx, net)
		return ports
	},
	"ports": func(ctx context.Context, p *faults.Plan, _ *fabric.Net, ports []fabric.Port) (out []fabric.Port) {
		for rank, port := range ports {
			out = append(out, p.Impair(ctx, port, rank, func(session uint32) (int, bool) { return int(session), true }))
		}
		return out
	},
}

// network returns a network with ports at 10.0.0.1:5001, 10.0.0.2:5002, …
func network(t *testing.T, kind fabric.Kind, n int) (*fabric.Net, []fabric.Port) {
	t.Helper()
	net := fabric.NewNet(kind, fabric.Options{WindowBytes: 1 << 30})
	var ports []fabric.Port
	for i := range n {
		p, session, err := net.Port(ip(i), port(i))
		assert.Assert(t, err == nil && session == uint32(i), "port %d has session %d, %v", i, session, err)
		ports = append(ports, p)
	}
	return net, ports
}

func ip(i int) uint32   { return 10<<24 | uint32(i+1) }
func port(i int) uint16 { return uint16(5001 + i) }

func numbered(n, payload int) *fabric.Packet {
	p := &fabric.Packet{Payload: make([]byte, payload)}
	binary.LittleEndian.PutUint64(p.Header[:], uint64(n))
	return p
}

// counts are the counters of a port with faults.
func counts(t *testing.T, port fabric.Port) fabric.Stats {
	t.Helper()
	p, ok := fabric.ImpairedOf(port)
	assert.Assert(t, ok, "the port has no faults")
	return p.Stats()
}

// arrival is a packet that a port receives.
type arrival struct {
	at               time.Duration
	from, to, number int
}

// arrivals receives what is there.
func arrivals(start time.Time, ports []fabric.Port) (out []arrival) {
	for to, port := range ports {
		for p := port.Receive(); p != nil; p = port.Receive() {
			out = append(out, arrival{time.Since(start), int(p.Session), to, int(binary.LittleEndian.Uint64(p.Header[:]))})
			p.Release()
		}
	}
	return out
}

const period = 100 * time.Millisecond

// exchange sends a packet from all ports to all at each multiple of the period,
// shifted by a third, and returns what arrives until a while after the end.
func exchange(t *testing.T, ports []fabric.Port, end time.Duration) (out []arrival) {
	t.Helper()
	start := time.Now()
	time.Sleep(period / 3)
	for n := 0; time.Since(start) < 2*end; n++ {
		if time.Since(start) < end {
			for _, from := range ports {
				for to := range ports {
					if err := from.Send(uint32(to), numbered(n, n%40)); err != nil {
						t.Fatalf("sending at %v: %v", time.Since(start), err)
					}
				}
			}
		}
		for range 20 {
			out = append(out, arrivals(start, ports)...)
			time.Sleep(period / 20)
		}
	}
	return append(out, arrivals(start, ports)...)
}
