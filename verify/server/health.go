package server

import (
	"sync"
	"sync/atomic"

	"github.com/cclforge/cclforge/driver/sim"
	"github.com/cclforge/cclforge/verify/world/engine"
)

const requestKinds = int(sim.CallWait) + 1

// Health is the counters of a server since its start, and its present state.
type Health struct {
	Rank      int          `json:"rank"`
	Clients   int          `json:"clients"` // connected now
	Requests  Requests     `json:"requests"`
	Refused   uint64       `json:"refused"`      // requests that were answered with an error, or could not be read
	BytesIn   uint64       `json:"bytes_in"`     // written to memory
	BytesOut  uint64       `json:"bytes_out"`    // read from memory
	CallsOpen int          `json:"calls_open"`   // started, their completion not taken yet
	KernelIn  uint64       `json:"kernel_in"`    // bytes from the user kernel
	KernelOut uint64       `json:"kernel_out"`   // bytes to it
	KernelBad uint64       `json:"kernel_bad"`   // messages of the user kernel that could not be read
	Failure   string       `json:"failure"`      // why the server does less than it should; "" if it does all
	Engine    engine.Stats `json:"engine_stats"` // the engine that it serves
}

// Requests counts requests by their type.
type Requests struct {
	MMIORead       uint64 `json:"mmio_read"`
	MMIOWrite      uint64 `json:"mmio_write"`
	MemoryRead     uint64 `json:"memory_read"`
	MemoryWrite    uint64 `json:"memory_write"`
	MemoryAllocate uint64 `json:"memory_allocate"`
	Call           uint64 `json:"call"`
	CallWait       uint64 `json:"call_wait"`
}

// counters are what Health is made of.
type counters struct {
	clients, open                  atomic.Int64
	requests                       [requestKinds]atomic.Uint64
	refused, bytesIn, bytesOut     atomic.Uint64
	kernelIn, kernelOut, kernelBad atomic.Uint64

	mu  sync.Mutex
	err error
}

func (c *counters) count(t sim.Type) {
	if t >= 0 && int(t) < requestKinds {
		c.requests[t].Add(1)
	}
}

// fail keeps the first failure of a task.
func (c *counters) fail(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err == nil {
		c.err = err
	}
}

func (c *counters) failure() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err
}

// Health returns counters and state. It may be called at any time.
func (s *Server) Health() Health {
	c := &s.counters
	h := Health{
		Rank: s.rank, Clients: int(c.clients.Load()), Refused: c.refused.Load(), CallsOpen: int(c.open.Load()),
		BytesIn: c.bytesIn.Load(), BytesOut: c.bytesOut.Load(),
		KernelIn: c.kernelIn.Load(), KernelOut: c.kernelOut.Load(), KernelBad: c.kernelBad.Load(),
		Engine: s.engine.Stats(),
	}
	of := func(t sim.Type) uint64 { return c.requests[t].Load() }
	h.Requests = Requests{
		of(sim.MMIORead), of(sim.MMIOWrite), of(sim.MemoryRead), of(sim.MemoryWrite), of(sim.MemoryAllocate), of(sim.Call),
		of(sim.CallWait),
	}
	for _, k := range s.controllers {
		h.CallsOpen += k.waiting()
	}
	if err := c.failure(); err != nil {
		h.Failure = err.Error()
	}
	return h
}
