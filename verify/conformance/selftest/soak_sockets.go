package selftest

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/driver/bringup/launch"
	"github.com/cclforge/cclforge/driver/sim"
	"github.com/cclforge/cclforge/gen/driverview"
	"github.com/cclforge/cclforge/verify/emu"
	"github.com/cclforge/cclforge/verify/fabric"
	"github.com/cclforge/cclforge/verify/fabric/faults"
	"github.com/cclforge/cclforge/verify/server/host"
	"github.com/cclforge/cclforge/verify/world"
)

// SoakPlatforms are those that are soaked: one on TCP, one on UDP.
var SoakPlatforms = []string{"u55c_tcp", "u55c_udp"}

// lossLimit is how long ranks wait for each other where packets are lost.
const lossLimit = 500 * time.Millisecond

// Sockets starts ranks of a platform in this process, whose packets travel
// through real sockets and meet every fault that the transport can have.
func (o Soak) Sockets(ctx context.Context, platform string) (Soaked, error) {
	d, err := world.Design(platform, "")
	if err != nil {
		return Soaked{}, err
	}
	kind, err := world.Network(d)
	if err != nil {
		return Soaked{}, err
	}
	lossy := kind == fabric.UDP
	plan, err := faults.Parse(badNetwork(lossy, o))
	if err != nil {
		return Soaked{}, fmt.Errorf("read the faults: %w", err)
	}
	here, err := launch.Here(ctx, o.Ranks)
	if err != nil {
		return Soaked{}, err
	}
	base, err := host.FreePorts(host.PortsPerRank * o.Ranks)
	if err != nil {
		return Soaked{}, err
	}
	engine := emu.Options{}
	if lossy {
		engine.RemoteTimeout = lossLimit
	}
	h, err := host.Start(ctx, d, host.Options{
		World: here, Network: host.Sockets, Endpoints: sim.Endpoints{Port: base}, Faults: plan, Engine: engine,
	})
	if err != nil {
		return Soaked{}, err
	}
	p := driverview.Of(d)
	SmallLimits(&p)
	var open []accl.OpenOption
	if p.Features.Rendezvous {
		open = append(open, accl.WithMaxRendezvous(p.Limits.MaxRendezvousBytes))
	}
	return Soaked{
		Name: platform, Platform: &p, Devices: h.World().Devices(), Ranks: h.Ranks(), Open: open,
		Lossy: lossy, Close: h.Close,
	}, nil
}

// How often and how long the ranks of a network that loses nothing are cut into
// two halves.
const (
	cutEvery = 15 * time.Second
	cutFor   = 300 * time.Millisecond
)

// badNetwork is the plan of faults, as faults.Parse reads it.
func badNetwork(lossy bool, o Soak) string {
	if lossy {
		return fmt.Sprintf(`{seed = %d, loss = 0.0005, corrupt = 0.0002, duplicate = 0.01, reorder = 0.01, jitter = "50us"}`,
			o.Seed)
	}
	var half, cuts []string
	for rank := range o.Ranks / 2 {
		half = append(half, fmt.Sprint(rank))
	}
	for at := cutEvery; at < o.Duration; at += cutEvery {
		cuts = append(cuts, fmt.Sprintf(`{groups = [[%s]], from = "%v", to = "%v"}`, strings.Join(half, ", "), at, at+cutFor))
	}
	return fmt.Sprintf(`{seed = %d, latency = "20us", jitter = "100us", bandwidth = "2GB/s", partitions = [%s]}`, o.Seed,
		strings.Join(cuts, ", "))
}
