// Package metrics serves what engines do to Prometheus, in its text format.
//
//	m := metrics.New()
//	engines, err := accl.OpenAll(ctx, devices, &u55c_tcp.Platform, ranks, m.Observe())
//	m.Link(0, stack)              // on cards, for each rank: its *network.Stack
//	s, err := m.Serve(":9400", 0) // http://127.0.0.1:9400/metrics
//	defer s.Close()
//
// Calls are those of the host. They are counted when their answer is taken; until then they are open. Answers are what
// the engine counts: those beyond the calls went to kernels on the card, or to other processes. The bytes of a call
// are its count times the size of an uncompressed element: those of one block, in operations with a block for each
// rank. Errors are the bits of return codes, not_placed and no_answer.
//
// Registers count modulo 2^32, in engines of this project alone; bytes on the network, which wrap in a second there,
// are shown of served ranks only. The labels are ranks, operations and other names of the interface version. Of
// engines with the same rank the one that was opened last is shown, and none that is closed. Reading does not disturb
// what an engine does. Other programs must not read its Activity or Trace at the same time.
package metrics

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/driver/network"
)

// Sample names a value: a metric without its prefix, and the value of its label other than the rank, if it has one.
type Sample struct{ Metric, Label string }

// described are all metrics.
var described = []struct{ name, kind, label, help string }{
	{"up", "gauge", "", "Whether the engine answers."},
	{"halted", "gauge", "", "Whether the control processor has halted."},
	{"calls_total", "counter", "operation", "Calls that were answered."},
	{"call_bytes_total", "counter", "operation", "Bytes of calls that were answered: count by size of an element."},
	{"call_seconds_total", "counter", "operation", "Time between placing calls and taking their answers."},
	{"answers_total", "counter", "", "Answers of the engine, also to kernels and other processes, since power-up."},
	{"calls_open", "gauge", "", "Calls whose answer has not been taken."},
	{"errors_total", "counter", "error", "Calls that have failed, by bit of the return code."},
	{"rx_buffers", "gauge", "state", "Rx buffers."},
	{"link_up", "gauge", "", "Whether the network of the card has a link."},
	{"packets_total", "counter", "direction", "Packets on the network."},
	{"network_bytes_total", "counter", "direction", "Bytes of payload on the network."},
	{"packets_dropped_total", "counter", "reason", "Received packets that were dropped."},
	{"transmissions_refused_total", "counter", "", "Transmissions that the network stack has refused."},
	{"sessions_given_up_total", "counter", "", "Sessions to which nothing is sent any more."},
}

// State reads what an engine does.
type State func(context.Context) (map[Sample]float64, error)

// Metrics are the engines of a process. All methods may be called concurrently.
type Metrics struct {
	limit time.Duration // of reading what engines do; an engine that does not answer in time is not up
	slots chan struct{} // of requests

	mu      sync.Mutex
	engines []*engine
	links   map[int]Link // by rank
}

// Link is the network of a card: a *network.Stack.
type Link interface {
	State(context.Context) (network.Status, error)
}

// New returns metrics without engines.
func New() *Metrics {
	return &Metrics{limit: 5 * time.Second, slots: make(chan struct{}, 4), links: map[int]Link{}}
}

// engine is one whose state is read, and whose calls are counted.
type engine struct {
	*calls
	rank    func() int // negative until it is configured
	state   State
	reading chan struct{} // held while the state is read, which may last longer than a request
}

// Observe counts the calls of the engines that are opened with it, and shows what they do.
func (m *Metrics) Observe() accl.OpenOption {
	read := append(slices.Collect(maps.Keys(counters)), rxBuffers)
	return accl.WithCaller(func(e *accl.Engine, dev accl.Device) accl.Caller {
		return m.add(e.Rank, e.Platform(), dev, func(ctx context.Context) (map[Sample]float64, error) {
			in, a, err := e.Activity(ctx, read...)
			if errors.Is(err, accl.ErrNoInspection) {
				_, err = e.HardwareID(ctx) // of others: whether it is there
				return nil, err
			}
			if err != nil {
				return nil, err
			}
			state := inspected(in, a)
			m.link(ctx, e.Rank(), state)
			return state, nil
		})
	})
}

// Link shows whether the card of a rank that is observed has a link: link_up, which is not there while the network
// cannot be read.
func (m *Metrics) Link(rank int, of Link) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.links[rank] = of
}

// link adds the state of a rank's link, if there is one.
func (m *Metrics) link(ctx context.Context, rank int, to map[Sample]float64) {
	m.mu.Lock()
	of := m.links[rank]
	m.mu.Unlock()
	if of == nil {
		return
	}
	if s, err := of.State(ctx); err == nil && s.Link != nil {
		to[Sample{"link_up", ""}] = truth(s.Link.Up)
	}
}

// Add shows the engine of a rank that is not opened in this process: calls to be counted go through the result, to
// the device. The state is read once at a time.
func (m *Metrics) Add(rank int, p *accl.Platform, dev accl.Device, state State) accl.Caller {
	return m.add(func() int { return rank }, p, dev, state)
}

func (m *Metrics) add(rank func() int, p *accl.Platform, dev accl.Device, state State) accl.Caller {
	e := &engine{newCalls(p, dev), rank, state, make(chan struct{}, 1)}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.engines = append(m.engines, e)
	return e
}

// counters are what is read of an engine's Activity.
var counters = map[string]Sample{
	"tx_packets": {"packets_total", "sent"}, "rx_packets": {"packets_total", "received"},
	"no_buffer": dropped("no_buffer"), "bad_packet": dropped("bad_packet"), "stale": dropped("stale"),
	"too_large": dropped("too_large"), "no_window": dropped("no_window"), "no_announcement": dropped("no_announcement"),
	"answers": {"answers_total", ""},
}

const rxBuffers = "rx_buffers" // a queue

func dropped(reason string) Sample { return Sample{"packets_dropped_total", reason} }

// inspected is the state in the registers of an engine.
func inspected(in accl.Inspection, a accl.Activity) map[Sample]float64 {
	s := map[Sample]float64{{"halted", ""}: truth(in.Halted), {"transmissions_refused_total", ""}: float64(in.Refused),
		{"sessions_given_up_total", ""}: float64(in.GivenUp)}
	for _, c := range a.Counters {
		s[counters[c.Name]] = float64(c.Value)
	}
	for _, q := range a.Queues {
		if q.Name == rxBuffers {
			s[Sample{"rx_buffers", "used"}], s[Sample{"rx_buffers", "free"}] = float64(q.Used), float64(q.Capacity-q.Used)
		}
	}
	return s
}

func truth(is bool) float64 {
	if is {
		return 1
	}
	return 0
}

// read reads the state, with what is counted of calls. The error says that the engine does not answer.
func (e *engine) read(ctx context.Context) (values map[Sample]float64, err error) {
	type answer struct {
		state map[Sample]float64
		err   error
	}
	read := make(chan answer, 1)
	go func() {
		select {
		case e.reading <- struct{}{}:
			defer func() { <-e.reading }()
			state, err := e.state(ctx)
			read <- answer{state, err}
		case <-ctx.Done():
		}
	}()
	values = e.counted()
	select {
	case a := <-read:
		err = a.err
		maps.Copy(values, a.state)
	case <-ctx.Done():
		err = context.Cause(ctx)
	}
	values[Sample{"up", ""}] = truth(err == nil)
	return values, err
}

// read reads all engines at the same time: their values, by rank.
func (m *Metrics) read(ctx context.Context) map[int]map[Sample]float64 {
	ctx, cancel := context.WithTimeout(ctx, m.limit)
	defer cancel()
	m.mu.Lock()
	engines := slices.Clone(m.engines)
	m.mu.Unlock()
	values, errs := make([]map[Sample]float64, len(engines)), make([]error, len(engines))
	var group sync.WaitGroup
	for i, e := range engines {
		group.Go(func() { values[i], errs[i] = e.read(ctx) })
	}
	group.Wait()
	shown, gone := map[int]map[Sample]float64{}, map[*engine]bool{}
	for i, e := range slices.Backward(engines) {
		switch rank := e.rank(); {
		case errors.Is(errs[i], accl.ErrClosed) || shown[rank] != nil:
			gone[e] = true
		case rank >= 0:
			shown[rank] = values[i]
		}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.engines = slices.DeleteFunc(m.engines, func(e *engine) bool { return gone[e] })
	return shown
}

// text is the text of all metrics with values.
func (m *Metrics) text(ctx context.Context) []byte {
	var b bytes.Buffer
	all := m.read(ctx)
	for _, d := range described {
		head := fmt.Sprintf("# HELP cclforge_%s %s\n# TYPE cclforge_%[1]s %[3]s\n", d.name, d.help, d.kind)
		for _, rank := range slices.Sorted(maps.Keys(all)) {
			for _, s := range slices.SortedFunc(maps.Keys(all[rank]), compare) {
				if s.Metric != d.name {
					continue
				}
				fmt.Fprintf(&b, "%scclforge_%s{rank=\"%d\"", head, d.name, rank)
				if head = ""; d.label != "" {
					fmt.Fprintf(&b, ",%s=%q", d.label, s.Label)
				}
				fmt.Fprintf(&b, "} %v\n", all[rank][s])
			}
		}
	}
	return b.Bytes()
}

func compare(a, b Sample) int { return cmp.Compare(a.Label, b.Label) }
