package ranks

import (
	"context"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/driver/metrics"
	"github.com/cclforge/cclforge/gen/design"
	"github.com/cclforge/cclforge/gen/driverview"
	"github.com/cclforge/cclforge/verify/emu"
	"github.com/cclforge/cclforge/verify/server/host"
	"github.com/cclforge/cclforge/verify/world/engine"
)

// metered serves the metrics of the ranks that a host serves; nil if nobody has asked for them.
func (o *options) metered(d *design.Design, env func(string) (string, bool), to *host.Options) (*metrics.Server,
	error) {
	if o.metrics == "" {
		return nil, nil
	}
	process, err := accl.LaunchOf(env)
	if err != nil {
		return nil, err
	}
	m, p := metrics.New(), driverview.Of(d)
	to.Observe = func(rank int, e engine.Engine) accl.Caller {
		return m.Add(rank, &p, e.Device(), func(context.Context) (map[metrics.Sample]float64, error) {
			return stateOf(e), e.Err()
		})
	}
	return m.Serve(o.metrics, process.LocalRank)
}

// stateOf is what an engine says without its registers, which are its clients'.
func stateOf(e engine.Engine) map[metrics.Sample]float64 {
	s := e.Stats()
	d := s.Dropped
	state := map[metrics.Sample]float64{
		{Metric: "packets_total", Label: "sent"}:           float64(s.PacketsOut),
		{Metric: "packets_total", Label: "received"}:       float64(s.PacketsIn),
		{Metric: "network_bytes_total", Label: "sent"}:     float64(s.BytesOut),
		{Metric: "network_bytes_total", Label: "received"}: float64(s.BytesIn),
	}
	if _, emulated := e.(*emu.Engine); !emulated {
		return state // others do not count the rest
	}
	state[metrics.Sample{Metric: "answers_total"}] = float64(s.Answers)
	state[metrics.Sample{Metric: "rx_buffers", Label: "used"}] = float64(s.RxUsed)
	state[metrics.Sample{Metric: "rx_buffers", Label: "free"}] = float64(s.RxFree)
	for reason, n := range map[string]uint64{"no_buffer": d.NoBuffer, "bad_packet": d.BadPacket, "stale": d.Stale,
		"too_large": d.TooLarge, "no_window": d.NoWindow, "no_announcement": d.NoAnnouncement} {
		state[metrics.Sample{Metric: "packets_dropped_total", Label: reason}] = float64(n)
	}
	return state
}
