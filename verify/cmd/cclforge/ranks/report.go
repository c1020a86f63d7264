package ranks

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"

	"github.com/cclforge/cclforge/driver/bringup/launch"
	"github.com/cclforge/cclforge/gen/design"
	"github.com/cclforge/cclforge/verify/fabric/faults"
	"github.com/cclforge/cclforge/verify/server"
	"github.com/cclforge/cclforge/verify/server/host"
	"github.com/cclforge/cclforge/verify/world/engine"
)

// reporter tells people, or scripts, what happens. Each event is written at once:
// launchers mix what processes write.
type reporter struct {
	json     bool
	out, err io.Writer

	metrics string // where they are; "" if they are not

	mu   sync.Mutex
	name string // of the ranks of this process, if there are others
}

func newReport(asJSON bool, out, err io.Writer) *reporter {
	return &reporter{json: asJSON, out: out, err: err}
}

// Ready is the event that tells scripts that all sockets are bound.
type Ready struct {
	Event      string       `json:"event"` // "ready"
	PID        int          `json:"pid"`
	Platform   string       `json:"platform"`
	Board      string       `json:"board"`
	Generation string       `json:"generation"`
	Stack      string       `json:"stack"`
	Network    string       `json:"network"`
	Host       string       `json:"host"` // where clients of these ranks connect
	Port       int          `json:"port"`
	Size       int          `json:"size"`
	Launcher   string       `json:"launcher,omitempty"`
	Process    int          `json:"process"`
	Processes  int          `json:"processes"`
	Faults     string       `json:"faults,omitempty"`
	Metrics    string       `json:"metrics,omitempty"` // where they are
	Warnings   []string     `json:"warnings,omitempty"`
	Ranks      []host.Place `json:"ranks"` // of this process
}

func (r *reporter) ready(d *design.Design, w launch.World, h *host.Host, plan *faults.Plan) {
	e := h.Endpoints()
	event := Ready{
		Event: "ready", PID: os.Getpid(), Platform: d.Platform.Name, Board: d.Platform.Board.Name, Generation: d.ABI().Name,
		Stack: strings.ToLower(h.Kind().String()), Network: string(h.Network()), Host: e.Host, Port: e.Port, Size: w.Size,
		Launcher: w.Launcher, Process: w.Process, Processes: w.Processes, Warnings: h.Exposed(), Ranks: h.Places(),
		Metrics: r.metrics,
	}
	if !plan.None() {
		event.Faults = plan.String()
	}
	if r.json {
		r.object(event)
		return
	}
	if w.Processes > 1 {
		r.name = ranksText(w.Local) + ": "
	}
	var b strings.Builder
	if w.Process == 0 {
		fmt.Fprintf(&b, "%s (%s, %s, %s): %s, network %s\n", event.Platform, event.Board, event.Stack, event.Generation,
			sizeText(w), event.Network)
		fmt.Fprintf(&b, "for clients of %s: %s\n", event.Generation, suits(d))
	}
	for _, p := range event.Ranks {
		fmt.Fprintln(&b, placeText(p))
	}
	if event.Faults != "" && (w.Process == 0 || w.Job == "") { // processes of a job have the same
		fmt.Fprintf(&b, "%sfaults: --faults='%s'\n", r.name, event.Faults)
	}
	if event.Metrics != "" {
		fmt.Fprintf(&b, "%smetrics: %s\n", r.name, event.Metrics)
	}
	for _, text := range event.Warnings {
		fmt.Fprintf(&b, "%swarning: %s\n", r.name, text)
	}
	fmt.Fprintf(&b, "%sready\n", r.name)
	r.write(r.out, b.String())
}

func sizeText(w launch.World) string {
	text := count(w.Size, "rank", "ranks")
	if w.Processes > 1 {
		text += fmt.Sprintf(" in %d processes (%s)", w.Processes, w.Launcher)
	} else if len(w.Local) < w.Size {
		text += ", " + ranksText(w.Local) + " here"
	}
	return text
}

// ranksText lists ranks as --ranks takes them: "ranks 0,2-3".
func ranksText(ranks []int) string {
	var b strings.Builder
	for i := 0; i < len(ranks); i++ {
		from := i
		for i+1 < len(ranks) && ranks[i+1] == ranks[i]+1 {
			i++
		}
		if b.Len() > 0 {
			b.WriteByte(',')
		}
		fmt.Fprint(&b, ranks[from])
		if i > from {
			fmt.Fprintf(&b, "-%d", ranks[i])
		}
	}
	if len(ranks) == 1 {
		return "rank " + b.String()
	}
	return "ranks " + b.String()
}

// placeText is where a rank is, as "rank 0: commands tcp://127.0.0.1:5500, …".
func placeText(p host.Place) string {
	parts := []string{"commands tcp://" + p.Commands}
	if p.Packets != "" {
		parts = append(parts, "packets tcp://"+p.Packets)
	}
	kernel := "kernel tcp://" + p.KernelOut
	if p.KernelIn != "" {
		kernel += ", from tcp://" + p.KernelIn
	}
	parts = append(parts, kernel)
	if p.POE != "" {
		parts = append(parts, "POE "+p.POE)
	}
	return fmt.Sprintf("rank %d: %s", p.Rank, strings.Join(parts, ", "))
}

// healthEvent is how a rank is; counters begin with the process.
type healthEvent struct {
	Event       string          `json:"event"` // "health"
	Rank        int             `json:"rank"`
	Clients     int             `json:"clients"` // connected now
	Calls       uint64          `json:"calls"`   // placed
	CallsOpen   int             `json:"calls_open"`
	Requests    server.Requests `json:"requests"`     // of each kind
	Refused     uint64          `json:"refused"`      // requests that were answered with an error
	BytesIn     uint64          `json:"bytes_in"`     // that clients wrote to memory
	BytesOut    uint64          `json:"bytes_out"`    // that clients read from memory
	PacketsOut  uint64          `json:"packets_out"`  // to other ranks
	PacketsIn   uint64          `json:"packets_in"`   // from other ranks
	NetworkOut  uint64          `json:"network_out"`  // bytes of payload of these
	NetworkIn   uint64          `json:"network_in"`   //
	Dropped     uint64          `json:"dropped"`      // packets that the engine could not use
	RxUsed      int             `json:"rx_used"`      // rx buffers with a message
	RxFree      int             `json:"rx_free"`      // rx buffers that wait for one
	DeviceBytes uint64          `json:"device_bytes"` // of device memory that takes room
	// Kernels are those that run as compiled C++, and what they wait for.
	Kernels []engine.KernelStats `json:"kernels,omitempty"`
	Network string               `json:"network,omitempty"`
	Failure string               `json:"failure,omitempty"`
}

func healthOf(h host.Health) healthEvent {
	s, d := h.Engine, h.Engine.Dropped
	e := healthEvent{
		Event: "health", Rank: h.Rank, Calls: s.Calls, PacketsOut: s.PacketsOut, PacketsIn: s.PacketsIn,
		NetworkOut: s.BytesOut, NetworkIn: s.BytesIn,
		Dropped: d.NoBuffer + d.BadPacket + d.Stale + d.TooLarge + d.NoWindow + d.NoAnnouncement,
		RxUsed:  s.RxUsed, RxFree: s.RxFree, DeviceBytes: s.DeviceBytes, Kernels: s.Kernels,
	}
	if h.Network != nil {
		e.Network = h.Network.String()
	}
	if h.Served != nil {
		e.Clients, e.CallsOpen, e.Refused, e.Failure = h.Served.Clients, h.Served.CallsOpen, h.Served.Refused,
			h.Served.Failure
		e.BytesIn, e.BytesOut = h.Served.BytesIn, h.Served.BytesOut
		e.Requests = h.Served.Requests
	}
	return e
}

func (e healthEvent) String() string {
	q := e.Requests
	text := fmt.Sprintf(
		"rank %d: %s, %s (%d open), %d requests (%d refused), memory written %d B, read %d B, holds %d MiB; network out "+
			"%d packets %d B, in %d packets %d B, dropped %d; rx buffers %d of %d in use",
		e.Rank, count(e.Clients, "client", "clients"), count(int(e.Calls), "call", "calls"), e.CallsOpen,
		q.MMIORead+q.MMIOWrite+q.MemoryRead+q.MemoryWrite+q.MemoryAllocate+q.Call+q.CallWait, e.Refused, e.BytesIn,
		e.BytesOut, e.DeviceBytes>>20,
		e.PacketsOut, e.NetworkOut, e.PacketsIn, e.NetworkIn, e.Dropped, e.RxUsed, e.RxUsed+e.RxFree)
	for _, k := range e.Kernels {
		text += "; kernel " + k.String()
	}
	if e.Network != "" {
		text += "; " + e.Network
	}
	if e.Failure != "" {
		text += "; failure: " + e.Failure
	}
	return text
}

func (r *reporter) health(all []host.Health) {
	for _, h := range all {
		if e := healthOf(h); r.json {
			r.object(e)
		} else {
			r.write(r.out, e.String()+"\n")
		}
	}
}

func (r *reporter) failed(rank int, err error) {
	if r.json {
		r.object(struct {
			Event string `json:"event"`
			Rank  int    `json:"rank"`
			Error string `json:"error"`
		}{"failed", rank, err.Error()})
	}
}

func (r *reporter) stopped() {
	if r.json {
		r.object(struct {
			Event string `json:"event"`
		}{"stopped"})
		return
	}
	r.write(r.out, r.name+"stopped\n")
}

// log says what goes wrong with peers.
func (r *reporter) log(format string, args ...any) {
	r.write(r.err, "cclforge: "+strings.TrimRight(fmt.Sprintf(format, args...), "\n")+"\n")
}

func (r *reporter) object(v any) {
	text, err := json.Marshal(v)
	if err != nil {
		r.log("%v", err)
		return
	}
	r.write(r.out, string(text)+"\n")
}

func (r *reporter) write(w io.Writer, text string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	fmt.Fprint(w, text)
}

func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
