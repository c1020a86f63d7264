package ranks

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/cclforge/cclforge/driver/bringup/launch"
	"github.com/cclforge/cclforge/driver/timeline"
	"github.com/cclforge/cclforge/gen/design"
	"github.com/cclforge/cclforge/gen/driverview"
	"github.com/cclforge/cclforge/verify/cmd/cclforge/internal/traces"
	"github.com/cclforge/cclforge/verify/server/host"
	"github.com/cclforge/cclforge/verify/world/recorder"
)

// What a trace keeps, so that a server can run for days.
const (
	keptEvents = 1 << 15  // of a rank; as many packets
	keptBytes  = 64 << 20 // of packets of this process
)

// traced is what a server keeps for a trace, which it writes when it ends.
type traced struct {
	host      *host.Options
	files     traces.Files
	recorder  recorder.Recorder
	captured  bytes.Buffer
	recording int // of the packets, in those of the host
	rings     []timeline.Rank
	notes     []string
}

// traced makes the server keep what it takes; nil if nobody has asked for a trace.
func (o *options) traced(d *design.Design, w launch.World, to *host.Options) (*traced, error) {
	if o.trace == "" {
		return nil, nil
	}
	if err := os.MkdirAll(o.trace, 0o755); err != nil {
		return nil, fmt.Errorf("--trace: %w", err)
	}
	t := &traced{host: to, files: traces.Files{Dir: o.trace, Design: d, Calls: true}, recording: len(to.Packets)}
	if len(w.Local) < w.Size {
		t.files.Suffix = fmt.Sprintf("-rank%d", w.Local[0])
	}
	t.recorder.Last = keptEvents
	to.Recorder = &t.recorder
	to.Packets = append(to.Packets, host.Recording{To: &t.captured, Keep: keptBytes})
	return t, nil
}

// read takes what the rings of simulated engines have kept, while they run.
func (t *traced) read(ctx context.Context, h *host.Host, r *reporter) {
	if t == nil || t.host.Maker == nil {
		return
	}
	o := t.host
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), ending)
	defer cancel()
	p := driverview.Of(t.files.Design)
	ranks := make([]timeline.Rank, o.World.Size)
	for _, rank := range o.World.Local {
		ring, err := p.Trace(ctx, h.World().Device(rank), 0)
		if err != nil {
			r.log("read the trace of rank %d: %v", rank, err)
			continue
		}
		ranks[rank] = timeline.Of(ring, p.ClockMHz, t.recorder.Sessions(rank))
	}
	t.rings = ranks
}

// captures takes the packets of a host that has ended.
func (t *traced) captures(h *host.Host) {
	if t == nil {
		return
	}
	if t.files.Packets = t.captured.Bytes(); h.Gone(t.recording) > 0 {
		t.notes = append(t.notes, fmt.Sprintf("The file of packets has the last %d MiB; %d packets before were not "+
			"kept.", keptBytes>>20, h.Gone(t.recording)))
	}
}

// write writes the files, after the ranks have ended.
func (t *traced) write(r *reporter) error {
	if t == nil {
		return nil
	}
	o, d := t.host, t.files.Design
	ranks, what := t.rings, "simulated"
	if ranks == nil {
		p := driverview.Of(d)
		ranks, what = t.recorder.Ranks(&p, d.ABI()), "emulated"
	}
	for len(ranks) < o.World.Size {
		ranks = append(ranks, timeline.Rank{})
	}
	line := timeline.New(fmt.Sprintf("%s of %d of %s, %s, until %s", ranksText(o.World.Local), o.World.Size,
		d.Platform.Name, what, time.Now().Format(time.DateTime)), ranks)
	line.Notes = t.notes
	if len(o.World.Local) < o.World.Size {
		line.Notes = append(line.Notes, "Other ranks were in other processes, which write what those have done.")
	}
	var said strings.Builder
	if err := t.files.Write(&said, line); err != nil {
		return err
	}
	if !r.json {
		r.write(r.out, said.String())
	}
	return nil
}
