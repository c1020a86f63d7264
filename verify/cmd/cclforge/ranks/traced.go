package ranks

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/driver/bringup/launch"
	"github.com/cclforge/cclforge/driver/timeline"
	"github.com/cclforge/cclforge/gen/design"
	"github.com/cclforge/cclforge/gen/driverview"
	"github.com/cclforge/cclforge/verify/server/host"
	"github.com/cclforge/cclforge/verify/world/engine"
	"github.com/cclforge/cclforge/verify/world/recorder"
)

// What a trace keeps, so that a server can run for days.
const (
	keptEvents = 1 << 15  // of a rank; as many packets
	keptBytes  = 64 << 20 // of packets of this process
)

// reading is how long the rings of simulated engines may take: a register takes milliseconds there.
const reading = 3 * time.Minute

// traced is what a server keeps for a trace, which it writes when it ends.
type traced struct {
	host      *host.Options
	files     Files
	recorder  recorder.Recorder
	captured  bytes.Buffer
	recording int // of the packets, in those of the host
	calls     map[int]*hostCalls
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
	t := &traced{host: to, files: Files{Dir: o.trace, Design: d, Calls: true}, recording: len(to.Packets),
		calls: map[int]*hostCalls{}}
	if len(w.Local) < w.Size {
		t.files.Suffix = fmt.Sprintf("-rank%d", w.Local[0])
	}
	t.recorder.Last = keptEvents
	to.Recorder = &t.recorder
	to.Packets = append(to.Packets, host.Recording{To: &t.captured, Keep: keptBytes})
	p, inner := driverview.Of(d), to.Observe
	to.Observe = func(rank int, e engine.Engine) accl.Caller { // ranks are opened one after the other
		var c accl.Caller = e.Device()
		if inner != nil {
			c = inner(rank, e)
		}
		t.calls[rank] = newHostCalls(&p, c)
		return t.calls[rank]
	}
	return t, nil
}

// read takes what the rings of simulated engines have kept, while they run.
func (t *traced) read(ctx context.Context, h *host.Host, r *reporter) {
	if t == nil || t.host.Maker == nil {
		return
	}
	o := t.host
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), reading)
	defer cancel()
	r.log("reading what simulated ranks have kept of their events, which may take a minute")
	p := driverview.Of(t.files.Design)
	t.rings = make([]timeline.Rank, o.World.Size)
	var all sync.WaitGroup
	for _, rank := range o.World.Local {
		all.Go(func() {
			ring, err := p.Trace(ctx, h.World().Device(rank), 0)
			if err != nil {
				r.log("read the trace of rank %d: %v", rank, err)
				return
			}
			t.rings[rank] = timeline.Of(ring, p.ClockMHz, t.recorder.Sessions(rank))
		})
	}
	all.Wait()
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
		for rank, h := range t.calls {
			h.each(func(c *hostCall) { t.recorder.Call(rank, c.name, c.begin, c.end, c.err) })
		}
		ranks, what = t.recorder.Ranks(&p, d.ABI()), "emulated"
	}
	for len(ranks) < o.World.Size {
		ranks = append(ranks, timeline.Rank{})
	}
	for rank, h := range t.calls {
		ranks[rank].Called = h.names()
	}
	line := timeline.New(fmt.Sprintf("%s of %d of %s, %s, until %s", ranksText(o.World.Local), o.World.Size,
		d.Platform.Name, what, time.Now().Format(time.DateTime)), ranks)
	if line.Notes = t.notes; t.files.Packets == nil {
		line.Notes = append(line.Notes, "There is no file of packets: the ranks had not ended in time.")
	}
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
